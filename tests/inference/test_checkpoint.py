from __future__ import annotations

import os

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.inference.checkpoint import GENERATORS, FileCheckpoint, generator_state, restored_generator


@pytest.mark.parametrize("name", GENERATORS)
def test_a_generator_goes_on_where_it_stood(name):
    rng = np.random.Generator(GENERATORS[name](3))
    rng.normal(size=7)
    rng.integers(0, 2, dtype=np.int32)  # leaves half a word in the buffer
    again = restored_generator(generator_state(rng))
    assert (again.integers(0, 2**31, 50, dtype=np.int32) == rng.integers(0, 2**31, 50, dtype=np.int32)).all()
    assert (again.normal(size=50) == rng.normal(size=50)).all()


def test_an_unknown_generator_is_refused():
    with pytest.raises(InvalidInput, match="'os'"):
        restored_generator(np.frombuffer(b'{"bit_generator": "os"}', dtype=np.uint8))


def test_what_is_saved_is_loaded_and_replaces_the_old(tmp_path):
    checkpoint = FileCheckpoint(tmp_path / "run.safetensors", every=3)
    assert checkpoint.load() is None
    checkpoint.save({"a": np.arange(4)[::2], "b": np.array(True)})
    checkpoint.save({"a": np.arange(6)[::2], "b": np.array(False)})
    found = checkpoint.load()
    assert found["a"].tolist() == [0, 2, 4]
    assert found["b"].shape == ()
    assert [path.name for path in tmp_path.iterdir()] == ["run.safetensors"]


def test_a_failed_save_leaves_the_old_one(tmp_path):
    checkpoint = FileCheckpoint(tmp_path / "run.safetensors")
    checkpoint.save({"a": np.arange(3)})
    with pytest.raises(Exception, match="object"):
        checkpoint.save({"a": np.array([None])})
    assert checkpoint.load()["a"].tolist() == [0, 1, 2]
    assert len(list(tmp_path.iterdir())) == 1


def test_what_is_not_a_checkpoint_is_refused(tmp_path):
    path = tmp_path / "run.safetensors"
    path.write_bytes(b"not one at all")
    with pytest.raises(InvalidInput, match="not a checkpoint"):
        FileCheckpoint(path).load()
    with pytest.raises(InvalidInput, match="every 1 or more"):
        FileCheckpoint(path, every=0)


def test_a_checkpoint_is_saved_every_ten_steps_by_default(tmp_path):
    assert FileCheckpoint(tmp_path / "run.safetensors").every == 10
    assert FileCheckpoint(tmp_path / "run.safetensors", every=1).every == 1


def test_a_draft_is_whole_on_disk_before_it_replaces_the_old_one(tmp_path, monkeypatch):
    sizes = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: sizes.append(os.fstat(descriptor).st_size))
    FileCheckpoint(tmp_path / "run.safetensors").save({"a": np.arange(3)})
    assert sizes == [(tmp_path / "run.safetensors").stat().st_size]
