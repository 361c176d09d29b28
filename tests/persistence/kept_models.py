"""The models that are kept under `saved_models/`: what they are asked, and how their answers are written down.

saved_models/format-1/inputs.npz, texts.json    what all models of this format are asked about
saved_models/format-3/sentences.json             what taggers are asked about
saved_models/format-1/<name>/model/             the saved model
saved_models/format-1/<name>/asked.json         which of the inputs it is asked about, and which methods
saved_models/format-1/<name>/answers.npz        what it answered when it was saved
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from driftline.streams.stream import Stream
from tests.contracts.checks import answers
from tests.contracts.samples import Sample

SAVED_MODELS = Path(__file__).parent / "saved_models"


def ask(model: Any, question: str, methods: tuple[str, ...], inputs: Mapping[str, Sample]) -> dict[str, np.ndarray]:
    """Return what a model answers, as plain arrays by name; the attributes of a model that has no methods."""
    sample = inputs.get(question, Sample(None))
    if question == "stream":
        run = model.label(_documents(sample), n_suggestions=3)
        return flat({"answers": run.answers, "suggestions": [suggestion.id for suggestion in run.suggestions]})
    if question == "state":
        return flat({name: value for name, value in vars(model).items() if name.endswith("_")})
    if question == "nothing":
        return flat({"parameters": {name: str(value) for name, value in model.get_params().items()}})
    if question == "texts without times":
        return flat({name: getattr(model, name)(sample.X) for name in methods})
    if question == "texts":
        return flat({name: getattr(model, name)(sample.X, times=sample.times) for name in methods})
    if question == "watched texts":
        rows = model.transform_texts(sample.X)
        seen = [model.estimator_.update(row, time) for row, time in zip(rows, sample.times)]
        return flat({"labels": [one.label for one in seen], "probabilities": [one.probability for one in seen]})
    found = answers(model, sample, methods)
    if not found:
        found = {name: value for name, value in vars(model).items() if name.endswith("_") and name[0] != "_"}
    return flat(found)


def flat(value: Any, name: str = "") -> dict[str, np.ndarray]:
    """Return the arrays inside a value, by the path that leads to them.

    >>> {name: array.tolist() for name, array in flat({"a": [1, 2], "b": (0.5, {"c": None})}).items()}
    {'a': [1, 2], 'b/0': 0.5, 'b/1/c': 'None'}
    """
    if sp.issparse(value):
        value = value.toarray()
    if isinstance(value, pa.Table):
        value = {column: value[column].to_pylist() for column in value.column_names}
    if isinstance(value, Mapping):
        parts = {f"{name}/{key}": part for key, part in value.items()}
    elif isinstance(value, tuple) or (isinstance(value, list) and any(not _is_plain(part) for part in value)):
        parts = {f"{name}/{number}": part for number, part in enumerate(value)}
    else:
        array = np.asarray(value)
        return {name.removeprefix("/"): array.astype(str) if array.dtype.kind == "O" else array}
    return {key: array for path, part in parts.items() for key, array in flat(part, path).items()}


def write_inputs(folder: Path, inputs: Mapping[str, Sample]) -> None:
    """Write what the models are asked about."""
    arrays, texts = {}, {}
    for name, sample in inputs.items():
        if isinstance(sample.X, list) and isinstance(sample.X[0], str):
            texts[name] = {"X": sample.X, "times": sample.times.astype(str).tolist(), "labels": sample.labels}
            continue
        X = np.concatenate([sample.X[0][:0], *sample.X]) if isinstance(sample.X, list) else sample.X
        arrays[f"{name}/X"] = X.toarray() if sp.issparse(X) else X
        if isinstance(sample.X, list):
            arrays[f"{name}/lengths"] = np.array([len(row) for row in sample.X])
        for part in ("times", "labels"):
            if getattr(sample, part) is not None:
                arrays[f"{name}/{part}"] = getattr(sample, part)
    np.savez_compressed(folder / "inputs.npz", **arrays)
    (folder / "texts.json").write_text(json.dumps(texts, indent=1) + "\n", encoding="utf-8")


def write_sentences(folder: Path, sample: Sample) -> None:
    """Write the sentences that taggers are asked about."""
    parts = {"X": sample.X, "times": sample.times.tolist(), "labels": sample.labels.tolist()}
    (folder / "sentences.json").write_text(json.dumps(parts) + "\n", encoding="utf-8")


def read_inputs(folder: Path) -> dict[str, Sample]:
    """Read what the models are asked about."""
    with np.load(folder / "inputs.npz", allow_pickle=False) as file:
        arrays = dict(file)
    inputs = {}
    for name in sorted({path.partition("/")[0] for path in arrays}):
        X: Any = arrays[f"{name}/X"]
        if f"{name}/lengths" in arrays:
            X = np.split(X, np.cumsum(arrays[f"{name}/lengths"])[:-1])
        elif name in ("counts", "labels"):
            X = sp.csr_matrix(X)
        inputs[name] = Sample(X, arrays.get(f"{name}/times"), arrays.get(f"{name}/labels"))
    for name, part in json.loads((folder / "texts.json").read_text(encoding="utf-8")).items():
        inputs[name] = Sample(part["X"], np.array(part["times"], dtype="datetime64[us]"), part["labels"])
    if (folder / "sentences.json").exists():  # formats before taggers have none
        part = json.loads((folder / "sentences.json").read_text(encoding="utf-8"))
        labels = np.empty(len(part["X"]), dtype=object)
        labels[:] = part["labels"]
        inputs["tags"] = Sample(part["X"], np.array(part["times"]), labels)
    return inputs


def _documents(sample: Sample) -> pa.Table:
    rows = zip(map(str, range(len(sample))), sample.times, sample.X, sample.labels)
    return Stream.from_documents([(f"later-{number}", *rest) for number, *rest in rows]).table()


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str | np.generic) or hasattr(value, "isoformat")
