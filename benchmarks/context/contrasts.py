"""Words in which brands differ within topics: `contrasts` against the published mixture, on halves of laptop reviews.

Reviews of four brands are divided into random halves. A method names words of a brand in a topic in the first half; a
word is right if its share of the topic is higher for that brand than for the others in the second half, too (for words
that a brand lacks: lower). Then the same with brands shuffled, where every named word is false. The mixture
(`ComparativeTopics`, as published) names the ten words of each view that exceed the common topic most, for five topics.
`contrasts` names what is significant, by its permutation null, or by a normal one. The simple rival is the log ratio of
all words without topics, with a normal null and the same limits. `ABC` compares headlines before and after 12 April
2003 in the same way, with days as units. The lower bound of the variance (3) was chosen on the first split of the
laptops; everything else was fixed before the run.

    python -m benchmarks.context.contrasts [laptops | abc]
"""

from __future__ import annotations

import sys

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp
from scipy.stats import false_discovery_control, norm

from benchmarks.measure import print_table, real_data
from driftline.core.arrays import Ints
from driftline.streams.units import Units, units_of
from driftline.text import count_words
from driftline.text.stopwords import stop_words_of
from driftline.topics import LDA, ComparativeTopics, contrasts
from driftline.topics.contexts.contrasts import _expected_uses, _log_ratios

N_TOPICS, N_WORDS, SPLITS = 5, 10, range(4)


def read(name: str) -> tuple[sp.csr_array, list[str], dict[str, np.ndarray]]:
    """Return counts without stop words, words, and the other columns."""
    table = pq.read_table(real_data(name))
    counts, vocabulary = count_words(table["text"].to_pylist(), min_df=5, max_df=0.5)
    words = np.array([str(word) for word in vocabulary.words])
    kept = np.flatnonzero(~np.isin(words, sorted(stop_words_of("en"))))
    columns = {each: table[each].to_numpy(zero_copy_only=False) for each in table.column_names if each != "text"}
    return sp.csr_array(counts)[:, kept].astype(float), words[kept].tolist(), columns


class Signs:
    """The direction of every word in the second half, given topics."""

    def __init__(self, model, X, groups: Ints, units: Units) -> None:
        self.uses = [(uses, np.asarray(uses.sum(axis=1)).ravel()) for _, uses in _expected_uses(model, X)]
        self.groups, self.units = groups, units

    def of(self, topic: int, group: int) -> np.ndarray:
        uses, total = self.uses[topic]
        inside = self.groups == group
        return _log_ratios(uses, total, self.units, inside, ~inside, 1e-6).log_ratio


def by_mixture(X, groups: Ints, seed: int):
    model = ComparativeTopics(N_TOPICS, random_state=seed).fit(X, groups)
    named = [
        (topic, group, int(word), 1)
        for group, topics in model.own_words(N_WORDS).items()
        for topic, words in enumerate(topics)
        for word in words
    ]
    return model, named


def by_contrasts(X, groups: Ints, unit, seed: int):
    model = LDA(N_TOPICS, random_state=seed).fit(X)
    found = contrasts(model, X, between=groups, unit=unit, random_state=seed)
    named = [(t, int(g), int(w), int(np.sign(r))) for t, g, w, r in found.significant()]
    return model, named, found


def by_normal_null(found) -> list[tuple[int, int, int, int]]:
    """Name words by the same z and a normal null."""
    q = false_discovery_control(2 * norm.sf(np.abs(found.log_ratio) / found.error))
    rows = np.flatnonzero(q <= 0.05)
    return [
        (int(found.topic[i]), int(found.group[i]), int(found.columns[i]), int(np.sign(found.log_ratio[i])))
        for i in rows
    ]


class OneTopic:
    """All words in one topic: what a comparison without topics sees."""

    def __init__(self, X) -> None:
        self.components_ = np.asarray(X.sum(axis=0) + 1e-9).reshape(1, -1)
        self.components_ = self.components_ / self.components_.sum()

    def transform(self, X) -> np.ndarray:
        return np.ones((X.shape[0], 1))


def measured(X, groups: Ints, unit: Ints, seed: int) -> dict[str, tuple[int, float]]:
    """Return how many words each method names in the first half, and the share that is right in the second."""
    rng = np.random.default_rng(seed)
    first = np.isin(unit, rng.permutation(np.unique(unit))[: len(np.unique(unit)) // 2])
    rows, others = np.flatnonzero(first), np.flatnonzero(~first)
    units = units_of(None, unit=unit[others], n=len(others))
    results: dict[str, tuple[int, float]] = {}

    def add(name: str, model, named) -> None:
        signs = Signs(model, X[others], groups[others], units)
        right = [np.sign(signs.of(t, g)[w]) == sign for t, g, w, sign in named]
        results[name] = (len(named), float(np.mean(right)) if right else float("nan"))

    add("mixture as published", *by_mixture(X[rows], groups[rows], seed))
    model, named, found = by_contrasts(X[rows], groups[rows], unit[rows], seed)
    add("`contrasts`", model, named)
    add("`contrasts`, normal null", model, by_normal_null(found))
    whole = OneTopic(X[rows])
    plain = contrasts(whole, X[rows], between=groups[rows], unit=unit[rows], random_state=seed)
    add("words without topics, normal null", whole, by_normal_null(plain))
    return results


def compare(title: str, X, groups: Ints, unit: Ints) -> None:
    """Print the table for true and for shuffled groups."""
    rows = []
    for case in ("true", "shuffled"):
        found: dict[str, list[tuple[int, float]]] = {}
        for seed in SPLITS:
            dealt = groups
            if case == "shuffled":
                names, where = np.unique(unit, return_index=True)
                by_unit = np.random.default_rng(100 + seed).permutation(groups[where])
                dealt = by_unit[np.searchsorted(names, unit)]
            for name, result in measured(X, dealt, unit, seed).items():
                found.setdefault(name, []).append(result)
        for name, results in found.items():
            numbers = ", ".join(str(n) for n, _ in results)
            right = ", ".join("–" if np.isnan(share) else f"{share:.0%}" for _, share in results)
            rows.append([case, name, numbers, right])
    print_table(title, ["groups", "method", "words named, 4 splits", "right in the other half"], rows)


def laptops() -> None:
    X, _, columns = read("laptop_reviews")
    groups = np.unique(columns["label"].astype(str), return_inverse=True)[1]
    compare(f"Laptop reviews: {X.shape[0]} reviews, {X.shape[1]} words, 4 brands", X, groups, np.arange(X.shape[0]))


def abc() -> None:
    X, _, columns = read("abc_headlines_2003")
    day = columns["time"].astype("datetime64[D]")
    groups = (day >= np.datetime64("2003-04-12")).astype(np.int64)
    unit = np.unique(day, return_inverse=True)[1]
    compare(f"ABC headlines: {X.shape[0]}, {X.shape[1]} words, before and after 12 April", X, groups, unit)


def main() -> None:
    print(__doc__)
    parts = {"laptops": laptops, "abc": abc}
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()
