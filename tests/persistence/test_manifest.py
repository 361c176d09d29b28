from __future__ import annotations

import json

import pytest

from driftline.core.errors import InvalidInput, ModelFileError
from driftline.persistence import manifest as module
from driftline.persistence.manifest import is_model_file, opened_model, vocabulary_file, write_manifest


def read_manifest(folder):
    with opened_model(folder) as opened:
        return module.read_manifest(opened)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"arrays")
    write_manifest(tmp_path, {"class": "x", "driftline_version": "0.1.0"})
    return tmp_path


def test_what_is_written_is_read(folder):
    manifest = read_manifest(folder)
    assert manifest["class"] == "x"
    assert manifest["files"]["model.safetensors"]["bytes"] == 6


def test_white_space_and_order_do_not_matter_but_content_does(folder):
    file = folder / "manifest.json"
    content = json.loads(file.read_text())
    for same in (json.dumps(content), json.dumps(dict(reversed(content.items())), indent=3)):
        file.write_text(same)
        read_manifest(folder)
    file.write_text(json.dumps(content | {"class": "y"}))
    with pytest.raises(ModelFileError, match="damaged"):
        read_manifest(folder)


def test_the_same_size_with_other_bytes_is_noticed(folder):
    (folder / "model.safetensors").write_bytes(b"Arrays")
    with pytest.raises(ModelFileError, match=r"model\.safetensors is damaged"):
        read_manifest(folder)


@pytest.mark.parametrize(
    "content", [b"", b"\xff", b"{}", b"[]", b'{"format": "other"}', b'{"format": "driftline-model"}']
)
def test_other_json_is_refused(content, folder):
    (folder / "manifest.json").write_bytes(content)
    with pytest.raises(ModelFileError):
        read_manifest(folder)


def test_a_manifest_too_large_is_refused_unread(folder, monkeypatch):
    monkeypatch.setattr(module, "MAX_MANIFEST_BYTES", 100)
    with pytest.raises(ModelFileError, match="larger"):
        read_manifest(folder)
    with pytest.raises(InvalidInput, match="long lists"):
        write_manifest(folder, {"class": "x" * 200})


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("manifest.json", True),
        ("model.safetensors", True),
        ("vocabulary.arrow", True),
        (vocabulary_file(12), True),
        ("vocabulary-0.arrow", False),
        ("../model.safetensors", False),
        ("/etc/passwd", False),
        ("notes.txt", False),
    ],
)
def test_only_its_own_names_belong_to_a_model(name, expected):
    assert is_model_file(name) is expected
