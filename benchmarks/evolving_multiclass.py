"""Accuracy with many classes on real streams, one document in ten labelled: the last column of table 2 of the paper.

    python -m benchmarks.evolving_multiclass [mail] [git] [health] [20 newsgroups]

The contenders and their settings are those of `benchmarks.evolving_auc`; a figure is the accuracy on the unlabelled
documents of a frame, averaged over frames and seeds, in percent. Frames are the first 24 months, of which at most 150
documents are drawn; the 20 newsgroups, on which nothing was chosen, are cut every 500 documents.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable

import numpy as np
from scipy.stats import ttest_rel

from benchmarks.evolving_auc import FRAMES, SEEDS
from benchmarks.evolving_contenders import Contender, Online, Ours, Refitted, SelfTrained, Spread
from benchmarks.evolving_streams import FramedStream, framed, read
from benchmarks.measure import print_table
from driftline.evolving import EvolutionaryClassifier, ManifoldClassifier, TwoFrameClassifier

SHARE = 0.1
STREAMS = {
    "mail": ("maillists_2019_2026", "1mo", 150),
    "git": ("gitlog_2003_2008", "1mo", 150),
    "health": ("health_tweets", "1mo", 150),
    "20 newsgroups": ("20news_bydate", 500, None),
}
SPANS = [(0, 1), (1, 2), (2, 3), (3, 5), (5, 8), (8, 12), (12, 16), (16, 24)]

CONTENDERS: dict[str, Callable[[int], Contender]] = {
    "default": lambda k: Ours(EvolutionaryClassifier(n_jobs=1), k),
    "paper": lambda k: Ours(EvolutionaryClassifier("paper", gamma_a=1.0, gamma_i=1.0, n_jobs=1), k),
    "two-frame": lambda k: Ours(TwoFrameClassifier(gamma_a=0.03, gamma_i=100.0, n_jobs=1), k),
    "single-frame": lambda k: Ours(ManifoldClassifier(gamma_a=0.03, gamma_i=100.0, n_jobs=1), k),
    "LR, all labels": lambda k: Refitted(k, 10.0),
    "LR, 12 frames": lambda k: Refitted(k, 10.0, last=12),
    "river": lambda k: Online(k, 1.0),
    "LabelSpreading": lambda k: Spread(k),
    "SelfTraining": lambda k: SelfTrained(k, 10.0),
}


def accuracies(stream: FramedStream, contender: Contender, seed: int) -> np.ndarray:
    """Return the accuracy on the unlabelled documents of every frame, NaN where there are none."""
    rng = np.random.default_rng(seed)
    found = []
    for rows in stream.frames:
        codes = np.full(len(rows), -1)
        if len(rows) > 1:
            labelled = rng.permutation(rows)[: max(1, round(SHARE * len(rows)))]
            codes[labelled - rows[0]] = stream.codes[labelled]
        answers = np.argmax(contender.step(stream.counts[rows], codes), axis=1)
        rest = codes < 0
        found.append(100 * np.mean(answers[rest] == stream.codes[rows][rest]) if rest.any() else np.nan)
    return np.array(found)


def main() -> None:
    """Print the tables of the streams named, or of all."""
    warnings.simplefilter("ignore")
    for name in sys.argv[1:] or STREAMS:
        source, every, most = STREAMS[name]
        texts = read(source)
        classes = tuple(sorted(set(texts.labels)))
        stream = framed(texts, classes, every, most=most, together=False)
        stream = stream._replace(frames=stream.frames[:FRAMES])
        curves = {
            who: np.array([accuracies(stream, make(len(classes)), seed) for seed in SEEDS])
            for who, make in CONTENDERS.items()
        }
        means = {who: np.nanmean(curve, axis=1) for who, curve in curves.items()}
        n_frames = len(stream.frames)
        spans = [(a, min(b, n_frames)) for a, b in SPANS if a < n_frames]
        rows = []
        for who, curve in curves.items():
            difference = means["default"] - means[who]
            p = "–" if who == "default" else f"{ttest_rel(means['default'], means[who]).pvalue:.1g}"
            by_frame = [f"{np.nanmean(curve[:, a:b]):.1f}" for a, b in spans]
            rows.append([who, f"{means[who].mean():.1f}", f"{difference.mean():+.1f}", p, *by_frame])
        documents = f"{stream.frames[-1][-1] + 1:,} documents in {n_frames} frames, {len(classes)} classes"
        headings = ["", "accuracy", "default is ahead by", "p (t over seeds)"]
        headings += [f"frame {a + 1}" if b == a + 1 else f"{a + 1}–{b}" for a, b in spans]
        print_table(f"## {name}: {documents}, {len(SEEDS)} seeds", headings, rows)


if __name__ == "__main__":
    main()
