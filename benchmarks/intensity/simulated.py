"""Streams with known truth: the paper's S1 and S2, agreement of the methods, and the explicit process.

python -m benchmarks.intensity.simulated
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.measure import measure, print_table
from driftline.intensity import (
    IntensityTracker,
    filter_explicit_stream,
    simulate_intensity_stream,
    simulate_published_stream,
)

METHODS = ("exact", "ep", "structured", "gibbs", "particle", "mean-field")
SEEDS = range(10)


def main() -> None:
    second_stream()
    first_stream()
    agreement()
    enumeration()
    explicit_process()
    expert_labels()


def tracked(stream: Any, transition: float, **settings: Any) -> IntensityTracker:
    tracker = IntensityTracker(levels=stream.rates, transition=transition, random_state=0, **settings)
    return tracker.fit(stream.log_likelihoods, times=stream.times)


def fraction(rates: Any) -> str:
    return ", ".join(f"1/{1 / rate:.0f}" for rate in rates)


def second_stream() -> None:
    rows = []
    for seed in SEEDS:
        stream = simulate_published_stream("S2", seed)
        hard = stream.log_likelihoods.argmax(axis=1)
        tracker = tracked(stream, 0.1, decode=True)
        usual = [np.bincount(tracker.level_path_[:, k]).argmax() for k in range(2)]
        # The automaton sees one topic's documents at a time, as they were assigned
        alone = []
        for k in range(2):
            times = stream.times[hard == k]
            one = IntensityTracker(levels=stream.rates, transition=0.1, decode=True).fit(
                np.zeros((len(times), 1)), times=times
            )
            alone.append(np.bincount(one.level_path_[:, 0]).argmax())
        rows.append(
            (
                seed,
                f"{100 * (hard != stream.topics).mean():.1f} %",
                f"{100 * (tracker.labels_ != stream.topics).mean():.1f} %",
                fraction(stream.rates[usual]),
                f"{100 * (tracker.level_path_ == stream.levels).mean():.0f} %",
                fraction(stream.rates[alone]),
            )
        )
    print_table(
        "S2: true levels 1/5 and 1/16; wrong ones 1/6 and 1/12 are offered too",
        [
            "seed",
            "hard labels wrong",
            "labels wrong",
            "levels found",
            "documents at the true levels",
            "automaton's levels",
        ],
        rows,
    )


def first_stream() -> None:
    rows = []
    for seed in SEEDS:
        stream = simulate_published_stream("S1", seed)
        rows.append((seed, *judged(stream)))
    columns = list(zip(*rows))
    rows.append(("mean", *(f"{np.mean([float(v.rstrip(' %')) for v in column]):.1f} %" for column in columns[1:4]), ""))
    print_table(
        "S1: rates 1/4, 1/64, 1/16 and 1/4, 1/16, 1/4; six levels, θ = 0.2",
        ["seed", "hard labels wrong", "labels wrong", "levels right (Viterbi)", "topic 2 after its end: 1/intensity"],
        rows,
    )
    matches = []
    plans = list(itertools.permutations(range(3)))
    for first, second in itertools.product(plans, plans):
        stream = simulate_published_stream("S1", 0, plan=(first, second))
        matches.append(float(judged(stream)[2].rstrip(" %")))
    print(
        f"\nOver all {len(matches)} pairs of orders of the three rates: mean {np.mean(matches):.0f} %, "
        f"least {np.min(matches):.0f} %, most {np.max(matches):.0f} %. The order above is one of the better ones."
    )


def judged(stream: Any) -> tuple[str, str, str, str]:
    tracker = tracked(stream, 0.2, decode=True)
    alive = stream.times <= stream.times[stream.topics == 1][-1]
    match = (tracker.level_path_[:, 0] == stream.levels[:, 0]).mean()
    match = (match + (tracker.level_path_[alive, 1] == stream.levels[alive, 1]).mean()) / 2
    silence = 1 / tracker.intensity_[-1, 1]
    return (
        f"{100 * (stream.log_likelihoods.argmax(axis=1) != stream.topics).mean():.1f} %",
        f"{100 * (tracker.labels_ != stream.topics).mean():.1f} %",
        f"{100 * match:.1f} %",
        f"{silence:.0f}",
    )


def agreement() -> None:
    streams: dict[str, tuple[Callable[[int], Any], float]] = {
        "S1": (lambda seed: simulate_published_stream("S1", seed), 0.2),
        "S2": (lambda seed: simulate_published_stream("S2", seed), 0.1),
    }
    for accuracy in (0.9, 0.6, 0.4):
        streams[f"3 topics, text right {accuracy}"] = (
            lambda seed, accuracy=accuracy: simulate_intensity_stream(500, 3, accuracy=accuracy, random_state=seed),
            0.02,
        )
    rows = []
    for name, (make, transition) in streams.items():
        errors: dict[str, list[tuple[float, ...]]] = {method: [] for method in METHODS[1:]}
        for seed in SEEDS:
            stream = make(seed)
            exact = tracked(stream, transition, inference="exact")
            for method, found in errors.items():
                tracker, taken = measure(lambda s=stream, t=transition, m=method: tracked(s, t, inference=m))
                error = np.abs(tracker.topic_proba_ - exact.topic_proba_)
                rates = np.abs(tracker.intensity_ / exact.intensity_ - 1).mean()
                found.append((error.mean(), error.max(), rates, taken.cpu_seconds))
        for method, found in errors.items():
            mean, largest, rates, seconds = np.array(found).T
            rows.append(
                (
                    name,
                    method,
                    float(mean.mean()),
                    f"{largest.min():.3f} to {largest.max():.3f}",
                    f"{100 * rates.mean():.1f} %",
                    float(seconds.mean()),
                )
            )
    print_table(
        f"Against exact inference, {len(SEEDS)} streams each",
        ["stream", "method", "topic posterior: mean error", "largest error", "intensity: mean error", "CPU s"],
        rows,
    )


def enumeration() -> None:
    """Enumerate all sequences of levels and topics of short streams; compare all methods with that."""
    rng = np.random.default_rng(0)
    rows = []
    for n, n_topics, n_levels in ((5, 1, 3), (4, 2, 2), (3, 2, 3), (3, 3, 2)):
        text, times = rng.dirichlet(np.ones(n_topics), n), np.cumsum(rng.exponential(1, n))
        rates = np.sort(rng.uniform(0.1, 3, n_levels))
        topics = enumerated(text, np.diff(times, prepend=times[0]), rates, 0.3)
        row: list[Any] = [n, n_topics, n_levels, n_levels ** (n * n_topics) * n_topics**n]
        for method in METHODS:
            many = {"n_samples": 20_000, "n_particles": 50_000, "random_state": 0}
            tracker = IntensityTracker(levels=rates, transition=0.3, inference=method, **many)
            error = np.abs(tracker.fit(np.log(text), times=times).topic_proba_ - topics).max()
            row.append(f"{error:.1e}")
        rows.append(row)
    print_table(
        "Against full enumeration: largest error of a topic posterior "
        "(20,000 Gibbs samples; 50,000 particles, 100 paths back)",
        ["documents", "topics", "levels", "sequences", *METHODS],
        rows,
    )


def enumerated(text: Any, gaps: Any, rates: Any, theta: float) -> Any:
    n, n_topics = text.shape
    moves = np.eye(len(rates)) * (1 - theta) + theta / 2 * (np.eye(len(rates), k=1) + np.eye(len(rates), k=-1))
    moves += np.diag(1 - moves.sum(axis=1))
    topics = np.zeros((n, n_topics))
    for path in itertools.product(itertools.product(range(len(rates)), repeat=n), repeat=n_topics):
        weight = 1.0
        for chain in path:
            weight *= np.prod([moves[a, b] for a, b in itertools.pairwise(chain)])
        if weight == 0:
            continue
        rate = rates[np.array(path).T]
        weight *= np.exp(-(rate.sum(axis=1) * gaps).sum())
        for labels in itertools.product(range(n_topics), repeat=n):
            joint = weight * np.prod([rate[t, k] * text[t, k] for t, k in enumerate(labels)])
            topics[np.arange(n), labels] += joint
    return topics / topics.sum(axis=1, keepdims=True)


def explicit_process() -> None:
    rows = []
    for transition in (0.002, 0.01, 0.05, 0.2):
        sums = np.zeros(4)
        for seed in range(5):
            stream = simulate_intensity_stream(600, 2, accuracy=0.7, transition=transition, random_state=seed)
            explicit = filter_explicit_stream(
                stream.log_likelihoods,
                stream.times,
                rates=stream.rates,
                transition=transition,
                n_particles=4000,
                random_state=0,
            )
            online = IntensityTracker(levels=stream.rates, transition=transition)
            implicit = np.array([online.update(x, t).topic_proba for x, t in zip(stream.log_likelihoods, stream.times)])
            evidence = tracked(stream, transition, inference="exact").log_evidence_
            at = (np.arange(600), stream.topics)
            sums += [
                (explicit.topic_proba.argmax(axis=1) != stream.topics).mean(),
                (implicit.argmax(axis=1) != stream.topics).mean(),
                np.log(explicit.topic_proba[at]).mean() - np.log(implicit[at]).mean(),
                (explicit.log_evidence - evidence) / 600,
            ]
        text, ours, nats, evidence_gain = sums / 5
        rows.append((transition, f"{100 * text:.1f} %", f"{100 * ours:.1f} %", nats, evidence_gain))
    print_table(
        "Streams of the explicit process (EDA-IT), filtered by it and by the implicit model (text wrong: 30 %)",
        ["θ", "wrong, explicit filter", "wrong, implicit filter", "nats lost per document", "evidence lost"],
        rows,
    )


def expert_labels() -> None:
    rows = []
    for n_asked in (0, 10, 20, 40):
        errors = np.zeros(3)
        for seed in range(5):
            stream = simulate_intensity_stream(300, 2, accuracy=0.65, transition=0.01, random_state=seed)
            plain = tracked(stream, 0.01)
            rng = np.random.default_rng(seed)
            entropy = -(plain.topic_proba_ * np.log(plain.topic_proba_)).sum(axis=1)
            choices = [rng.choice(300, n_asked, replace=False), np.argsort(-entropy)[:n_asked], []]
            if n_asked:
                asked = plain.suggest(
                    stream.log_likelihoods, n_asked, times=stream.times, n_candidates=3 * n_asked, window=30
                )
                choices[2] = asked.documents
            for i, choice in enumerate(choices):
                labels = np.full(300, -1)
                labels[choice] = stream.topics[choice]
                again = IntensityTracker(levels=stream.rates, transition=0.01)
                again.fit(stream.log_likelihoods, times=stream.times, labels=labels)
                others = labels < 0
                errors[i] += (again.labels_ != stream.topics)[others].mean() / 5
        rows.append((n_asked, *(f"{100 * error:.1f} %" for error in errors)))
    print_table(
        "Errors among the documents that were not requested (300 documents, text wrong: 35 %)",
        ["labels requested", "at random", "most uncertain", "expected information gain"],
        rows,
    )


if __name__ == "__main__":
    main()
