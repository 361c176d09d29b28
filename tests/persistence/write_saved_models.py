"""Save a small model of every kind in the current format, with what it answers, for the versions to come.

    python -m tests.persistence.write_saved_models

Run it once, when a format is new, and never again for that format: a model under `saved_models/` shows what an earlier
version of driftline wrote. Models that have none yet are added; those that are there stay as they are.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

import driftline
from driftline.base.text_model import TextModel
from driftline.datasets.newswire import simulate_newswire
from driftline.graphs import BayesianNetwork, MarkovLogic, RelationalModel
from driftline.guidance import Guide, TagRule
from driftline.intensity import IntensityWatcher
from driftline.local import ForwardClassifier, LocalLogisticRegression, LocalMultinomial, LocalNaiveBayes, LocalNGram
from driftline.monitoring import TextClassifier
from driftline.persistence.manifest import FORMAT_VERSION
from driftline.sequences import CRF, Templates
from driftline.streams.stream import Stream
from driftline.text.tokenise import Tokenizer
from driftline.topics import LDA
from tests.contracts.checks import TRUSTED, fit
from tests.contracts.estimators import ESTIMATORS
from tests.contracts.samples import KINDS, Sample, in_days
from tests.persistence.kept_models import SAVED_MODELS, ask, read_inputs, write_inputs, write_sentences

N_LEARNED, N_ASKED = 80, 20
"""How many stories models of text learn from, and how many they are asked about."""


def main() -> None:
    """Write the models of the current format that are not there yet."""
    folder = SAVED_MODELS / f"format-{FORMAT_VERSION}"
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "inputs.npz").exists():
        tables = {kind: sample for kind, sample in _samples().items() if kind not in ("tags", "series")}
        write_inputs(folder, {**tables, **_texts(slice(N_LEARNED, None))})
    if not (folder / "sentences.json").exists():
        write_sentences(folder, KINDS["tags"]())
    inputs = read_inputs(folder)
    for name, make, question, methods in _models():
        place = folder / name
        if place.exists():
            continue
        place.mkdir()
        model = make()
        model.save(place / "model", trusted=TRUSTED)
        # A loaded copy is asked: whatever the answer changes is not in the file
        found = ask(driftline.load(place / "model", trusted=TRUSTED), question, methods, inputs)
        np.savez_compressed(place / "answers.npz", **found)
        asked = {"class": type(model).__name__, "question": question, "methods": methods}
        (place / "asked.json").write_text(json.dumps(asked, indent=1) + "\n", encoding="utf-8")


Kept = tuple[str, Callable[[], Any], str, tuple[str, ...]]
"""Name of a model, how it is made, which input it is asked about, and which methods are asked."""


def _models() -> Iterator[Kept]:
    samples = _samples()
    for contract in ESTIMATORS:
        # Contracts that differ in their parameters only are different models: together they reach every part
        name = re.sub(r"[^A-Za-z0-9]+", "-", contract.name).strip("-")
        yield name, partial(fit, contract.make(), samples[contract.data]), contract.data, contract.ask
    own_templates = CRF(Templates(((("word", 0),), (("suffix1", 0),))), max_iter=5)
    yield "CRF-own-templates", partial(fit, own_templates, samples["tags"]), "tags", ()
    yield "LDA-unfitted", lambda: LDA(4, random_state=np.random.default_rng(5)), "nothing", ()
    yield "LDA-guided", _guided, "state", ()
    wishes = Guide().merge(0, 1).spread().link([(0, 1)]).rule(TagRule.bio()).together("a", "b")
    yield "LDA-unfitted-guided", lambda: LDA(4, guide=wishes), "nothing", ()
    yield from _models_of_graphs()
    yield from _models_of_text(_texts(slice(0, N_LEARNED)))


def _guided() -> LDA:
    counts = _samples()["counts"].X
    old = LDA(2, max_epochs=2, random_state=3).fit(counts)
    guide = Guide().topic("first", [0], never=[2]).keep(old, [1]).label([0], "first").proportion("first", at_least=0.05)
    return LDA(4, guide=guide, max_epochs=3, random_state=3).fit(counts)


def _models_of_graphs() -> Iterator[Kept]:
    rows = {"rain": ["no", "yes", "yes", None], "sprinkler": [1, 0, None, 1], "grass": ["dry", "wet", "wet", "wet"]}
    network = BayesianNetwork([("rain", "grass"), ("sprinkler", "grass")], random_state=3)
    yield "BayesianNetwork", partial(network.fit, rows), "state", ()
    rules = MarkovLogic("1.5 Smokes(x) => Cancer(x)\nFriends(x, x) => Smokes(x).", closed=["Friends"])
    yield "MarkovLogic", partial(rules.fit, ["Friends(Anna, Bob)", "!Cancer(Bob)"]), "state", ()
    schema = {"Person": ["team"], "Mail": {"attributes": ["topic"], "slots": {"author": "Person.mails"}}}
    relations = RelationalModel(schema, {"Mail.topic": ["author.team"], "Person.team": ["count(mails)"]})
    people, mails = {"team": ["x", "y"]}, {"author": [0, 0, 1], "topic": ["a", "b", "b"]}
    yield "RelationalModel", partial(relations.fit, {"Person": people, "Mail": mails}), "state", ()


def _models_of_text(learned: dict[str, Sample]) -> Iterator[Kept]:
    sample = learned["texts"]
    tokenizer = Tokenizer(stop_words="english")

    def text_model(estimator: Any, weighting: str, y: Any, times: Any) -> Any:
        n_words = 12 if isinstance(estimator, LocalLogisticRegression) else 40  # it keeps many fits
        model = TextModel(estimator, tokenizer, weighting, min_df=5, max_features=n_words)
        return model.fit(sample.X, *([] if y is None else [y]), **({} if times is None else {"times": times}))

    labels, times = sample.labels, sample.times
    predict, score = ("predict", "predict_proba"), ("score_samples",)
    for name, estimator, weighting, y, when, question, methods in [
        ("counts", LocalMultinomial(bandwidth="30d"), "counts", None, times, "texts", score),
        ("naive-bayes", LocalNaiveBayes(bandwidth="30d"), "counts", labels, times, "texts", predict),
        ("logistic", LocalLogisticRegression(bandwidth="30d", side="past"), "tf-idf", labels, times, "texts", predict),
        ("ngram", LocalNGram(order=2, bandwidth="30d"), "sequences", None, times, "texts", score),
        ("scikit-learn", LogisticRegression(), "tf-idf", labels, None, "texts without times", predict),
        ("topics", LDA(3, max_epochs=3, random_state=3), "counts", None, None, "texts without times", score),
        ("watcher", IntensityWatcher(), "tf-idf", labels, times, "watched texts", ()),
    ]:
        yield f"TextModel-{name}", partial(text_model, estimator, weighting, y, when), question, methods

    def classifier() -> Any:
        model = TextClassifier(ForwardClassifier(), tokenizer, min_df=5, max_features=40)
        model.fit(sample.X[:60], labels[:60], times=times[:60])
        return model.partial_fit(sample.X[60:], labels[60:], times=times[60:])

    yield "TextClassifier", classifier, "texts", predict

    def labeller() -> Any:
        stream, model = learned["stream"], driftline.StreamLabeller(every="1mo", tokenizer=tokenizer, min_df=3)
        rows = zip(stream.times, stream.X, stream.labels)
        model.label(Stream.from_documents([(str(number), *row) for number, row in enumerate(rows)]).table())
        return model

    yield "StreamLabeller", labeller, "stream", ()


def _samples() -> dict[str, Sample]:
    made = {kind: make() for kind, make in KINDS.items()}
    dated = {
        kind: in_days(sample) for kind, sample in made.items() if kind not in ("times", "sequences", "tags", "series")
    }
    return {**made, **dated}


def _texts(part: slice) -> dict[str, Sample]:
    wire = simulate_newswire(N_LEARNED + N_ASKED, random_state=2)
    texts = [text[:400] for text in wire.texts[part]]
    times = np.asarray(wire.times, dtype="datetime64[us]")[part]
    labels = [str(label) for label in wire.labels[part]]
    few = [label if number % 4 == 0 else None for number, label in enumerate(labels)]
    return {
        "texts": Sample(texts, times, labels),
        "texts without times": Sample(texts, times, labels),
        "watched texts": Sample(texts, times, labels),
        "stream": Sample(texts, times, few),
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
    sizes = [file.stat().st_size for file in Path(SAVED_MODELS).rglob("*") if file.is_file()]
    print(f"{len(sizes)} files, {sum(sizes) / 2**20:.2f} MiB")  # noqa: T201
