from __future__ import annotations

import pytest

from driftline.core.errors import ModelFileError
from driftline.persistence import migrations
from driftline.persistence.migrations import (
    FORMAT_VERSION,
    NAMES_OF_FORMAT_1,
    migrated,
    names_instead_of_modules,
    nodes_of_classes,
)
from driftline.persistence.public_names import home_of


def manifest_of_format_1():
    pool = {"$": "estimator", "class": "driftline.evolving.pool.Pool", "parameters": {}, "state": {}}
    nested = {"kept": [{"$": "dict", "items": [[1, {"$": "record", "class": "mine.Point", "fields": {}}], [2, pool]]}]}
    model = {"$": "estimator", "class": "driftline.topics.lda.LDA", "parameters": nested, "state": {}}
    return {"format_version": 1, "class": "driftline.topics.lda.LDA", "model": model, "files": {}}


def test_format_1_gets_public_names_at_every_depth():
    found = migrated(manifest_of_format_1())
    assert (found["format_version"], found["class"], found["model"]["class"]) == (FORMAT_VERSION, "LDA", "LDA")
    assert sorted(node["class"] for node in nodes_of_classes(found["model"])) == ["LDA", "Pool", "mine.Point"]


def test_format_2_gets_predicted_for_foreseen_where_it_was_learned():
    pool = {"$": "estimator", "class": "Pool", "parameters": {}, "state": {"foreseen_": 1, "losses_": 2}}
    foreign = {"$": "estimator", "class": "mine.Pool", "parameters": {}, "state": {"foreseen_": pool}}
    found = migrated({"format_version": 2, "class": "mine.Pool", "model": foreign})["model"]["state"]
    assert list(found) == ["foreseen_"]
    assert found["foreseen_"]["state"] == {"predicted_": 1, "losses_": 2}


def test_classes_that_were_never_saved_are_refused():
    manifest = manifest_of_format_1()
    manifest["model"]["class"] = "driftline.cli.main.Main"
    with pytest.raises(ModelFileError, match="never saved"):
        names_instead_of_modules(manifest)


def test_every_name_of_format_1_still_means_a_class():
    assert [name for name in NAMES_OF_FORMAT_1.values() if home_of(name) is None] == []
    assert len(set(NAMES_OF_FORMAT_1.values())) == len(NAMES_OF_FORMAT_1)


def test_migrations_follow_one_another(monkeypatch):
    steps = {
        1: lambda manifest: manifest | {"path": ["1 to 2"]},
        2: lambda manifest: manifest | {"path": manifest["path"] + ["2 to 3"]},
    }
    monkeypatch.setattr(migrations, "MIGRATIONS", steps)
    monkeypatch.setattr(migrations, "FORMAT_VERSION", 3)
    assert migrated({"format_version": 1}) == {"format_version": 3, "path": ["1 to 2", "2 to 3"]}
    assert migrated({"format_version": 2, "path": []}) == {"format_version": 3, "path": ["2 to 3"]}
    assert migrated({"format_version": 3}) == {"format_version": 3}
