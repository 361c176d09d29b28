"""Suggested labels against random ones on real streams, the same number of them, simulated answers.

    python -m benchmarks.evolving.active [stream …]

Every frame is first given without labels; then ten documents are chosen (by `suggest`, ten at a time or five times two,
or at random), their true labels are added, and the frame's unlabelled documents are classified: by the default and by
logistic regression on all labels so far, which gets the same labels. Figures are accuracy and AUC, averaged over frames
and seeds, in percent. Streams are cut short so that a run takes minutes: the first 12 frames of at most 150 documents.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable

import numpy as np
from scipy.stats import wilcoxon

from benchmarks.evolving.auc import DEFAULT, REGRESSION, SEEDS, quality
from benchmarks.evolving.contenders import Refitted
from benchmarks.evolving.multiclass import STREAMS as MANY_CLASSES
from benchmarks.evolving.multiclass import stream_of as many_classes
from benchmarks.evolving.streams import FramedStream, pairs_of
from benchmarks.measure import print_table
from driftline.evolving import EvolutionaryClassifier

LABELS = 10
FRAMES = 12
STREAMS = ("mail, all classes", "git, all classes", "sites, all classes", "20 newsgroups", "mail", "health", "clients")
Choice = Callable[[EvolutionaryClassifier, int, np.random.Generator], np.ndarray]


def run(stream: FramedStream, n_classes: int, choose: Choice, rounds: int, seed: int) -> np.ndarray:
    """Return mean AUC, accuracy and log-loss over the frames: of the default, and of logistic regression."""
    rng, model, regression = np.random.default_rng(seed), EvolutionaryClassifier(n_jobs=1), Refitted(n_classes, 10.0)
    found = []
    for rows in stream.frames[:FRAMES]:
        if len(rows) < 2 * LABELS:
            continue
        truth = stream.codes[rows]
        model.partial_fit(stream.counts[rows])
        codes = np.full(len(rows), -1)
        for _ in range(rounds):
            picked = choose(model, LABELS // rounds, rng)
            model.add_labels(picked, truth[picked])
            codes[picked] = truth[picked]
        ours = np.zeros((len(rows), n_classes))
        ours[:, model.classes_] = model.label_distributions_
        theirs = regression.step(stream.counts[rows], codes)
        found.append([quality(part[codes < 0], truth[codes < 0]) for part in (ours, theirs)])
    return np.nanmean(np.array(found), axis=0)


def suggested(model: EvolutionaryClassifier, n: int, rng: np.random.Generator) -> np.ndarray:
    """Choose documents by `suggest`."""
    return model.suggest(n)


def drawn(model: EvolutionaryClassifier, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw at random."""
    return rng.choice(len(model.frame_rows_), n, replace=False)


def stream_of(kind: str) -> tuple[FramedStream, int]:
    """Return the first pair of a kind, or a whole stream of many classes."""
    name = kind.removesuffix(", all classes")
    if name in MANY_CLASSES and name != kind:
        stream, n_classes = many_classes(name)
        return stream._replace(name=kind), n_classes
    return next(iter(pairs_of(kind, 150))), 2


def main() -> None:
    """Print a table per stream, then the paired tests over streams and seeds."""
    warnings.simplefilter("ignore")
    ways: dict[str, tuple[Choice, int]] = {
        "random": (drawn, 1),
        "suggested, ten at once": (suggested, 1),
        "suggested, five times two": (suggested, 5),
    }
    gains, ahead = [], []
    for stream, n_classes in map(stream_of, sys.argv[1:] or STREAMS):
        found = {
            name: np.array([run(_thinned(stream, seed), n_classes, choose, rounds, seed) for seed in SEEDS])
            for name, (choose, rounds) in ways.items()
        }
        rows = []
        for name, scores in found.items():
            (area, right, loss), (lr_area, lr_right, lr_loss) = scores.mean(axis=0)
            gain = (scores - found["random"])[:, 0, 1].mean()
            shown = [f"{right:.1f}", f"{gain:+.1f}", f"{lr_right:.1f}", f"{area:.1f}", f"{lr_area:.1f}"]
            rows.append([name, *shown, f"{loss:.3f}", f"{lr_loss:.3f}"])
        gains.append(found["suggested, ten at once"][:, 0, 1] - found["random"][:, 0, 1])
        ahead += [scores[:, 0] - scores[:, 1] for name, scores in found.items() if name != "random"]
        headings = ["labels", f"accuracy, {DEFAULT}", "ahead of random by", f"accuracy, {REGRESSION}"]
        headings += [f"{measure}, {who}" for measure in ("AUC", "log-loss") for who in (DEFAULT, REGRESSION)]
        title = f"## {stream.name}: {LABELS} labels per frame, {FRAMES} frames, {len(SEEDS)} seeds"
        print_table(title, headings, rows)
    _test("Suggested, ten at once, minus random", np.concatenate(gains), "accuracy")
    for m, measure in enumerate(("AUC", "accuracy")):
        _test("Suggested labels: default minus logistic regression", np.concatenate(ahead)[:, m], measure)
        print(f"Worst stream, mean over seeds: {min(each[:, m].mean() for each in ahead):+.2f}")


def _test(title: str, difference: np.ndarray, measure: str) -> None:
    p = wilcoxon(difference).pvalue
    print(f"\n{title}: {difference.mean():+.2f} points of {measure}, p = {p:.1g} (Wilcoxon)")


def _thinned(stream: FramedStream, seed: int) -> FramedStream:
    """Draw four documents in five, so that a deterministic method sees different streams."""
    rng = np.random.default_rng(1000 + seed)
    frames = [np.sort(rng.choice(rows, int(0.8 * len(rows)), replace=False)) for rows in stream.frames]
    return stream._replace(frames=frames)


if __name__ == "__main__":
    main()
