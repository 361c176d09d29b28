"""Pairs of classes of real streams, ten labelled documents per frame: the default beside logistic regression.

    python -m benchmarks.evolving.auc [--peers] [--whole] [--few-frames] [kind …]

Both get the same documents, tf-idf weights (document frequencies of the frames so far) and labels; each scores the
unlabelled documents of every frame after it was given the frame and its labels. A figure is the mean over frames of the
area under the ROC curve or of the accuracy, both in percent, or of the log-loss in nats, averaged over seeds. Frames
are the first 24 months in which both classes occur, with at most 150 documents drawn of each; streams whose dates are
clustered are divided every fixed number of documents. With `--whole`, all frames and all their documents are used.
There are three seeds, ten where frames are small (`SEEDS_OF`), and thirty where a stream has fewer than twelve frames:
over so few, three draws of labels differ by chance by more than the tolerance. With `--few-frames`, only those streams
are run.

Kinds: mail, git, 20 newsgroups, Reuters, spam, polarity (the label is a topic or an opinion); health, sites, clients,
parties (it is the source, author or client); "health, raw" and "clients, raw" keep web addresses and handles; replies,
places, folders, authors.

Some streams had been used before: the constants of the order were found outside this project on pairs of the same
sources. The required signal, and its constants, were chosen on all pairs of the first two groups. Nothing was chosen on
those in `FRESH`, which were run once.

`--peers` adds the paper's three methods (γ best of (0.03, 0.1, 0.3, 1) × (0, 1, 100) on the first forty frames of the
first mail pair, under a seed that is not among those reported: one pair chooses for all, as in the paper), logistic
regression on the last 12 frames, river, label spreading and self-training. In the same way C = 10 was chosen from
(1, 10, 100) for logistic regression, and the rate of river's from (1, 10).
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.stats import ttest_1samp, wilcoxon
from sklearn.metrics import roc_auc_score

from benchmarks.evolving.contenders import Contender, Online, Ours, Refitted, SelfTrained, Spread
from benchmarks.evolving.streams import FramedStream, pairs_of
from benchmarks.measure import print_table
from driftline.evolving import EvolutionaryClassifier, ManifoldClassifier, TwoFrameClassifier

SEEDS = range(3)
LABELS = 10
MOST = 150
FRAMES = 24
TOPICS = ("mail", "git", "20 newsgroups", "Reuters", "spam", "polarity")
SOURCES = ("health", "health, raw", "sites", "clients", "clients, raw", "parties")
FRESH = ("replies", "places", "folders", "authors")
"""Kinds of stream on which nothing was chosen."""
SEEDS_OF = {"parties": range(10), "folders": range(10), "polarity": range(10)}
FEW_FRAMES = 12
SEEDS_OF_FEW_FRAMES = range(30)
DEFAULT = "default"
REGRESSION = "LR, all labels"
DRAW = 0.05
"""Number of points up to which two contenders are said to draw."""
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


Table = list[np.ndarray]
"""For every pair: contenders × seeds × measures."""


Draw = Callable[[np.ndarray, np.random.Generator], np.ndarray]
"""A function from the rows of a frame to those of them that are labelled."""


def measures(stream: FramedStream, contender: Contender, seed: int, draw: Draw | None = None) -> np.ndarray:
    """Return AUC, accuracy and log-loss on the unlabelled documents of every frame, NaN where they are not defined."""
    rng = np.random.default_rng(seed)
    found = []
    for rows in stream.frames:
        codes = np.full(len(rows), -1)
        if len(rows) > 1:
            labelled = stream.labelled(rows, LABELS, rng) if draw is None else draw(rows, rng)
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


def compare(ours: Sequence[np.ndarray], theirs: Sequence[np.ndarray]) -> list[Any]:
    """Return the mean difference, the range, pairs won, drawn and lost (t over seeds), and p over pairs (Wilcoxon)."""
    differences = [a - b for a, b in zip(ours, theirs)]
    means = np.array([each.mean() for each in differences])
    sure = np.array([ttest_1samp(each, 0.0).pvalue < 0.05 if np.ptp(each) else each[0] != 0 for each in differences])
    p = wilcoxon(means).pvalue if means.any() else 1.0
    drawn = np.abs(means) < DRAW
    won, lost = (f"{int(w.sum())} ({int((w & sure).sum())})" for w in (~drawn & (means > 0), ~drawn & (means < 0)))
    middle, ends = f"{means.mean():+.2f}", f"{means.min():+.2f} … {means.max():+.2f}"
    return [middle, ends, won, int(drawn.sum()), lost, int((means < -TOLERANCE).sum()), f"{p:.1g}"]


def every_pair_of(title: str, names: Sequence[str], table: Table, who: Sequence[str]) -> None:
    """Print the pairs of one kind of stream."""
    rows = []
    means = [part.mean(axis=1) for part in table]
    n_seeds = [part.shape[1] for part in table]
    for name, seeds, part in zip([*names, "**mean**"], [*n_seeds, ""], [*means, np.mean(means, axis=0)]):
        area, right, loss = part.T
        values = [*(f"{v:.1f}" for v in area), *(f"{v:.1f}" for v in right), *(f"{v:.3f}" for v in loss)]
        rows.append([name, seeds, *values])
    headings = [f"{measure}, {name}" for measure in ("AUC", "accuracy", "log-loss") for name in who]
    print_table(f"## {title}: means over frames and seeds", ["pair", "seeds", *headings], rows)


def comparisons(title: str, table: Table, who: Sequence[str]) -> None:
    """Print the default against each other contender, over all pairs of the table."""
    headings = ["against", "measure", "mean difference", "least … most", "pairs won"]
    headings += [f"drawn (within {DRAW})", "pairs lost"]
    print_table(
        f"{title}: the default against each; in brackets, pairs with p < 5 % (t-test over seeds)",
        [*headings, f"worse by more than {TOLERANCE}", "p over pairs (Wilcoxon)"],
        [
            [name, measure, *compare([one[0, :, m] for one in table], [one[who.index(name), :, m] for one in table])]
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


def beyond(title: str, names: Sequence[str], table: Table, who: Sequence[str]) -> None:
    """Print the pairs on which the default is worse than logistic regression by more than the tolerance."""
    rows = []
    for name, part in zip(names, table):
        difference = part[0] - part[who.index(REGRESSION)]
        for m, measure in enumerate(("AUC", "accuracy")):
            each = difference[:, m]
            if each.mean() < -TOLERANCE:
                error = each.std(ddof=1) / np.sqrt(len(each))
                rows.append([name, measure, f"{each.mean():+.2f}", f"{error:.2f}", len(each)])
    found = f"{title}: pairs worse than logistic regression by more than {TOLERANCE}"
    if rows:
        print_table(found, ["pair", "measure", "mean difference", "standard error over seeds", "seeds"], rows)
    else:
        print(f"\n{found}: none")


def _named(stream: FramedStream) -> FramedStream:
    share = np.bincount(stream.codes).min() / len(stream.codes)
    rare = f" ({100 * share:.0f} %)" if share < RARE else ""
    return stream._replace(name=f"{stream.name}{rare}")


def seeds_of(kind: str, stream: FramedStream) -> range:
    """Return the seeds under which documents are drawn for labelling."""
    return SEEDS_OF_FEW_FRAMES if len(stream.frames) < FEW_FRAMES else SEEDS_OF.get(kind, SEEDS)


def run(
    kind: str, contenders: dict[str, Callable[[], Contender]], *, whole: bool, few_frames: bool
) -> tuple[list[str], Table]:
    """Run and print one kind of stream; return the names of the pairs, and what was measured."""
    most, n_frames = (sys.maxsize, None) if whole else (MOST, FRAMES)
    names: list[str] = []
    found: Table = []
    curves: dict[str, list[np.ndarray]] = {name: [] for name in contenders}
    for stream in map(_named, pairs_of(kind, most)):
        stream = stream._replace(frames=stream.frames[:n_frames])
        if few_frames and len(stream.frames) >= FEW_FRAMES:
            continue
        names.append(stream.name)
        of_contenders = []
        for name, make in contenders.items():
            of_seeds = [measures(stream, make(), seed) for seed in seeds_of(kind, stream)]
            curves[name] += of_seeds
            of_contenders.append([np.nanmean(one, axis=0) for one in of_seeds])
        found.append(np.array(of_contenders))
        print(f"{stream.name}: {found[-1].mean(axis=1).round(2).tolist()}", file=sys.stderr, flush=True)
    if not found:
        return names, found
    title = f"{kind}, whole" if whole else kind
    every_pair_of(title, names, found, list(contenders))
    comparisons(title, found, list(contenders))
    beyond(title, names, found, list(contenders))
    by_frame(title, curves)
    return names, found


def main() -> None:
    """Print the tables of the kinds named, or of all, and then all pairs together."""
    warnings.simplefilter("ignore")
    options = {"--peers", "--whole", "--few-frames"} & set(sys.argv[1:])
    kinds = [name for name in sys.argv[1:] if name not in options] or [*TOPICS, *SOURCES, *FRESH]
    contenders = {**CONTENDERS, **(PEERS if "--peers" in options else {})}
    whole, few_frames = "--whole" in options, "--few-frames" in options
    found = {kind: run(kind, contenders, whole=whole, few_frames=few_frames) for kind in kinds}
    groups = {
        "label = topic or opinion": TOPICS,
        "label = source, author or client": SOURCES,
        "not used for choices": FRESH,
    }
    for title, group in groups.items():
        table = [part for kind in group if kind in found for part in found[kind][1]]
        if table:
            comparisons(f"## {title}, {len(table)} pairs", table, list(contenders))


if __name__ == "__main__":
    main()
