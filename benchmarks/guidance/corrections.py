"""Three corrections of the topics of real headlines, one after the other: which topics changed, and which stayed.

21,294 ABC headlines of 2003, LDA with 20 topics, three seeds. The corrections were written down before the first fit:
a topic "sars" by three words; "court" by three words, without "war"; and "rain" and "drought" together. After every
refit a topic has stayed if its cosine with the topic of the same number before is above 0.9. The rival is a new fit
with all corrections and the same seed, whose topics are matched to the old ones as well as possible. `--words` prints
the topics of the first seed as the tutorial shows them.

    python -m benchmarks.guidance.corrections [--words]
"""

from __future__ import annotations

import copy
import sys
import warnings

import numpy as np
import pyarrow.parquet as pq

from benchmarks.guidance.refits import stayed
from benchmarks.measure import print_table, real_data
from driftline.guidance import Guide
from driftline.streams.corpus import Corpus
from driftline.text.tokenise import Tokenizer
from driftline.topics import LDA

N_TOPICS, SEEDS = 20, (0, 1, 2)
FIRST = Guide().topic("sars", ["sars", "virus", "outbreak"])
SECOND = FIRST.topic("court", ["court", "murder", "charged"], never=["war"])
THIRD = SECOND.together("rain", "drought")
STEPS = {"topic “sars”": FIRST, "topic “court”, never “war”": SECOND, "“rain” and “drought” together": THIRD}


def headlines():
    table = pq.read_table(real_data("abc_headlines_2003"))
    column = "text" if "text" in table.column_names else "headline_text"
    tokenizer = Tokenizer(stop_words="english")
    return Corpus.from_texts(table[column].to_pylist(), tokenizer=tokenizer, min_df=5, keep_texts=False)


def shown(model, n=6):
    return {name: ", ".join(map(str, words)) for name, words in zip(model.topic_names_, model.top_words(n))}


def main():
    warnings.simplefilter("ignore")
    corpus = headlines()
    X, words = corpus.counts, [str(word) for word in corpus.vocabulary]
    rows = {name: [] for name in STEPS}
    again = []
    for seed in SEEDS:
        model = LDA(N_TOPICS, vocabulary=words, random_state=seed).fit(X)
        first = model.components_.copy()
        if "--words" in sys.argv and seed == SEEDS[0]:
            print("\n".join(f"{k}: {', '.join(map(str, top))}" for k, top in enumerate(model.top_words(6))))
        for name, guide in STEPS.items():
            before = model.components_.copy()
            model = copy.deepcopy(model).refit(X, guide=guide)
            cosines = stayed(before, model.components_[: len(before)], matched=False)
            report = model.guide_report_[-1]
            rows[name].append((np.mean(cosines > 0.9), np.median(cosines), cosines.min(), report.with_guide))
            if "--words" in sys.argv and seed == SEEDS[0]:
                moved = [model.topic_names_[k] for k in np.flatnonzero(cosines <= 0.9)]
                print(f"\n{name}: heeded {report.heeded}, {report.measure} {report.with_guide:.2f}; moved: {moved}")
                print("\n".join(f"  {one}: {top}" for one, top in shown(model).items() if not one.isdigit()))
        cold = LDA(model.n_topics, guide=THIRD, vocabulary=words, random_state=seed).fit(X)
        for found, matched in ((model.components_[:N_TOPICS], False), (cold.components_, True)):
            cosines = stayed(first, found, matched=matched)
            again.append((np.mean(cosines > 0.9), np.median(cosines), cosines.min()))
    table = [[name, *(f"{value:.3f}" for value in np.mean(found, axis=0))] for name, found in rows.items()]
    table.append(["all three, by refits", *(f"{value:.3f}" for value in np.mean(again[::2], axis=0)), ""])
    table.append(["all three, by a new fit", *(f"{value:.3f}" for value in np.mean(again[1::2], axis=0)), ""])
    print_table(
        f"{X.shape[0]:,} headlines, {N_TOPICS} topics, means of {len(SEEDS)} seeds",
        ["correction", "topics that stayed", "median cosine", "least cosine", "measure of the wish"],
        table,
    )


if __name__ == "__main__":
    main()
