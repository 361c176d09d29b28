"""Models that every earlier format wrote still load, and answer as they did when they were saved."""

from __future__ import annotations

import inspect
import json
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

import driftline
from driftline.core.labels import labelled_values
from driftline.persistence.migrations import FORMAT_VERSION, MIGRATIONS
from driftline.persistence.model_description import describe
from driftline.persistence.public_names import HOMES
from tests.contracts.checks import TRUSTED
from tests.persistence.kept_models import SAVED_MODELS, ask, read_inputs

KEPT = sorted(folder.parent for folder in SAVED_MODELS.glob("*/*/model"))
kept = pytest.mark.parametrize("folder", KEPT, ids=[f"{folder.parent.name}-{folder.name}" for folder in KEPT])
pytestmark = [
    pytest.mark.filterwarnings("ignore::driftline.core.errors.OutsideSupportWarning"),
    pytest.mark.filterwarnings("ignore:.*contains estimators of scikit-learn:UserWarning"),
]
inputs = lru_cache(read_inputs)

REWORDED = {"link: 1 links": "link: 1 link"}
"""Descriptions of parameters in the kept answers, and their present wording."""

SCORED_ALL, SCORED_ALL_UNTIL = {"ForwardClassifier", "LocalLogisticRegression", "LocalNaiveBayes"}, 3
"""Classes whose kept scores, up to this format, counted documents without a label as errors; they do not count now."""


def names_in(folder: Path) -> set[str]:
    """Return all classes that the manifest of a kept model names."""

    def walk(node):
        if isinstance(node, dict):
            yield from [node["class"]] if "class" in node else []
            for part in node.values():
                yield from walk(part)
        elif isinstance(node, list):
            for part in node:
                yield from walk(part)

    return set(walk(json.loads((folder / "model" / "manifest.json").read_bytes())))


def reworded(description: str) -> str:
    """Return a description of an earlier version in the present wording."""
    for before, now in REWORDED.items():
        description = description.replace(before, now)
    return description


def rescored(score: np.ndarray, folder: Path, asked: dict[str, str]) -> np.ndarray:
    """Return a kept score as the share of the labelled documents, where it was a share of all."""
    if asked["class"] not in SCORED_ALL or int(folder.parent.name.removeprefix("format-")) > SCORED_ALL_UNTIL:
        return score
    labels = inputs(folder.parent)[asked["question"]].labels
    return score / labelled_values(labels, len(labels))[1].mean()


def test_models_of_every_format_are_kept():
    formats = {folder.parent.name for folder in KEPT}
    assert formats == {f"format-{version}" for version in range(1, FORMAT_VERSION + 1)}
    assert set(MIGRATIONS) == set(range(1, FORMAT_VERSION))


@kept
def test_a_kept_model_answers_as_it_did(folder: Path):
    asked = json.loads((folder / "asked.json").read_text())
    model = driftline.load(folder / "model", trusted=TRUSTED)
    assert type(model).__name__ == asked["class"]
    found = ask(model, asked["question"], tuple(asked["methods"]), inputs(folder.parent))
    with np.load(folder / "answers.npz", allow_pickle=False) as expected:
        # A parameter that is newer than the model has its default.
        defaults = inspect.signature(type(model)).parameters
        for name in found.keys() - set(expected):
            assert name.startswith("parameters/")
            assert str(found.pop(name)) == str(defaults[name.removeprefix("parameters/")].default)
        assert found.keys() == set(expected)
        for name, answer in found.items():
            if name == "score":
                np.testing.assert_allclose(answer, rescored(expected[name], folder, asked), rtol=1e-7)
            elif answer.dtype.kind == "f":
                np.testing.assert_allclose(answer, expected[name], rtol=1e-7, atol=1e-9, err_msg=name)
            elif name.startswith("parameters/"):
                assert str(answer) == reworded(str(expected[name])), name
            else:
                np.testing.assert_array_equal(answer, expected[name], err_msg=name)


@kept
def test_a_kept_model_is_described_by_its_public_name(folder: Path):
    reported = describe(folder / "model")
    assert f"format-{reported.format_version}" == folder.parent.name
    assert reported.class_name in HOMES or reported.class_name.startswith(TRUSTED)


@kept
def test_a_kept_model_saved_again_names_no_module_of_ours(folder: Path, tmp_path: Path):
    driftline.load(folder / "model", trusted=TRUSTED).save(tmp_path / "model", trusted=TRUSTED)
    dotted = {name for name in names_in(tmp_path) if "." in name}
    assert not [name for name in dotted if name.startswith("driftline")]
    assert names_in(tmp_path) - dotted <= set(HOMES)


def test_the_kept_models_reach_every_class_of_the_table():
    newest = {name for folder in KEPT if folder.parent.name == f"format-{FORMAT_VERSION}" for name in names_in(folder)}
    by_reference = {"Vocabulary"}  # vocabularies have a file of their own, and need no name in the manifest
    assert set(HOMES) - by_reference <= newest, "write models of the missing classes, or take them off the table"
