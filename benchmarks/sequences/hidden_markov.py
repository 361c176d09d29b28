"""Hidden Markov models: steps of EM against hmmlearn from the same start; parts of speech and names of real sentences.

The first table counts processor time of ten steps of EM, best of nine, and the largest difference of any parameter
after them. hmmlearn has two implementations; both are shown. The second trains on the training part of UD English EWT,
and tests on its test part; settings were chosen on the dev part. Names are runs of proper nouns.

    python -m benchmarks.sequences.hidden_markov [--row | --speed]
"""

from __future__ import annotations

import importlib.util
import sys
from functools import partial

import numpy as np

from benchmarks.measure import measure, print_table
from benchmarks.sequences.treebank import bio_names, treebank
from driftline.sequences import HiddenMarkovTagger, NameFinder
from driftline.sequences.baum_welch import BAUM_WELCH, Parameters, Sequences
from driftline.sequences.spans import span_score

STEPS, REPEATS = 10, 9


def start(n_states, rng):
    means, spread = rng.normal(0, 3, n_states), rng.uniform(0.5, 2, n_states)
    return Parameters(
        rng.dirichlet(np.ones(n_states)), rng.dirichlet(np.ones(n_states), n_states), np.stack([means, spread])
    )


def drawn(n_states, lengths, rng):
    """Return series drawn from a model of this size."""
    truth, parts = start(n_states, rng), []
    for length in lengths:
        states = [rng.choice(n_states, p=truth.initial)]
        for _ in range(length - 1):
            states.append(rng.choice(n_states, p=truth.transition[states[-1]]))
        parts.append(rng.normal(truth.emission[0, states], np.sqrt(truth.emission[1, states])))
    return parts


def ours(begin, x, offsets):
    problem = Sequences(np.arange(len(x)), offsets, len(begin.initial), x[:, None], 1e-12, kind="gaussian").prepared()
    parameters = begin
    for _ in range(STEPS):
        counts, _ = BAUM_WELCH.expect(parameters, problem, None)
        parameters = BAUM_WELCH.maximise(counts, parameters, problem)
    return np.concatenate([parameters.initial, parameters.transition.ravel(), parameters.emission.ravel()])


def theirs(begin, x, offsets, implementation):
    from hmmlearn.hmm import GaussianHMM

    no_prior = {"covars_prior": 0.0, "covars_weight": 0.0, "min_covar": 0.0}
    model = GaussianHMM(
        len(begin.initial), n_iter=STEPS, tol=-np.inf, init_params="", implementation=implementation, **no_prior
    )
    model.startprob_, model.transmat_ = begin.initial, begin.transition
    model.means_, model.covars_ = begin.emission[0][:, None], begin.emission[1][:, None]
    model.fit(x[:, None], np.diff(offsets))
    spread = np.array([np.ravel(one)[0] for one in model.covars_])
    return np.concatenate([model.startprob_, model.transmat_.ravel(), model.means_.ravel(), spread])


def print_speed(cases):
    rows = []
    for n_states, lengths in cases:
        rng = np.random.default_rng(0)
        x = np.concatenate(drawn(n_states, lengths, rng))
        offsets, begin = np.concatenate([[0], np.cumsum(lengths)]), start(n_states, rng)
        ours(begin, x, offsets)  # compile
        found, taken = measure(partial(ours, begin, x, offsets), repeat=REPEATS)
        name = f"{n_states} states, {len(lengths)} × {lengths[0]:,} steps"
        rows.append([name, "driftline", taken.cpu_seconds, "", ""])
        if importlib.util.find_spec("hmmlearn") is None:
            continue
        for implementation in ("log", "scaling"):
            expected, other = measure(partial(theirs, begin, x, offsets, implementation), repeat=REPEATS)
            difference = np.abs(found - expected).max()
            ratio = other.cpu_seconds / taken.cpu_seconds
            rows.append([name, f"hmmlearn ({implementation})", other.cpu_seconds, f"{ratio:.1f}", f"{difference:.1e}"])
    print_table(f"{STEPS} steps of EM", ["series", "", "CPU s", "ratio to ours", "largest difference"], rows)


def print_tags():
    parts = treebank()
    (words, tags), (test_words, test_tags) = parts["train"], parts["test"]
    tagger, taken = measure(lambda: HiddenMarkovTagger().fit(words, tags))
    predicted, tagging = measure(lambda: tagger.predict(test_words))
    right = np.concatenate([np.array(a) == np.array(b) for a, b in zip(predicted, test_tags)])
    unknown = np.concatenate(tagger.unknown_words(test_words))
    often = [most_frequent(words, tags, sentence) for sentence in test_words]
    rival = np.concatenate([np.array(a) == np.array(b) for a, b in zip(often, test_tags)])
    print_table(
        "Parts of speech (UPOS), test part: share of words, %",
        ["", "all words", "unknown words", "training, CPU s", "tagging, CPU s"],
        [
            [
                "the word's most frequent tag, NOUN if unknown",
                *(f"{100 * part.mean():.2f}" for part in (rival, rival[unknown])),
                "",
                "",
            ],
            [
                "HiddenMarkovTagger",
                f"{100 * right.mean():.2f}",
                f"{100 * right[unknown].mean():.2f}",
                taken.cpu_seconds,
                tagging.cpu_seconds,
            ],
        ],
    )
    names = {split: (parts[split][0], [bio_names(one) for one in parts[split][1]]) for split in ("train", "test")}
    finder, taken = measure(lambda: NameFinder().fit(*names["train"]))
    rows = [
        [
            "runs of PROPN by HiddenMarkovTagger",
            *span_score(names["test"][1], [bio_names(one) for one in predicted]),
            "",
        ],
        ["NameFinder", *span_score(names["test"][1], finder.predict(names["test"][0])), taken.cpu_seconds],
    ]
    print_table("Names (runs of PROPN), test part", ["", "precision", "recall", "F1", "training, CPU s"], rows)


_FREQUENT = {}


def most_frequent(words, tags, sentence):
    if not _FREQUENT:
        counts = {}
        for one, its in zip(words, tags):
            for word, tag in zip(one, its):
                counts.setdefault(word, {}).setdefault(tag, 0)
                counts[word][tag] += 1
        _FREQUENT.update({word: max(its, key=its.get) for word, its in counts.items()})
    return [_FREQUENT.get(word, "NOUN") for word in sentence]


def main():
    if "--row" in sys.argv:
        print_speed([(4, [20_000])])
        return
    print_speed([(4, [200_000]), (16, [160] * 25)])
    if "--speed" not in sys.argv:
        print_tags()


if __name__ == "__main__":
    main()
