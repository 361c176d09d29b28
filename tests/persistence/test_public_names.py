from __future__ import annotations

import importlib
import pkgutil

import pytest
from sklearn.base import BaseEstimator

import driftline
from driftline.core.errors import InvalidInput, ModelFileError
from driftline.persistence import public_names
from driftline.persistence.classes import class_named
from driftline.persistence.model import save_model
from driftline.persistence.public_names import HOMES, home_of, public_name
from tests.persistence.holder import Holder, tamper


def estimators_of_driftline() -> list[type]:
    """Return every estimator of driftline that is not the base class of another."""
    for module in pkgutil.walk_packages(driftline.__path__, "driftline."):
        importlib.import_module(module.name)
    waiting, found = [BaseEstimator], set()
    while waiting:
        below = waiting.pop().__subclasses__()
        found.update(below)
        waiting.extend(below)
    ours = [kind for kind in found if kind.__module__.startswith("driftline.")]
    return [kind for kind in ours if not any(other in ours for other in kind.__subclasses__())]


@pytest.mark.parametrize("name", HOMES)
def test_every_name_leads_to_its_class_and_back(name):
    kind = class_named(name)
    assert public_name(kind) == name


def test_every_estimator_has_a_name():
    nameless = sorted(kind.__qualname__ for kind in estimators_of_driftline() if public_name(kind) is None)
    assert not nameless, f"give {', '.join(nameless)} public names in driftline/persistence/public_names.py"


def test_no_two_names_mean_the_same_class():
    assert len(set(HOMES.values())) == len(HOMES)


def test_a_former_name_is_not_a_current_one():
    assert not set(public_names.FORMER_NAMES) & set(HOMES)
    assert set(public_names.FORMER_NAMES.values()) <= set(HOMES)


def test_a_former_name_still_loads(monkeypatch, tmp_path):
    driftline.load(save_model(class_named("PLSA")(3), tmp_path / "model"))
    tamper(tmp_path / "model", lambda manifest: manifest["model"].update({"class": "LatentSemantics"}))
    with pytest.raises(ModelFileError, match="LatentSemantics"):
        driftline.load(tmp_path / "model")
    monkeypatch.setattr(public_names, "FORMER_NAMES", {"LatentSemantics": "PLSA"})
    assert home_of("LatentSemantics") == home_of("PLSA")
    assert driftline.load(tmp_path / "model").n_topics == 3


def test_a_class_of_ours_without_a_name_cannot_be_saved(tmp_path, monkeypatch):
    monkeypatch.setattr(Holder, "__module__", "driftline.base.estimator")
    with pytest.raises(InvalidInput, match="has no public name"):
        save_model(Holder(), tmp_path / "model", trusted=["driftline"])
    assert not (tmp_path / "model").exists()


def test_modules_of_ours_are_not_imported_by_path(tmp_path):
    save_model(class_named("PLSA")(3), tmp_path / "model")
    tamper(tmp_path / "model", lambda manifest: manifest["model"].update({"class": "driftline.topics.plsa.PLSA"}))
    for trusted in ([], ["driftline"]):
        with pytest.raises(ModelFileError, match="names the class"):
            driftline.load(tmp_path / "model", trusted=trusted)
