"""One correction, and what it changes: topics after a refit with an additional topic, warm and cold.

LDA with 20 topics on a sixth of the 20 newsgroups. Then a topic, such as medicine, is wished by five words. An old
topic has stayed if the cosine with a topic after the correction is above 0.9: with the topic of the same number (warm),
or with the best match (cold); an old topic that the wish names is not counted. Five groups are wished in turn, each
with three seeds. "As suggested" follows the report of the refit: if an old topic already has most uses of the words,
that one is named by its number instead of learning a new one. Settings were fixed beforehand.

    python -m benchmarks.guidance.refits
"""

from __future__ import annotations

import copy
import re
import warnings

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import roc_auc_score

from benchmarks.guidance.newsgroups import newsgroups
from driftline.guidance import Guide
from driftline.topics import LDA

SEEDS = (0, 1, 2)
WISHED = (13, 14, 10, 17, 8)
"""Groups whose topic is wished: medicine, space, hockey, the Middle East, motorcycles."""


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def stayed(before, after, *, matched):
    """Return the cosine of every old topic with what it became."""
    cosines = unit(before) @ unit(after).T
    if not matched:
        return np.diag(cosines)
    rows, columns = linear_sum_assignment(-cosines)
    return cosines[rows, columns]


def suggested(model):
    """Return the number of the old topic that the report suggests naming instead, or None."""
    notes = " ".join(note for wish in model.guide_report_ for note in wish.notes)
    found = re.search(r"number=(\d+)", notes)
    return None if found is None else int(found[1])


def main():
    warnings.simplefilter("ignore")
    data = newsgroups(1 / 6)
    results, best, suggestions = {}, [], []
    for seed in SEEDS:
        options = {"vocabulary": data.words, "random_state": seed}
        old = LDA(20, **options).fit(data.counts)
        shares = old.transform(data.counts)
        for group in WISHED:
            words = [data.words[j] for j in data.columns[group]]
            guide = Guide().topic("wished", words)
            other = {**options, "random_state": seed + 100}
            runs = {
                "cold, another seed": LDA(21, guide=guide, **other).fit(data.counts),
                "cold, the same seed": LDA(21, guide=guide, **options).fit(data.counts),
                "warm": copy.deepcopy(old).refit(data.counts, guide=guide),
                "warm, old counts as a prior": copy.deepcopy(old).refit(
                    data.counts, guide=Guide().keep(old, range(20)).topic("wished", words)
                ),
            }
            number = suggested(runs["warm"])
            suggestions.append(number is not None)
            runs["warm, as suggested"] = copy.deepcopy(old).refit(
                data.counts, guide=Guide().topic("wished", words, number=number)
            )
            for name, model in runs.items():
                own = model.topic_names_.index("wished")
                cosines = stayed(old.components_, model.components_, matched=name.startswith("cold"))
                cosines = np.delete(cosines, own) if own < 20 and not name.startswith("cold") else cosines
                auc = roc_auc_score(data.labels == group, model.transform(data.counts)[:, own])
                results.setdefault(name, []).append(((cosines > 0.9).mean(), np.median(cosines), auc))
            best.append(max(roc_auc_score(data.labels == group, column) for column in shares.T))
    print(f"{len(data.labels):,} documents, 20 topics, one topic wished; {len(WISHED)} wishes, {len(SEEDS)} seeds\n")
    print("| refit | old topics with cosine > 0.9 | median cosine | AUC of the wished topic |")
    print("|---|---|---|---|")
    for name, found in results.items():
        share, median, auc = np.mean(found, axis=0)
        print(f"| {name} | {share:.0%} | {median:.3f} | {auc:.3f} |")
    print(f"\nThe report suggests an old topic in {sum(suggestions)} of {len(suggestions)} refits.")
    print(f"Best AUC of an old topic, without any wish: {np.mean(best):.3f}")


if __name__ == "__main__":
    main()
