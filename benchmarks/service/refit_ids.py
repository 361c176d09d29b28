"""Which topics keep their ids in a refit, where the themes behind them are known.

    python -m benchmarks.service.refit_ids [--seeds 3] [--documents 12000]

Stories of the simulated newswire have one of six themes. Topics learn them as they arrive, and are then fitted again,
as the service does, and from a random start, as before. On stories that neither has seen, a topic has a clear theme if
at least 80 % of the stories of which it is the main topic have it. A topic with a clear theme that persists must keep
its id; an id with two clear themes that differ, before and after, is wrong.

- all themes all the time;
- "health" begins when two thirds of the stories have come;
- refitted to other news: "politics" and "sport" are over, "health" and "technology" have begun, and the topics have not
  learned these yet.

In each, a number of words per story may come once only. The score is the mean log-likelihood of a word of unseen
stories, less that of the topics before the refit.
"""

from __future__ import annotations

import argparse
import itertools
import unittest.mock
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Floats, Ints
from driftline.datasets.newswire import TOPICS, simulate_newswire
from driftline.inference.pairs import Pairs
from driftline.service.learning.learner import Learner, counts_matrix
from driftline.service.refit_child import fit_again
from driftline.topics.resident import ResidentLDA

CLEAR = 0.8
UNSEEN = 2_000
ENDED, BEGUN = ("politics", "sport"), ("health", "technology")
WORLDS = ("all themes all the time", "a theme begins", "other news")


class Stories(NamedTuple):
    """Texts and their themes."""

    texts: list[str]
    themes: np.ndarray

    def take(self, rows: Ints) -> Stories:
        """Return some of them."""
        return Stories([self.texts[row] for row in rows], self.themes[rows])


class World(NamedTuple):
    """What is learned, what is fitted again, and unseen stories of the time before and after."""

    learned: Stories
    fitted: Stories
    before: Stories
    after: Stories
    persisting: tuple[str, ...]


def world_of(kind: str, n: int, new_words: int, seed: int) -> World:
    """Return a stream of some kind."""
    wire = simulate_newswire(n + 3 * UNSEEN, random_state=seed, drift=0.0)
    texts = [text + "".join(f" w{place:x}n{k}" for k in range(new_words)) for place, text in enumerate(wire.texts)]
    all_, place = Stories(texts, wire.true_labels), np.arange(n + 3 * UNSEEN)
    seen, unseen = place[:n], all_.take(place[n:])
    if kind == WORLDS[0]:
        learned = all_.take(seen)
        return World(learned, learned, unseen, unseen, TOPICS)
    if kind == WORLDS[1]:
        learned = all_.take(seen[(all_.themes[:n] != "health") | (seen >= 2 * n // 3)])
        return World(learned, learned, unseen, unseen, TOPICS)
    early = ~np.isin(all_.themes, BEGUN)
    late = ~np.isin(all_.themes, ENDED)
    old, new = all_.take(seen[early[:n] & (seen < n // 2)]), all_.take(seen[late[:n] & (seen >= n // 2)])
    before, after = (all_.take(place[n:][kept[n:]]) for kept in (early, late))
    return World(old, new, before, after, tuple(t for t in TOPICS if t not in (*ENDED, *BEGUN)))


def parts(texts: list[str], size: int) -> Iterator[list[str]]:
    """Cut a list."""
    return (texts[start : start + size] for start in range(0, len(texts), size))


def learned(stories: Stories, n_topics: int) -> Learner:
    """Return models that have learned stories in batches of 500."""
    learner = Learner(n_topics)
    for number, part in enumerate(parts(stories.texts, 500)):
        learner.learn(part, np.arange(len(part)) * 1_000_000 + number * 500_000_000)
    return learner


def judged(learner: Learner, stories: Stories) -> tuple[dict[int, str], float]:
    """Return the clear themes of topics, by id, and the score of unseen stories."""
    assert learner.topics is not None
    copy = Learner.of_bytes(learner.to_bytes())
    n_words = copy.words.n_slots
    X = counts_matrix(copy.words.count(stories.texts).pairs, copy.words.n_slots)[:, :n_words].tocsr()
    assert copy.topics is not None
    found = copy.topics.learn(Pairs.of(X), n_words)
    main = np.asarray(learner.ids)[found.shares.argmax(axis=1)]
    clear = {}
    for topic in learner.ids.tolist():
        themes, counts = np.unique(stories.themes[main == topic], return_counts=True)
        if len(counts) and counts.max() >= CLEAR * counts.sum():
            clear[topic] = str(themes[counts.argmax()])
    return clear, found.log_likelihood / found.n_words


def from_chance(old: ResidentLDA, X: sp.csr_matrix, *, random_state: int) -> ResidentLDA:
    """Fit without regard to the topics before."""
    return ResidentLDA.fitted(X, old.n_topics, random_state=random_state)


class Row(NamedTuple):
    """Outcome of one refit for its topics."""

    persisting: int
    kept: int
    kept_clear: int
    wrong: int
    all_kept: int
    gain: float


def tried(world: World, n_topics: int, seed: int, *, by_chance: bool) -> Row:
    """Learn, refit, and compare with the truth."""
    learner = learned(world.learned, n_topics)
    before, _ = judged(learner, world.before)
    _, score = judged(learner, world.after)
    old = set(learner.ids.tolist())
    with unittest.mock.patch.object(ResidentLDA, "refitted", from_chance if by_chance else ResidentLDA.refitted):
        fit_again(learner, parts(world.fitted.texts, 5_000), seed)
    after, new_score = judged(learner, world.after)
    must = [topic for topic, theme in before.items() if theme in world.persisting]
    return Row(
        len(must),
        sum(topic in learner.ids for topic in must),
        sum(after.get(topic) == before[topic] for topic in must),
        sum(after[topic] != before[topic] for topic in before if topic in after),
        len(old & set(learner.ids.tolist())),
        new_score - score,
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--documents", type=int, default=12_000)
    options = parser.parse_args()
    print(
        f"{options.documents:,} stories, sums over {options.seeds} seeds.\n\n"
        "| stream | topics | new words per story | refit | clear and persisting | of these, id kept "
        "| and still clear | ids with another theme | ids kept of all | gain of the score |\n"
        "|---|--:|--:|---|--:|--:|--:|--:|--:|--:|"
    )
    for kind, n_topics, new_words in itertools.product(WORLDS, (6, 20), (0, 5)):
        for by_chance in (False, True):
            rows = [
                tried(world_of(kind, options.documents, new_words, seed), n_topics, seed, by_chance=by_chance)
                for seed in range(1, options.seeds + 1)
            ]
            sums: Floats = np.array(rows).sum(axis=0)
            print(
                f"| {kind} | {n_topics} | {new_words} | {'from chance' if by_chance else 'continued'} | {sums[0]:.0f} "
                f"| {sums[1]:.0f} | {sums[2]:.0f} | {sums[3]:.0f} | {sums[4]:.0f} of {n_topics * len(rows)} "
                f"| {sums[5] / len(rows):+.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
