"""How strongly `spread` is to draw documents to the topics of their words: chosen on Reuters, reported elsewhere.

Ten topics of Reuters-21578 by five words each, written down from the names of the topics; documents with exactly one of
them. LDA with 20 topics; accuracy and mean AUC as in `words.py`, the mean of three seeds. The strength and the power
with the largest sum of both are the defaults of `Guide.spread`; `benchmarks.guidance.words` has their result on the 20
newsgroups, which were not used for the choice.

    python -m benchmarks.guidance.spread
"""

from __future__ import annotations

import warnings

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp

from benchmarks.guidance.newsgroups import Newsgroups
from benchmarks.guidance.words import complement, guide_of, lda, scores
from benchmarks.measure import real_data
from driftline.streams.corpus import Corpus

WORDS = {
    "earn": ["dividend", "profit", "earnings", "net", "quarterly"],
    "acq": ["acquisition", "merger", "takeover", "stake", "acquire"],
    "crude": ["oil", "crude", "opec", "barrels", "petroleum"],
    "trade": ["trade", "tariffs", "exports", "deficit", "imports"],
    "money-fx": ["currency", "dollar", "yen", "intervention", "currencies"],
    "interest": ["rates", "rate", "interest", "prime", "lending"],
    "ship": ["ship", "ships", "shipping", "vessel", "port"],
    "grain": ["wheat", "grain", "corn", "maize", "barley"],
    "coffee": ["coffee", "ico", "beans", "brazil", "growers"],
    "gold": ["gold", "ounces", "mine", "ore", "mining"],
}
N_TOPICS = 2 * len(WORDS)
STRENGTHS, POWERS = (5.0, 20.0, 50.0), (5.0, 10.0)
SEEDS = (0, 1, 2)


def reuters() -> Newsgroups:
    """Return the documents with exactly one of the topics."""
    table = pq.read_table(real_data("reuters21578"), columns=["title", "text", "topics"]).to_pylist()
    names = list(WORDS)
    kept = [(row, [t for t in row["topics"] or [] if t in WORDS]) for row in table]
    kept = [(row, found[0]) for row, found in kept if len(found) == 1]
    texts = [f"{row['title'] or ''}\n{row['text'] or ''}" for row, _ in kept]
    corpus = Corpus.from_texts(texts, min_df=5, max_df=0.5, keep_texts=False)
    words = [str(word) for word in corpus.vocabulary]
    place = {word: j for j, word in enumerate(words)}
    columns = {k: np.array([place[w] for w in WORDS[name] if w in place]) for k, name in enumerate(names)}
    labels = np.array([names.index(label) for _, label in kept])
    return Newsgroups(sp.csr_matrix(corpus.counts), labels, words, columns, names)


def main():
    warnings.simplefilter("ignore")
    data = reuters()
    print(f"{len(data.labels):,} documents of Reuters, {len(data.words):,} words, {len(WORDS)} topics by five words\n")
    print("| `spread` | accuracy | mean AUC | least AUC |\n|---|---|---|---|")
    settings = {"none": None} | {f"strength {s:g}, power {p:g}": (s, p) for s in STRENGTHS for p in POWERS}
    for name, setting in settings.items():
        guide = guide_of(data)
        if setting is not None:
            guide = guide.spread(strength=setting[0], power=setting[1])
        found = []
        for seed in SEEDS:
            model = lda(data, N_TOPICS, guide=guide, random_state=seed)
            found.append(scores(model.guided_shares(data.counts), data.labels, len(WORDS)))
        print(f"| {name} | " + " | ".join(f"{value:.3f}" for value in np.mean(found, axis=0)) + " |", flush=True)
    cells = " | ".join(f"{value:.3f}" for value in scores(complement(data, len(WORDS)), data.labels, len(WORDS)))
    print(f"| complement naive Bayes alone | {cells} |")


if __name__ == "__main__":
    main()
