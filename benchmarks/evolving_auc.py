"""Pairs of classes of real streams, ten labelled documents per frame: the default beside logistic regression.

    python -m benchmarks.evolving_auc [--peers] [--all-pairs] [--whole] [kind …]

Both get the same documents, tf-idf weights (document frequencies of the frames so far) and labels; each scores the
unlabelled documents of every frame after it was given the frame and its labels. A figure is the mean over frames of the
area under the ROC curve or of the accuracy, both in percent, or of the log-loss in nats, averaged over seeds. Frames
are the first 24 months in which both classes occur, with at most 150 documents drawn of each; streams whose dates are
bunched are cut every so many documents. Four pairs of each kind are taken, spread evenly over those that are not in
`CHOSEN_ON` (those in it are taken where there are no others, with an asterisk), or with `--all-pairs` every one. With
`--whole`, all frames and all their documents are used.

What had been seen before: the constants of the order were found outside this project on pairs of the same sources, some
of them perhaps pairs reported here. An earlier default had a prior weight of 0.3 for the smoothed member, chosen on the
pairs in `CHOSEN_ON`; it was removed after it had lost on the pairs reported here (parties most), so this choice between
two values has seen them.

`--peers` adds the paper's three methods (γ best of (0.03, 0.1, 0.3, 1) × (0, 1, 100) on the first forty frames of the
first mail pair, under a seed that is not among those reported: one pair chooses for all, as in the paper), logistic
regression on the last 12 frames, river, label spreading and self-training. In the same way C = 10 was chosen from
(1, 10, 100) for logistic regression, and the rate of river's from (1, 10).

Kinds: mail, git, 20 newsgroups, Reuters, spam, polarity (the label is a topic or an opinion); health, sites, clients,
parties (it is the source, author or client); "health, raw" and "clients, raw" keep web addresses and handles.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.stats import ttest_rel, wilcoxon
from sklearn.metrics import roc_auc_score

from benchmarks.evolving_contenders import Contender, Online, Ours, Refitted, SelfTrained, Spread
from benchmarks.evolving_streams import FramedStream, pairs_of
from benchmarks.measure import print_table
from driftline.evolving import EvolutionaryClassifier, ManifoldClassifier, TwoFrameClassifier

SEEDS = range(3)
LABELS = 10
MOST = 150
FRAMES = 24
PAIRS = 4
TOPICS = ("mail", "git", "20 newsgroups", "Reuters", "spam", "polarity")
SOURCES = ("health", "health, raw", "sites", "clients", "clients, raw", "parties")
CHOSEN_ON = {
    "mail": (0, 2),
    "git": (1,),
    "health": (0, 2),
    "health, raw": (1,),
    "20 newsgroups": (0, 2),
    "Reuters": (1,),
    "spam": (0,),
    "clients": (0, 2),
    "clients, raw": (1,),
    "sites": (0, 2),
    "parties": (1,),
}
"""Numbers of the pairs on which an earlier default had been tuned (a prior weight of smoothed members, now removed)."""
DEFAULT = "default"
REGRESSION = "LR, all labels"
TOLERANCE = 0.5
"""Number of points by which no pair should be worse than logistic regression."""
RARE = 0.3
"""A class with a smaller share of the documents than this is rare."""
SPANS = [(0, 1), (1, 2), (2, 3), (3, 5), (5, 8), (8, 12), (12, 16), (16, 24), (24, 48), (48, 96)]

CONTENDERS: dict[str, Callable[[], Contender]] = {
    DEFAULT: lambda: Ours(EvolutionaryClassifier(n_jobs=1), 2),
    REGRESSION: lambda: Refitted(2, 10.0),
}
PEERS: dict[str, Callable[[], Contender]] = {
    "paper": lambda: Ours(EvolutionaryClassifier("paper", gamma_a=1.0, gamma_i=1.0, n_jobs=1), 2),
    "two-frame": lambda: Ours(TwoFrameClassifier(gamma_a=0.03, gamma_i=100.0, n_jobs=1), 2),
    "single-frame": lambda: Ours(ManifoldClassifier(gamma_a=0.03, gamma_i=100.0, n_jobs=1), 2),
    "LR, 12 frames": lambda: Refitted(2, 10.0, last=12),
    "river": lambda: Online(2, 1.0),
    "LabelSpreading": lambda: Spread(2),
    "SelfTraining": lambda: SelfTrained(2, 10.0),
}


def measures(stream: FramedStream, contender: Contender, seed: int) -> np.ndarray:
    """Return AUC, accuracy and log-loss of every frame, NaN where they are not defined."""
    rng = np.random.default_rng(seed)
    found = []
    for rows in stream.frames:
        codes = np.full(len(rows), -1)
        if len(rows) > 1:
            labelled = stream.labelled(rows, LABELS, rng)
            codes[labelled - rows[0]] = stream.codes[labelled]
        found.append(quality(contender.step(stream.counts[rows], codes)[codes < 0], stream.codes[rows][codes < 0]))
    return np.array(found)


def quality(probabilities: np.ndarray, truth: np.ndarray) -> tuple[float, float, float]:
    """Return AUC (the mean over classes against the rest, by their shares), accuracy and log-loss."""
    if not len(truth):
        return np.nan, np.nan, np.nan
    sizes = np.bincount(truth, minlength=probabilities.shape[1])
    sides = [c for c in np.flatnonzero(sizes) if sizes[c] < len(truth)]
    areas = [roc_auc_score(truth == c, probabilities[:, c]) for c in sides]
    area = 100 * float(np.average(areas, weights=sizes[sides])) if sides else np.nan
    own = np.maximum(probabilities[np.arange(len(truth)), truth], 1e-6)
    return area, 100 * float(np.mean(probabilities.argmax(axis=1) == truth)), float(-np.log(own).mean())


def compare(ours: np.ndarray, theirs: np.ndarray) -> list[Any]:
    """Return the mean difference, the range, pairs won and lost (t over seeds), and p over pairs × seeds (Wilcoxon)."""
    difference = ours - theirs
    means = difference.mean(axis=1)
    sure = np.array([ttest_rel(a, b).pvalue < 0.05 if np.ptp(a - b) else a[0] != b[0] for a, b in zip(ours, theirs)])
    p = wilcoxon(difference.ravel()).pvalue if difference.any() else 1.0
    won, lost = (f"{int(w.sum())} ({int((w & sure).sum())})" for w in (means > 0, means < 0))
    beyond = int((means < -TOLERANCE).sum())
    return [f"{means.mean():+.2f}", f"{means.min():+.2f} … {means.max():+.2f}", won, lost, beyond, f"{p:.1g}"]


def every_pair_of(title: str, names: Sequence[str], table: np.ndarray, who: Sequence[str]) -> None:
    """Print the pairs of one kind of stream; `table` is contenders × pairs × seeds × measures."""
    rows = []
    for i, name in enumerate([*names, "**mean**"]):
        part = table[:, i] if i < len(names) else table.mean(axis=1)
        area, right, loss = part.mean(axis=1).T
        rows.append([name, *(f"{v:.1f}" for v in area), *(f"{v:.1f}" for v in right), *(f"{v:.3f}" for v in loss)])
    headings = [f"{measure}, {name}" for measure in ("AUC", "accuracy", "log-loss") for name in who]
    print_table(f"## {title}: means over frames and {len(SEEDS)} seeds", ["pair", *headings], rows)


def comparisons(title: str, table: np.ndarray, who: Sequence[str]) -> None:
    """Print the default against each other contender, over all pairs of the table."""
    headings = ["against", "measure", "mean difference", "least … most", "pairs won", "pairs lost"]
    print_table(
        f"{title}: the default against each; in brackets, pairs with p < 5 % (t-test over seeds)",
        [*headings, f"worse by more than {TOLERANCE}", "p, pairs × seeds (Wilcoxon)"],
        [
            [name, measure, *compare(table[0, ..., m], table[who.index(name), ..., m])]
            for name in who[1:]
            for m, measure in enumerate(("AUC", "accuracy"))
        ],
    )


def by_frame(title: str, curves: dict[str, list[np.ndarray]]) -> None:
    """Print the mean AUC of the first frames, over pairs and seeds (figure 2 of the paper)."""
    longest = max(len(curve) for curve in curves[DEFAULT])
    rows = []
    for name, of_pairs in curves.items():
        padded = np.full((len(of_pairs), longest), np.nan)
        for line, curve in zip(padded, of_pairs):
            line[: len(curve)] = curve[:, 0]
        rows.append([name, *(f"{np.nanmean(padded[:, a:b]):.1f}" for a, b in SPANS if a < longest)])
    headings = [f"{a + 1}" if b == a + 1 else f"{a + 1}–{min(b, longest)}" for a, b in SPANS if a < longest]
    print_table(f"{title}: AUC by the number of the frame", ["frames", *headings], rows)


def some_pairs(kind: str, most: int, *, every_pair: bool) -> list[FramedStream]:
    """Return the pairs of a kind, or some of them; the name says the share of a rare class, and what was chosen on."""
    chosen_on = CHOSEN_ON.get(kind, ())
    streams = [_named(stream, chosen=i in chosen_on) for i, stream in enumerate(pairs_of(kind, most))]
    fresh = [stream for i, stream in enumerate(streams) if i not in chosen_on] or streams
    if every_pair or len(fresh) <= PAIRS:
        return streams if every_pair else fresh
    return [fresh[i] for i in np.linspace(0, len(fresh) - 1, PAIRS).astype(int)]


def _named(stream: FramedStream, *, chosen: bool) -> FramedStream:
    share = np.bincount(stream.codes).min() / len(stream.codes)
    rare = f" ({100 * share:.0f} %)" if share < RARE else ""
    return stream._replace(name=f"{stream.name}{rare}{'*' if chosen else ''}")


def run(kind: str, contenders: dict[str, Callable[[], Contender]], *, whole: bool, every_pair: bool) -> np.ndarray:
    """Run and print one kind of stream; return contenders × pairs × seeds × measures."""
    most, n_frames = (sys.maxsize, None) if whole else (MOST, FRAMES)
    names: list[str] = []
    found: list[list[list[np.ndarray]]] = [[] for _ in contenders]
    curves: dict[str, list[np.ndarray]] = {name: [] for name in contenders}
    for stream in some_pairs(kind, most, every_pair=every_pair):
        stream = stream._replace(frames=stream.frames[:n_frames])
        names.append(stream.name)
        for place, (name, make) in enumerate(contenders.items()):
            of_seeds = [measures(stream, make(), seed) for seed in SEEDS]
            curves[name] += of_seeds
            found[place].append([np.nanmean(one, axis=0) for one in of_seeds])
        print(
            f"{stream.name}: {[np.mean(f[-1], axis=0).round(2).tolist() for f in found]}", file=sys.stderr, flush=True
        )
    title = f"{kind}, whole" if whole else kind
    every_pair_of(title, names, np.array(found), list(contenders))
    comparisons(title, np.array(found), list(contenders))
    by_frame(title, curves)
    return np.array(found)


def main() -> None:
    """Print the tables of the kinds named, or of all, and then all pairs together."""
    warnings.simplefilter("ignore")
    options = {"--peers", "--all-pairs", "--whole"} & set(sys.argv[1:])
    kinds = [name for name in sys.argv[1:] if name not in options] or [*TOPICS, *SOURCES]
    contenders = {**CONTENDERS, **(PEERS if "--peers" in options else {})}
    found = {
        kind: run(kind, contenders, whole="--whole" in options, every_pair="--all-pairs" in options) for kind in kinds
    }
    for title, group in (("label = topic or opinion", TOPICS), ("label = source, author or client", SOURCES)):
        parts = [found[kind] for kind in group if kind in found]
        if parts:
            table = np.concatenate(parts, axis=1)
            comparisons(f"## {title}, {table.shape[1]} pairs", table, list(contenders))


if __name__ == "__main__":
    main()
