"""LDA and PLSA on a graphics processor against threads: held-out scores, seconds, tokens per second, little memory.

All learn from the same documents with the same priors, and are scored by one evaluator. The schedule of the passes was
chosen on the documents that `benchmarks/topics/speed.py` holds out; here 1,000 others are held out, from those that it
learns from, and nothing was chosen on them. Seconds are wall time of `fit`, after one fit of the same kind that
compiled the kernels. A machine with a device may have no data: counts are prepared elsewhere and copied to it.

    python -m benchmarks.topics.gpu prepare FOLDER
    python -m benchmarks.topics.gpu run FOLDER [scores] [plsa] [MILLIONS:TOPICS[:EPOCHS] …]

The last are documents drawn from so many known topics, learned from 20 Newsgroups, with so many millions of tokens,
learned in so many epochs of whole passes, after those in steps.
"""

from __future__ import annotations

import functools
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from benchmarks.topics.drawn_documents import MEAN_LENGTH, distribution, drawn_block, drawn_blocks
from benchmarks.topics.speed import BETA, DATA, HELD_OUT, counts_of
from driftline.compute import kernels
from driftline.compute.devices import check_device
from driftline.engines.gpu import GpuEngine
from driftline.inference.document_completion import KnownTopics, completion
from driftline.inference.lda_online import OnlineProblem
from driftline.inference.learned_priors import NONE_LEARNED
from driftline.inference.pairs import Pairs
from driftline.inference.run import Keep, run
from driftline.inference.stopping import Stop
from driftline.inference.topic_counts import TopicCounts
from driftline.topics import LDA, PLSA, lda_epochs, wide_start
from driftline.topics.lda_epochs import epochs_method

SIZES = (50, 200, 1000)
SEEDS = 3
CAP = 2_000_000_000
CAPPED = 3e10
"""Largest number of tokens times topics for which learning is repeated with little memory."""
BLOCK = 50_000
MANY, FEW_EPOCHS = 2048, 4
"""The number of topics above which true ones are learned in few epochs."""
STEPS = 20
WHOLE = 3
"""Epochs of whole passes for documents drawn from known topics."""
ALIKE = 0.8
"""Cosine with a learned topic above which a true topic is found."""


def prepare(folder):
    """Write the counts that `run` reads."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in DATA:
        train, _ = counts_of(name)
        sp.save_npz(folder / f"{name}.npz", sp.csr_matrix(train.astype(np.uint16)))


def prepared(folder, name):
    """Return training and held-out counts; words that the training documents lack are dropped from both."""
    X = sp.csr_matrix(sp.load_npz(folder / f"{name}.npz").astype(np.float64))
    held_out, train = X[:HELD_OUT], X[HELD_OUT:]
    said = np.asarray(train.sum(axis=0)).ravel() > 0
    return sp.csr_matrix(train[:, said]), sp.csr_matrix(held_out[:, said])


def seconds_of(work):
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def row(*cells):
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def head(title, *cells):
    print(f"\n{title}\n")
    row(*cells)
    print("|" + "---|" * len(cells), flush=True)


def scores(folder):
    head(
        f"Held-out nats per word and seconds of `fit`, means of {SEEDS} seeds; threads: all cores.",
        *("data", "K", "threads", "GPU, same bytes", "ratio", "difference", "of each seed"),
    )
    for name in DATA:
        train, held_out = prepared(folder, name)
        for n_topics in SIZES:
            taken, reached = np.zeros((2, SEEDS)), np.zeros((2, SEEDS))
            for i, engine in enumerate(("threads", "gpu")):
                model = LDA(n_topics, topic_word_prior=BETA, n_jobs=-1)
                model.set_params(engine=engine, random_state=0, max_epochs=lda_epochs.FROM_NOISE.stepwise + 1)
                model.fit(train[:2000])  # compile
                for seed in range(SEEDS):
                    model.set_params(engine=engine, random_state=seed, max_epochs=30)
                    taken[i, seed] = seconds_of(lambda model=model, X=train: model.fit(X))[1]
                    reached[i, seed] = -model.set_params(engine="threads").score(held_out)
            (slow, fast), (ours, theirs), far = taken.mean(axis=1), reached.mean(axis=1), reached[1] - reached[0]
            cells = (f"{slow:.2f} s → {ours:.3f}", f"{fast:.2f} s → {theirs:.3f}", f"{slow / fast:.1f}×")
            row(name, n_topics, *cells, f"{far.mean():+.4f}", ", ".join(f"{value:+.4f}" for value in far))


def plsa(folder):
    head(f"PLSA, {STEPS} steps of EM on {DATA[-1]}: seconds.", "K", "threads", "GPU", "ratio", "objectives differ by")
    train, _ = prepared(folder, DATA[-1])
    for n_topics in SIZES[:2]:
        found = []
        for engine in ("threads", "gpu"):
            model = PLSA(n_topics, tolerance=0.0, random_state=0, n_jobs=-1, n_partitions=16, engine=engine)
            model.set_params(max_steps=1).fit(train)  # compile
            found.append((seconds_of(lambda model=model: model.set_params(max_steps=STEPS).fit(train))[1], model))
        (slow, ours), (fast, other) = found
        gap = abs(other.objective_[-1] / ours.objective_[-1] - 1)
        row(n_topics, f"{slow:.2f} s", f"{fast:.2f} s", f"{slow / fast:.1f}×", f"{gap:.1e}")


def known_topics(folder, millions, n_topics, whole):
    """Learn from documents drawn from topics of real text until the score of the true ones is near."""
    truth, cdf = true_topics(folder, n_topics)
    parts = drawn_parts(cdf, millions, n_topics)
    near_the_truth(parts, drawn_block(cdf, 2000, 10**6), truth, whole)
    if millions * 1e6 * n_topics <= CAPPED:
        little_memory(parts, truth.shape[1], n_topics)


def drawn_parts(cdf, millions, n_topics):
    """Return drawn documents in parts of which the topic counts have a limited size."""
    n_documents = int(millions * 1e6 / MEAN_LENGTH)
    kept = lda_epochs.kept_bytes(n_documents, n_topics)
    return drawn_blocks(
        cdf, n_documents, max(lda_epochs.CHUNKS, n_documents // BLOCK, -(-kept // lda_epochs.PART_BYTES))
    )


@functools.cache
def true_topics(folder, n_topics, name=DATA[-1]):
    """Return topics learned from real text, and their distribution functions."""
    train, _ = prepared(folder, name)
    epochs = 30 if n_topics <= MANY else FEW_EPOCHS
    truth = LDA(n_topics, engine="gpu", max_epochs=epochs, deterministic=False, random_state=0).fit(train).components_
    truth = truth / truth.sum(axis=1, keepdims=True)
    return truth, distribution(truth)


def joined(parts, most):
    """Return the first of these parts as one, up to about so many pairs."""
    n = int(np.searchsorted(np.cumsum([len(part.words) for part in parts]), most)) + 1
    parts = parts[:n]
    ends = np.cumsum([0] + [part.indptr[-1] for part in parts])
    indptr = np.concatenate([[0], *(part.indptr[1:] + end for part, end in zip(parts, ends))])
    return Pairs(indptr, np.concatenate([part.words for part in parts]), np.concatenate([p.counts for p in parts]))


def learned(engine, parts, n_words, n_topics, deterministic, look, whole=WHOLE):
    """Learn from parts, look at the state after every epoch, and return the counts of words × topics.

    The sample from which many topics are learned first is the first parts, as parts are drawn at random.
    """
    rng, sample = np.random.default_rng(0), joined(parts, wide_start.SAMPLE_PAIRS)
    even = np.ones((n_words, n_topics), dtype=np.float32)
    topics = TopicCounts.starting(even, np.full(n_topics, 5 / n_topics), BETA)
    share = float(sample.counts.sum()) / sum(float(part.counts.sum()) for part in parts)
    options = {"deterministic": deterministic}
    begun = wide_start.begin_with_many(topics, sample, engine, rng, share=share, parts=parts, **options)
    schedule = begun or lda_epochs.FROM_NOISE
    topics.scale = 1.0 / share
    problem = OnlineProblem(parts[0], topics.state(), n_topics, {})
    method = epochs_method(engine, parts, n_topics, NONE_LEARNED, schedule, **options)
    stop = Stop(whole + (schedule.stepwise if keeps(parts, n_topics) else 0))
    done = run(method, problem, stop=stop, keep=Keep(fold=look), rng=rng)
    return kernels().memory.fetch(done.result.counts)


def n_found(components, truth):
    """Return how many true topics are found."""
    unit = [one / np.linalg.norm(one, axis=1, keepdims=True) for one in (components, truth)]
    return f"{int(((unit[0] @ unit[1].T).max(axis=0) > ALIKE).sum())} of {len(truth)}"


def keeps(parts, n_topics):
    """Return whether the topic counts of documents are kept from pass to pass; if not, all epochs are in steps."""
    return lda_epochs.kept_bytes(sum(part.n_documents for part in parts), n_topics) > 0


def near_the_truth(parts, held, truth, whole):
    n_topics, n_words = truth.shape
    held_out = sp.csr_matrix((held.counts.astype(np.float64), held.words, held.indptr), (held.n_documents, n_words))
    held_out.sum_duplicates()
    n_tokens = float(sum(part.counts.sum() for part in parts))
    spent, reached, found, lap = [], [], [], 0.0

    def score(components, engine):
        likelihood, words = completion(KnownTopics.of(components, 5 / n_topics), held_out, engine)
        return -likelihood.sum() / words.sum()

    with GpuEngine() as engine:

        def look(_, state):
            nonlocal lap
            counts = kernels().memory.fetch(state.factors.counts)
            spent.append(time.perf_counter() - lap)
            counts = counts.reshape(n_words, -1)[:, :n_topics].T.astype(np.float64) + BETA
            counts /= counts.sum(axis=1, keepdims=True)
            reached.append(score(counts, engine))
            found[:] = [n_found(counts, truth)]
            print(f"{sum(spent):.1f} s: {reached[-1]:.4f}, {found[0]}", file=sys.stderr, flush=True)
            lap = time.perf_counter()
            return state

        best = score(truth, engine)
        lap = time.perf_counter()
        learned(engine, parts, n_words, n_topics, False, look, whole)
    until = next((i for i, value in enumerate(reached) if value <= best + 0.01), None)
    head(
        "Documents drawn from topics learned from real text; goal: 0.01 nats above the score of the true topics.",
        *("tokens", "K", "true topics", "seconds to the goal", "end", "true topics found", "after every epoch"),
        *("seconds per epoch in steps", "passes", "G tokens/s per pass"),
    )
    in_passes = keeps(parts, n_topics)
    with GpuEngine():
        sampled = lda_epochs.samples(n_tokens, n_words, n_topics)
    per_epoch = lda_epochs.SAMPLED_PASSES if sampled else lda_epochs.PASSES
    in_steps = spent[1:-whole] if in_passes else spent[1:]
    row(
        *(f"{n_tokens / 1e6:,.0f} M", n_topics, f"{best:.4f}"),
        "not reached" if until is None else f"{sum(spent[: until + 1]):.1f}",
        f"{sum(spent):.1f} s → {reached[-1]:.4f}",
        found[0],
        ", ".join(f"{value:.3f} ({seconds:.0f} s)" for value, seconds in zip(reached, np.cumsum(spent))),
        f"{np.median(in_steps):.2f}" if in_steps else "",
        "" if not in_passes else "sampled" if sampled else "variational",
        f"{n_tokens * per_epoch / spent[-1] / 1e9:.2f}" if in_passes else "",
    )


def little_memory(parts, n_words, n_topics):
    """Learn with and without a cap on documents that do not fit under it."""
    from driftline.compute.gpu.memory import most_bytes

    head(
        f"The same documents, K = {n_topics}, in fixed point, with and without a cap on the memory of the device.",
        *("cap", "seconds", "most in use", "same bytes as without"),
    )
    answers = []
    for cap in (None, CAP):
        with GpuEngine(cap) as engine:
            work = lambda engine=engine: learned(engine, parts, n_words, n_topics, True, lambda _, state: state)  # noqa: E731
            counts, taken = seconds_of(work)
            answers.append(counts.tobytes())
            used = f"{most_bytes() / 1e9:.2f} GB"
        row("none" if cap is None else f"{cap / 1e9:.0f} GB", f"{taken:.1f}", used, answers[0] == answers[-1])


def main():
    command, folder = sys.argv[1], Path(sys.argv[2])
    if command == "prepare":
        prepare(folder)
        return
    print(f"Device: {check_device('gpu').name}; NumPy {np.__version__}.", flush=True)
    for part in sys.argv[3:] or ("scores", "plsa"):
        if ":" in part:
            millions, n_topics, *whole = map(int, part.split(":"))
            known_topics(folder, millions, n_topics, whole[0] if whole else WHOLE)
        else:
            {"scores": scores, "plsa": plsa}[part](folder)


if __name__ == "__main__":
    main()
