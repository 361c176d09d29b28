"""Suggested labels against random ones on real streams, the same number of them, simulated answers.

    python -m benchmarks.evolving_active [stream …]

Every frame is first handed over without labels; then ten documents are chosen (by `suggest`, ten at a time or five
times two, or at random), their true labels are added, and the frame's unlabelled documents are judged. Figures are
accuracies and AUC averaged over frames and seeds, in percent. Streams are cut short so that a run takes minutes: the
first 12 frames of at most 150 documents..
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable

import numpy as np
from scipy.stats import wilcoxon
from sklearn.metrics import roc_auc_score

from benchmarks.evolving_streams import FramedStream, framed, pairs_of, read
from benchmarks.measure import print_table
from driftline.evolving import EvolutionaryClassifier

SEEDS = range(5)
LABELS = 10
FRAMES = 12
WHOLE = {"mail, all classes": "maillists_2019_2026", "git, all classes": "gitlog_2003_2008"}
STREAMS = ("git, all classes", "20 newsgroups", "mail, all classes", "mail", "git", "health")
Choice = Callable[[EvolutionaryClassifier, int, np.random.Generator], np.ndarray]


def run(stream: FramedStream, choose: Choice, rounds: int, seed: int) -> tuple[float, float]:
    """Return mean accuracy and mean AUC (of two classes) over the frames."""
    rng, model = np.random.default_rng(seed), EvolutionaryClassifier(n_jobs=1)
    two = len(set(stream.codes)) == 2
    right, areas = [], []
    for rows in stream.frames[:FRAMES]:
        if len(rows) < 2 * LABELS:
            continue
        truth = stream.codes[rows]
        model.partial_fit(stream.counts[rows])
        asked = np.zeros(0, dtype=np.int64)
        for _ in range(rounds):
            picked = choose(model, LABELS // rounds, rng)
            model.add_labels(picked, truth[picked])
            asked = np.concatenate([asked, picked])
        rest = ~np.isin(np.arange(len(rows)), asked)
        right.append(np.mean(model.transduction_[rest] == truth[rest]))
        if two and len(set(truth[rest])) == 2 and len(model.classes_) == 2:
            areas.append(roc_auc_score(truth[rest], model.label_distributions_[rest, 1]))
    return 100 * float(np.mean(right)), 100 * float(np.mean(areas)) if areas else float("nan")


def suggested(model: EvolutionaryClassifier, n: int, rng: np.random.Generator) -> np.ndarray:
    """Ask the model."""
    return model.suggest(n)


def drawn(model: EvolutionaryClassifier, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw at random."""
    return rng.choice(len(model.frame_rows_), n, replace=False)


def stream_of(kind: str) -> FramedStream:
    """Return the first pair of a kind, or a whole stream of many classes."""
    if kind not in WHOLE:
        return next(iter(pairs_of(kind, 150)))
    texts = read(WHOLE[kind])
    return framed(texts, tuple(sorted(set(texts.labels))), "1mo", most=150, together=False)._replace(name=kind)


def main() -> None:
    """Print a table per stream, then the paired test over streams and seeds."""
    warnings.simplefilter("ignore")
    ways: dict[str, tuple[Choice, int]] = {
        "random": (drawn, 1),
        "suggested, ten at once": (suggested, 1),
        "suggested, five times two": (suggested, 5),
    }
    gains = []
    for stream in map(stream_of, sys.argv[1:] or STREAMS):
        found = {
            name: np.array([run(_thinned(stream, seed), choose, rounds, seed) for seed in SEEDS])
            for name, (choose, rounds) in ways.items()
        }
        rows = []
        for name, scores in found.items():
            ahead = scores - found["random"]
            won = "–" if name == "random" else f"{int((ahead[:, 0] > 0).sum())} of {len(SEEDS)}"
            area = "–" if np.isnan(scores[:, 1]).any() else f"{scores[:, 1].mean():.1f}"
            rows.append([name, f"{scores[:, 0].mean():.1f}", f"{ahead[:, 0].mean():+.1f}", won, area])
        gains.append(found["suggested, ten at once"][:, 0] - found["random"][:, 0])
        headings = ["labels", "accuracy", "ahead of random by", "seeds won", "AUC"]
        print_table(f"## {stream.name}: {LABELS} labels a frame, {FRAMES} frames, {len(SEEDS)} seeds", headings, rows)
    difference = np.concatenate(gains)
    p = wilcoxon(difference).pvalue
    print(
        f"\nSuggested, ten at once, minus random: {difference.mean():+.2f} points of accuracy, p = {p:.1g} (Wilcoxon)"
    )


def _thinned(stream: FramedStream, seed: int) -> FramedStream:
    """Draw four documents in five, so that a method without chance of its own meets different streams."""
    rng = np.random.default_rng(1000 + seed)
    frames = [np.sort(rng.choice(rows, int(0.8 * len(rows)), replace=False)) for rows in stream.frames]
    return stream._replace(frames=frames)


if __name__ == "__main__":
    main()
