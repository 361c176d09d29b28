"""Words together and apart: overlap of their topics, and what that costs in likelihood.

LDA with 40 topics on the 20 newsgroups. Six pairs of words that mean the same are wished together, five pairs apart.
The overlap of two words is Σ_k min(p(k|a), p(k|b)). Means of three seeds; settings were fixed beforehand.

    python -m benchmarks.guidance.pairs
"""

from __future__ import annotations

import warnings

import numpy as np

from benchmarks.guidance.newsgroups import newsgroups
from benchmarks.measure import measure
from driftline.guidance import Guide
from driftline.topics import LDA

TOGETHER = (
    ("car", "auto"),
    ("doctor", "physician"),
    ("gun", "firearm"),
    ("disk", "disc"),
    ("bike", "motorcycle"),
    ("church", "churches"),
)
APART = (("hockey", "baseball"), ("mac", "windows"), ("god", "car"), ("space", "gun"), ("israel", "turkish"))
SEEDS = (0, 1, 2)


def overlap(model, data, pairs):
    place = {word: j for j, word in enumerate(data.words)}
    totals = model.topic_counts_.sum(axis=1, keepdims=True)
    profile = (model.components_ * totals).T
    found = []
    for a, b in pairs:
        p, q = (profile[place[word]] / profile[place[word]].sum() for word in (a, b))
        found.append(np.minimum(p, q).sum())
    return float(np.mean(found))


def main():
    warnings.simplefilter("ignore")
    data = newsgroups()
    known = set(data.words)
    together, apart = ([pair for pair in pairs if set(pair) <= known] for pairs in (TOGETHER, APART))
    held = np.random.default_rng(0).permutation(len(data.labels))
    train, test = data.counts[np.sort(held[2000:])], data.counts[np.sort(held[:2000])]
    both = Guide()
    for pair in together:
        both = both.together(*pair)
    only_together, only_apart = both, Guide()
    for pair in apart:
        both, only_apart = both.apart(*pair), only_apart.apart(*pair)
    print(f"{train.shape[0]:,} documents, {len(together)} pairs together, {len(apart)} pairs apart\n")
    print("| wishes | overlap, together | overlap, apart | held-out log-likelihood per word | seconds |")
    print("|---|---|---|---|---|")
    for name, guide in {"none": None, "together": only_together, "apart": only_apart, "both": both}.items():
        found = []
        for seed in SEEDS:
            options = {"guide": guide, "vocabulary": data.words, "random_state": seed}
            model, cost = measure(lambda options=options: LDA(40, **options).fit(train))
            overlaps = [overlap(model, data, pairs) for pairs in (together, apart)]
            found.append((*overlaps, model.score(test), cost.cpu_seconds))
        with_it, without, score, seconds = np.mean(found, axis=0)
        print(f"| {name} | {with_it:.3f} | {without:.3f} | {score:.4f} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
