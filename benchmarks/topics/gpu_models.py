"""The mixture of unigrams, the intensity tracker and local context coding on a graphics processor against threads.

Seconds are wall time after one call of the same kind that compiled the kernels; threads are all processors of the same
machine. Answers are compared. A machine with a device may have no data: it is prepared elsewhere and copied to it, with
the counts that `benchmarks.topics.gpu prepare` writes.

    python -m benchmarks.topics.gpu_models prepare FOLDER
    python -m benchmarks.topics.gpu_models run FOLDER [mixture] [tracker[:DOCUMENTS:TOPICS[:alone]]] [coding[:TOPICS]]

With `alone`, threads, which take much longer, are left out.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from benchmarks.intensity.speed import stream
from benchmarks.topics.gpu import SIZES, STEPS, head, prepared, row, seconds_of
from benchmarks.topics.speed import DATA
from driftline.coding import LocalContextSparseCoding
from driftline.compute.devices import check_device
from driftline.intensity.tracking.document_evidence import known_topics, text_evidence
from driftline.intensity.tracking.expectation_propagation import infer_ep
from driftline.intensity.tracking.gaps import gaps_between
from driftline.intensity.tracking.implicit_model import IntensityModel
from driftline.intensity.tracking.levels import ladder
from driftline.topics import MixtureOfUnigrams

LEVELS = 8
WARM = 2_000
"""Documents of the call that compiles."""
LEARNED_FROM = 2_000
"""Documents from which the topics of local contexts are learned; all documents are coded."""
MIN_DF = 20


def prepare(folder):
    """Write the token sequences that `run` reads."""
    from benchmarks.coding.newsgroups import load

    folder.mkdir(parents=True, exist_ok=True)
    words = load("", MIN_DF).words
    np.savez_compressed(folder / "20news_words.npz", ids=words.ids.astype(np.int32), offsets=words.offsets)


def mixture(folder):
    head(
        f"Mixture of unigrams, {STEPS} steps of EM on {DATA[-1]}: seconds.",
        *("K", "threads", "GPU", "ratio", "objectives differ by", "same labels"),
    )
    train, _ = prepared(folder, DATA[-1])
    for n_topics in SIZES:
        found = []
        for engine in ("threads", "gpu"):
            model = MixtureOfUnigrams(n_topics, tolerance=0.0, random_state=0, n_jobs=-1, engine=engine)
            model.set_params(max_steps=1).fit(train)  # compile
            found.append((seconds_of(lambda model=model: model.set_params(max_steps=STEPS).fit(train))[1], model))
        (slow, ours), (fast, other) = found
        gap = abs(other.objective_[-1] / ours.objective_[-1] - 1)
        same = f"{(ours.labels_ == other.labels_).mean():.2%}"
        row(n_topics, f"{slow:.2f} s", f"{fast:.2f} s", f"{slow / fast:.1f}×", f"{gap:.1e}", same)


def stream_model(n, n_topics):
    X, times = stream(n, n_topics)
    text = text_evidence(X, known_topics(None, *X.shape))
    gaps, _ = gaps_between(times, "gap", None)
    rates = ladder(text, gaps, LEVELS)
    return IntensityModel(text, gaps, rates, 0.1, np.full(LEVELS, 1 / LEVELS), False)


def tracker(n="1000000", n_topics="100", alone=""):
    n, n_topics = int(n), int(n_topics)
    head(
        f"Expectation propagation, {n:,} documents × {n_topics} topics × {LEVELS} levels, single precision.",
        *("threads", "GPU", "ratio", "sweeps", "largest difference of a topic's probability"),
    )
    small, model = stream_model(min(n, WARM), n_topics), stream_model(n, n_topics)
    found = []
    for engine in ("gpu",) if alone else ("threads", "gpu"):
        infer_ep(small, engine=engine, n_jobs=-1)  # compile
        found.append(seconds_of(lambda engine=engine: infer_ep(model, engine=engine, n_jobs=-1)))
    if alone:
        row("", f"{found[0][1]:.2f} s", "", found[0][0].n_sweeps, "")
        return
    (ours, slow), (other, fast) = found
    far = np.abs(ours.topic_proba - other.topic_proba).max()
    sweeps = f"{ours.n_sweeps}, {other.n_sweeps}"
    row(f"{slow:.2f} s", f"{fast:.2f} s", f"{slow / fast:.1f}×", sweeps, f"{far:.1e}")


def coding(folder, n_topics="4000"):
    with np.load(folder / "20news_words.npz") as kept:
        documents = np.split(kept["ids"], kept["offsets"][1:-1])
    model = LocalContextSparseCoding(
        int(n_topics), learning="mini-batch", max_iter=1, max_positions=100, n_jobs=-1, random_state=0
    ).fit(documents[:LEARNED_FROM])
    head(
        f"Local context coding of {len(documents):,} documents of 20 Newsgroups, all positions: `transform`.",
        *("K", "threads", "GPU", "ratio", "largest difference of a code"),
    )
    found = []
    for engine in ("threads", "gpu"):
        model.set_params(engine=engine).transform(documents[:100])  # compile
        found.append(seconds_of(lambda: model.transform(documents)))
    (ours, slow), (other, fast) = found
    far = abs(ours - other).max()
    row(n_topics, f"{slow:.2f} s", f"{fast:.2f} s", f"{slow / fast:.1f}×", f"{far:.1e}")


def main():
    command, folder = sys.argv[1], Path(sys.argv[2])
    if command == "prepare":
        prepare(folder)
        return
    print(f"Device: {check_device('gpu').name}; NumPy {np.__version__}.", flush=True)
    for part in sys.argv[3:] or ("mixture", "tracker", "coding"):
        name, *options = part.split(":")
        if name == "tracker":
            tracker(*options)
        else:
            {"mixture": mixture, "coding": coding}[name](folder, *options)


if __name__ == "__main__":
    main()
