"""More than two classes on real streams, one document in ten labelled: the default beside logistic regression.

    python -m benchmarks.evolving.multiclass [--peers] [stream …]

The contenders, their settings and the measures are those of `benchmarks.evolving.auc`; a figure is a mean over frames
and seeds on the unlabelled documents. The AUC is that of each class against the rest, weighted by its share. Frames are
the first 24 months, of which at most 150 documents are drawn, or, where dates are clustered, every fixed number of
documents.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable

import numpy as np
from scipy.stats import ttest_rel

from benchmarks.evolving.auc import DEFAULT, FRAMES, REGRESSION, SEEDS, SEEDS_OF, SPANS, measures
from benchmarks.evolving.contenders import Contender, Online, Ours, Refitted, SelfTrained, Spread
from benchmarks.evolving.streams import CLIENTS, PARTIES, REUTERS, FramedStream, framed, read
from benchmarks.measure import print_table
from driftline.evolving import EvolutionaryClassifier, ManifoldClassifier, TwoFrameClassifier

SHARE = 0.1
STREAMS = {
    "mail": ("maillists_2019_2026", "1mo", 150, None),
    "git": ("gitlog_2003_2008", "1mo", 150, None),
    "health": ("health_tweets", "1mo", 150, None),
    "20 newsgroups": ("20news_bydate", 500, None, None),
    "Reuters": ("reuters21578", 150, None, REUTERS),
    "sites": ("news_sites_2017", 150, None, None),
    "clients": ("tweets_2015_2017", "1mo", 150, CLIENTS),
    "parties": ("bundestag_speeches", 60, None, PARTIES),
}

CONTENDERS: dict[str, Callable[[int], Contender]] = {
    DEFAULT: lambda k: Ours(EvolutionaryClassifier(n_jobs=1), k),
    REGRESSION: lambda k: Refitted(k, 10.0),
}
PEERS: dict[str, Callable[[int], Contender]] = {
    "paper": lambda k: Ours(EvolutionaryClassifier("paper", gamma_a=1.0, gamma_i=1.0, n_jobs=1), k),
    "two-frame": lambda k: Ours(TwoFrameClassifier(gamma_a=0.03, gamma_i=100.0, n_jobs=1), k),
    "single-frame": lambda k: Ours(ManifoldClassifier(gamma_a=0.03, gamma_i=100.0, n_jobs=1), k),
    "LR, 12 frames": lambda k: Refitted(k, 10.0, last=12),
    "river": lambda k: Online(k, 1.0),
    "LabelSpreading": lambda k: Spread(k),
    "SelfTraining": lambda k: SelfTrained(k, 10.0),
}


def a_share(rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the labelled rows of a frame."""
    return rng.permutation(rows)[: max(1, round(SHARE * len(rows)))]


def stream_of(name: str) -> tuple[FramedStream, int]:
    """Return a stream of many classes, and how many."""
    source, every, most, classes = STREAMS[name]
    texts = read(source)
    classes = classes or tuple(sorted(set(texts.labels)))
    stream = framed(texts, classes, every, most=most, together=False)
    return stream._replace(name=name, frames=stream.frames[:FRAMES]), len(classes)


def main() -> None:
    """Print the tables of the streams named, or of all."""
    warnings.simplefilter("ignore")
    contenders = {**CONTENDERS, **(PEERS if "--peers" in sys.argv else {})}
    for name in [name for name in sys.argv[1:] if name != "--peers"] or STREAMS:
        stream, n_classes = stream_of(name)
        seeds = SEEDS_OF.get(name, SEEDS)
        curves = {
            who: np.array([measures(stream, make(n_classes), seed, a_share) for seed in seeds])
            for who, make in contenders.items()
        }
        means = {who: np.nanmean(curve, axis=1) for who, curve in curves.items()}
        n_frames = len(stream.frames)
        spans = [(a, min(b, n_frames)) for a, b in SPANS if a < n_frames]
        rows = []
        for who, curve in curves.items():
            ahead = (means[DEFAULT] - means[who]).mean(axis=0)
            p = "–" if who == DEFAULT else f"{ttest_rel(means[DEFAULT][:, 1], means[who][:, 1]).pvalue:.1g}"
            area, right, loss = means[who].mean(axis=0)
            by_frame = [f"{np.nanmean(curve[:, a:b, 1]):.1f}" for a, b in spans]
            shown = [f"{right:.1f}", f"{ahead[1]:+.1f}", p, f"{area:.1f}", f"{ahead[0]:+.1f}", f"{loss:.3f}"]
            rows.append([who, *shown, *by_frame])
        documents = f"{stream.frames[-1][-1] + 1:,} documents in {n_frames} frames, {n_classes} classes"
        headings = ["", "accuracy", "default is ahead by", "p (t over seeds)", "AUC", "default is ahead by", "log-loss"]
        headings += [f"frame {a + 1}" if b == a + 1 else f"{a + 1}–{b}" for a, b in spans]
        print_table(f"## {name}: {documents}, {len(seeds)} seeds", headings, rows)


if __name__ == "__main__":
    main()
