"""Conditional random fields against CRFsuite: the same attributes, in one run; chunks and parts of speech.

CoNLL-2000 with the 19 templates of CRF++ and l2 = 0.5. Processor time is that of training, templates or the strings of
attributes included. Then the parts of speech of UD English EWT: trained on its training part, tested on its test part;
the pairs of neighbours and their l2 were chosen on the dev part.
`--row` trains ours on simulated sentences; `--chunks` and `--tags` print one table only, `--quick` leaves out the two
solvers L-BFGS, and `--peer` keeps that of CRFsuite.

    python -m benchmarks.sequences.crf [--row | --chunks | --tags] [--quick | --peer]
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.measure import measure, print_table
from benchmarks.sequences.treebank import chunks, treebank
from driftline.sequences import CRF, HiddenMarkovTagger, Templates
from driftline.sequences.spans import span_score

L2 = 0.5


def strings_of(sentence, templates):
    """Return the attributes of every token as CRFsuite takes them: strings."""
    found = []
    for place in range(len(sentence)):
        token = []
        for number, template in enumerate(templates.templates):
            parts = []
            for name, distance in template:
                at = place + distance
                if at < 0:
                    parts.append(f"_B{at}")
                elif at >= len(sentence):
                    parts.append(f"_B+{at - len(sentence) + 1}")
                else:
                    parts.append(sentence[at][0 if name == "word" else 1])
            token.append(f"{number}={'|'.join(parts)}")
        found.append(token)
    return found


def theirs(train, test, templates, algorithm, options, file):
    """Train CRFsuite; return the tags of the test sentences, and the processor time of both."""
    import pycrfsuite

    def learn():
        trainer = pycrfsuite.Trainer(algorithm=algorithm, verbose=False)
        for sentence, tags in zip(*train):
            trainer.append(strings_of(sentence, templates), tags)
        trainer.set_params(options)
        trainer.train(file)

    _, training = measure(learn)
    tagger = pycrfsuite.Tagger()
    tagger.open(file)
    found, tagging = measure(lambda: [tagger.tag(strings_of(sentence, templates)) for sentence in test[0]])
    return found, training, tagging


def ours(train, test, **options):
    model, training = measure(partial(CRF("chunking", l2=L2, random_state=0, **options).fit, *train))
    found, tagging = measure(partial(model.predict, test[0]))
    return [tags.tolist() for tags in found], training, tagging, len(model.weights_)


def print_chunks(with_peer, with_ours):
    parts = chunks()
    train, test, templates = parts["train"], parts["test"], Templates.chunking()
    CRF("chunking", epochs=1, solver="sgd").fit(train[0][:20], train[1][:20]).predict(test[0][:2])  # compile
    CRF("chunking", max_iter=1, solver="lbfgs").fit(train[0][:20], train[1][:20])
    rows = []

    def add(name, found, training, tagging, n_weights=""):
        score = span_score(test[1], found)
        rows.append([name, training.cpu_seconds, tagging.cpu_seconds, f"{100 * score.f1:.2f}", n_weights])
        print(rows[-1], file=sys.stderr, flush=True)

    add("driftline, SGD, 16 epochs", *ours(train, test, solver="sgd"))
    if importlib.util.find_spec("pycrfsuite") is not None:
        with tempfile.TemporaryDirectory() as folder:
            file = str(Path(folder, "model"))
            add(
                "CRFsuite, l2sgd, 16 epochs",
                *theirs(
                    train, test, templates, "l2sgd", {"c2": L2, "max_iterations": 16, "calibration.samples": 1000}, file
                ),
            )
            if with_peer:
                add("CRFsuite, L-BFGS", *theirs(train, test, templates, "lbfgs", {"c1": 0.0, "c2": L2}, file))
    if with_ours:
        add("driftline, L-BFGS-B", *ours(train, test, solver="lbfgs", max_iter=150))
    print_table("Chunks of CoNLL-2000", ["", "training, CPU s", "tagging 47,377 tokens, CPU s", "F1", "weights"], rows)


def print_tags():
    parts = treebank()
    rows, sgd = [], {"epochs": 12, "solver": "sgd", "random_state": 0}
    CRF(epochs=1, solver="sgd").fit(parts["train"][0][:20], parts["train"][1][:20])
    unknown = np.concatenate(HiddenMarkovTagger().fit(*parts["train"]).unknown_words(parts["test"][0]))
    for name, model in (
        ("HiddenMarkovTagger", HiddenMarkovTagger()),
        ("CRF, 12 epochs", CRF(l2=L2, **sgd)),
        ("CRF, 12 epochs, pairs of neighbours, l2 = 0.1", CRF("parts_of_speech_pairs", l2=0.1, **sgd)),
    ):
        fitted, taken = measure(partial(model.fit, *parts["train"]))
        right = np.concatenate(
            [np.array(a) == np.array(b) for a, b in zip(fitted.predict(parts["test"][0]), parts["test"][1])]
        )
        rows.append([name, f"{100 * right.mean():.2f}", f"{100 * right[unknown].mean():.1f}", taken.cpu_seconds])
    print_table(
        "Parts of speech (UPOS) of UD English EWT, test part, %", ["", "all", "unknown", "training, CPU s"], rows
    )


def print_row():
    rng = np.random.default_rng(0)
    tags = [rng.integers(0, 5, 20).tolist() for _ in range(500)]
    words = [[f"w{t * 10 + rng.integers(0, 12)}" for t in one] for one in tags]
    model = CRF(Templates(((("word", 0),), (("word", -1),))), solver="sgd", random_state=0)
    fitted, taken = measure(partial(model.fit, words[:400], [[str(t) for t in one] for one in tags[:400]]))
    score = fitted.score(words[400:], [[str(t) for t in one] for one in tags[400:]])
    print_table(
        "Simulated sentences", ["", "accuracy, %", "training, CPU s"], [["CRF", 100 * score, taken.cpu_seconds]]
    )


def main():
    if "--row" in sys.argv:
        print_row()
        return
    if "--chunks" not in sys.argv:
        print_tags()
    if "--tags" not in sys.argv:
        print_chunks("--quick" not in sys.argv, "--quick" not in sys.argv and "--peer" not in sys.argv)


if __name__ == "__main__":
    main()
