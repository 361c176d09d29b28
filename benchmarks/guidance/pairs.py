"""Words together and apart: overlap of their topics, and what that costs in likelihood.

LDA with 40 topics on the 20 newsgroups. Six pairs of words that mean the same are wished together, five pairs apart.
The overlap of two words is Σ_k min(p(k|a), p(k|b)). Means of three seeds; settings were fixed beforehand. The weight η
of words together is 10⁴, the default, and 100 in one row. A second
table has a sixth of the documents, learned by the maps of counts (online) and by the complete Dirichlet forest (Gibbs
sampling), with the log-likelihood of the last third of them.

    python -m benchmarks.guidance.pairs [online | gibbs]
"""

from __future__ import annotations

import sys
import warnings
from functools import partial
from unittest.mock import patch

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
WEAKER = 100.0


def overlap(model, data, pairs):
    place = {word: j for j, word in enumerate(data.words)}
    totals = model.topic_counts_.sum(axis=1, keepdims=True)
    profile = (model.components_ * totals).T
    found = []
    for a, b in pairs:
        p, q = (profile[place[word]] / profile[place[word]].sum() for word in (a, b))
        found.append(np.minimum(p, q).sum())
    return float(np.mean(found))


def pairs_of(data):
    """Return the pairs whose words are known, and guides with those together, those apart, and both."""
    known = set(data.words)
    together, apart = ([pair for pair in pairs if set(pair) <= known] for pairs in (TOGETHER, APART))
    both, only_apart = Guide(), Guide()
    for pair in together:
        both = both.together(*pair)
    only_together = both
    for pair in apart:
        both, only_apart = both.apart(*pair), only_apart.apart(*pair)
    return together, apart, {"none": None, "together": only_together, "apart": only_apart, "both": both}


def print_rows(data, train, test, guides, pairs, **options):
    """Print the overlaps, the held-out log-likelihood and the cost of fits."""
    for name, guide in guides.items():
        found = []
        for seed in SEEDS:
            model = LDA(40, guide=guide, vocabulary=data.words, random_state=seed, **options)
            model, cost = measure(partial(model.fit, train))
            scores = (overlap(model, data, pairs[0]), overlap(model, data, pairs[1]), model.score(test))
            found.append((*scores, cost.cpu_seconds))
        a, b, likelihood, seconds = np.mean(found, axis=0)
        print(f"| {name} | {a:.3f} | {b:.3f} | {likelihood:.4f} | {seconds:.1f} |", flush=True)


HEADING = """| wishes | overlap, together | overlap, apart | held-out log-likelihood per word | seconds |
|---|---|---|---|---|"""


def print_weaker(data, train, test, guides, pairs):
    """Print the row of a weaker wish, η = 100."""
    names = ("driftline.guidance.compile.TOGETHER", "driftline.topics.guided.TOGETHER")
    with patch(names[0], WEAKER), patch(names[1], WEAKER):
        print_rows(data, train, test, {f"together, η = {WEAKER:g}": guides["together"]}, pairs)


def print_online():
    data = newsgroups()
    held = np.random.default_rng(0).permutation(len(data.labels))
    train, test = data.counts[np.sort(held[2000:])], data.counts[np.sort(held[:2000])]
    together, apart, guides = pairs_of(data)
    print(f"{train.shape[0]:,} documents, {len(together)} pairs together, {len(apart)} pairs apart\n\n{HEADING}")
    print_rows(data, train, test, guides, (together, apart))
    print_weaker(data, train, test, guides, (together, apart))


def print_sampled():
    data = newsgroups(1 / 6)
    cut = 2 * len(data.labels) // 3
    train, test = data.counts[:cut], data.counts[cut:]
    together, apart, guides = pairs_of(data)
    chosen = {name: guides[name] for name in ("none", "both")}
    print(f"\n{cut:,} documents, {len(together)} pairs together, {len(apart)} pairs apart\n\n{HEADING}")
    for inference in ("online", "gibbs"):
        named = {f"{name}, {inference}": guide for name, guide in chosen.items()}
        print_rows(data, train, test, named, (together, apart), inference=inference)


def main():
    warnings.simplefilter("ignore")
    parts = {"online": print_online, "gibbs": print_sampled}
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()
