"""Where forgetting helps, and where it does not: taggers that weight sentences by their age.

Parts of speech of the dated sentences of UD English EWT (2003 to 2006): the first three quarters are learned, the last
one is tagged. Weights halve with every half-life, or fall to zero over a bandwidth, or are selected by `LocalCRF`. Then
simulated sentences in which a share of the words changes from one part of speech to another, at different speeds; what
the validation selects is compared with equal weights for all sentences and with the bandwidth that is best on the test
part. The filter of spam by week is `python -m benchmarks.local.spam`.

    python -m benchmarks.sequences.forgetting [--row | --simulated | --dated]
"""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pyarrow.parquet as pq

from benchmarks.measure import measure, print_table, real_data
from driftline.sequences import CRF, LocalCRF, Templates

OPTIONS = {"l2": 0.5, "epochs": 12, "solver": "sgd", "random_state": 0}
N_TAGS, N_WORDS, LENGTH = 5, 60, 8
SIMPLE = Templates(((("word", 0),), (("word", -1),)))


def dated():
    """Return the dated sentences, their tags and their days, in the order of time."""
    rows = pq.read_table(real_data("ud_english_ewt"), columns=["time", "tokens", "upos"]).to_pylist()
    rows = sorted((row for row in rows if row["time"] is not None), key=lambda row: row["time"])
    days = np.array([row["time"] for row in rows], dtype="datetime64[s]").astype(np.int64) / 86400
    return [row["tokens"] for row in rows], [row["upos"] for row in rows], days


def print_dated():
    words, tags, days = dated()
    n = 3 * len(words) // 4
    learned, test = (words[:n], tags[:n]), (words[n:], tags[n:])
    age, rows = days[n - 1] - days[:n], []

    def add(name, model, taken, **arguments):
        rows.append([name, f"{100 * model.score(*test, **arguments):.2f}", taken.cpu_seconds])
        print(rows[-1], file=sys.stderr, flush=True)

    CRF(**OPTIONS).fit(words[:20], tags[:20])  # compile
    add("CRF, all the past", *measure(lambda: CRF(**OPTIONS).fit(*learned)))
    for half_life in (365, 180, 90):
        weights = 0.5 ** (age / half_life)
        fitted, taken = measure(lambda weights=weights: CRF(**OPTIONS).fit(*learned, sample_weight=weights))
        add(f"CRF, half-life {half_life} days", fitted, taken)
    near = age <= 90
    add(
        f"CRF, last 90 days ({near.sum():,} sentences)",
        *measure(
            lambda: CRF(**OPTIONS).fit(
                [s for s, k in zip(learned[0], near) if k], [s for s, k in zip(learned[1], near) if k]
            )
        ),
    )
    times = np.asarray(days * 86400, dtype=np.int64).astype("datetime64[s]")
    model, taken = measure(lambda: LocalCRF(**OPTIONS).fit(*learned, times=times[:n]))
    add('LocalCRF("cv")', model, taken, times=times[n:])
    print_table(
        f"Parts of speech of {len(words):,} dated sentences, the last quarter tagged", ["", "correct, %", "CPU s"], rows
    )
    print(f"\nLocalCRF: {model.chosen_}.\n")
    validated = [
        [
            one["name"],
            f"{100 * one['accuracy']:.2f}",
            "{:+.2f} ({:+.2f} to {:+.2f})".format(*(100 * end for end in one["accuracy_gain"])),
        ]
        for one in model.candidates_
    ]
    print_table("Its validation", ["", "correct, %", "gain against all alike, points"], validated)


def simulated(n, n_changes, rng):
    """Return sentences and tags; at each of `n_changes` moments a third of the words change their tag."""
    home = rng.integers(0, N_TAGS, N_WORDS)
    chain = rng.dirichlet(np.full(N_TAGS, 0.6), N_TAGS)
    changes = np.linspace(0, n, n_changes + 2).astype(int)[1:-1]
    words, tags = [], []
    for number in range(n):
        if number in changes:
            moved = rng.choice(N_WORDS, N_WORDS // 3, replace=False)
            home[moved] = rng.integers(0, N_TAGS, len(moved))
        state, sentence = [rng.integers(N_TAGS)], []
        for _ in range(LENGTH - 1):
            state.append(rng.choice(N_TAGS, p=chain[state[-1]]))
        for tag in state:
            own = np.flatnonzero(home == tag)
            sentence.append(f"w{rng.choice(own) if len(own) and rng.random() < 0.9 else rng.integers(N_WORDS)}")
        words.append(sentence)
        tags.append([f"T{tag}" for tag in state])
    return words, tags


def print_simulated(n, cases):
    rows = []
    for n_changes in cases:
        words, tags = simulated(n, n_changes, np.random.default_rng(n_changes))
        cut = 3 * n // 4
        learned, test, times = (words[:cut], tags[:cut]), (words[cut:], tags[cut:]), np.arange(n, dtype=float)
        options = {"features": SIMPLE, "l2": 0.5, "random_state": 0, "max_iter": 60}
        steady = CRF(**options).fit(*learned).score(*test)
        # updated every eighth of the test part, as a tagger in use would be
        parts = np.linspace(cut, n, 9).astype(int)
        model = LocalCRF(**options).fit(*learned, times=times[:cut])
        widths = [one["bandwidth"] for one in model.candidates_]
        scores = {width: in_use(words, tags, times, parts, {**options, "bandwidth": width}) for width in widths}
        best = max(scores, key=scores.get)
        rows.append(
            [
                n_changes,
                f"{100 * steady:.1f}",
                f"{100 * scores[np.inf]:.1f}",
                f"{model.bandwidth_:g}",
                f"{100 * scores[model.bandwidth_]:.1f}",
                f"{best:g}",
                f"{100 * scores[best]:.1f}",
            ]
        )
    print_table(
        f"{n:,} simulated sentences, a third of the words change their tag at each change; correct, %",
        ["changes", "never updated", "all the past", "selected", "with it", "best on the test part", "with it"],
        rows,
    )


def in_use(words, tags, times, parts, options):
    """Return the share of tags that are right if the model is fitted again before every part."""
    right = total = 0
    for start, end in itertools.pairwise(parts):
        model = LocalCRF(**{**options, "n_fits": 1}).fit(words[:start], tags[:start], times=times[:start])
        found = model.predict(words[start:end])
        right += sum((np.array(a) == np.array(b)).sum() for a, b in zip(found, tags[start:end]))
        total += sum(map(len, tags[start:end]))
    return right / total


def main():
    if "--row" in sys.argv:
        print_simulated(600, [4])
        return
    if "--dated" not in sys.argv:
        print_simulated(1200, [0, 2, 8])
    if "--simulated" not in sys.argv:
        print_dated()


if __name__ == "__main__":
    main()
