from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import threading

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pytest
import scipy.sparse as sp
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import MultinomialNB

import driftline
from driftline.core.errors import InvalidInput, ModelFileError, NotWritten
from driftline.persistence.arrow_tables import table_bytes
from driftline.persistence.migrations import FORMAT_VERSION
from driftline.persistence.model import load, save_model
from driftline.text.vocabulary import Vocabulary
from tests.contracts.comparing import assert_same
from tests.persistence.holder import TRUSTED, Holder, tamper


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A saved model that has a bit of everything."""
    model = Holder(first=2.5, second=("a", None)).fit(
        {
            "dense": np.arange(6.0).reshape(2, 3),
            "flags": np.array([True, False]),
            "dates": np.array(["2003-03-20"], dtype="datetime64[us]"),
            "words": np.array(["war", None], dtype=object),
            "labels": np.array(["a", "bc"]),
            "sparse": sp.csr_matrix([[0, 1.0], [2.0, 0]]),
            "inner": MultinomialNB().fit([[1, 2], [2, 1]], [0, 1]),
            "generator": np.random.default_rng(1),
        }
    )
    return save_model(model, tmp_path_factory.mktemp("saved") / "model", trusted=TRUSTED)


@pytest.fixture
def copy(saved, tmp_path):
    """A copy of it that a test may spoil."""
    return shutil.copytree(saved, tmp_path / "copy")


def test_load_is_exported(saved):
    assert driftline.load is load
    assert load(saved, trusted=TRUSTED).first == 2.5


def test_the_folder_holds_no_pickle(saved):
    assert sorted(file.name for file in saved.iterdir()) == ["manifest.json", "model.safetensors"]
    assert b"sklearn.naive_bayes" not in (saved / "model.safetensors").read_bytes()


def test_only_estimators_are_saved(tmp_path):
    with pytest.raises(InvalidInput, match="estimators"):
        save_model({"a": 1}, tmp_path / "model")


def test_a_model_is_replaced_by_a_model(copy):
    save_model(Holder(first="new"), copy, trusted=TRUSTED)
    assert load(copy, trusted=TRUSTED).first == "new"
    assert [file.name for file in copy.parent.iterdir()] == ["copy"], "temporary folders were left behind"


@pytest.mark.parametrize("what", ["file", "folder", "model and more"])
def test_anything_else_is_left_alone(what, copy, tmp_path):
    target = tmp_path / "target"
    if what == "file":
        target.write_text("mine")
    elif what == "folder":
        target.mkdir()
    else:
        target = copy
        (copy / "thesis.txt").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InvalidInput, match="exists and is not a saved model"):
        save_model(Holder(), target, trusted=TRUSTED)
    assert sorted(tmp_path.rglob("*")) == before


def test_when_saving_fails_the_old_model_stays(copy, monkeypatch):
    def full(*_):
        raise OSError("disk full")

    monkeypatch.setattr("driftline.persistence.model.write_manifest", full)
    with pytest.raises(OSError, match="disk full"):
        save_model(Holder(first="new"), copy, trusted=TRUSTED)
    assert load(copy, trusted=TRUSTED).first == 2.5
    assert [file.name for file in copy.parent.iterdir()] == ["copy"]


@pytest.mark.parametrize("most_bytes", [0, 100, 3000])
def test_a_limit_on_file_sizes_leaves_the_old_model_and_says_so(copy, most_bytes):
    """The tensors are written by a library, vocabulary and manifest by ours; each may be the one that is too large."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, before[1]))
    try:
        with pytest.raises(NotWritten, match=r"cannot write .*copy \(File too large.*unchanged"):
            save_model(Holder(first="x" * 5000).fit(np.arange(50.0)), copy, trusted=TRUSTED)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert load(copy, trusted=TRUSTED).first == 2.5
    assert [file.name for file in copy.parent.iterdir()] == ["copy"]


def test_a_full_disk_leaves_the_old_model_and_says_so(copy, monkeypatch):
    def full(number):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(NotWritten, match="No space left"):
        save_model(Holder(first="new"), copy, trusted=TRUSTED)
    assert load(copy, trusted=TRUSTED).first == 2.5
    assert [file.name for file in copy.parent.iterdir()] == ["copy"]


def test_load_beside_two_savers_reads_one_whole_model(tmp_path):
    """Two threads replace the model all the time; every load gives one of the two, and no save fails."""
    path = tmp_path / "model"
    models = [Holder(first=n).fit(np.full(200, float(n))) for n in (1, 2)]
    save_model(models[0], path, trusted=TRUSTED)
    stop, failures = threading.Event(), []

    def save(model):
        while not stop.is_set():
            try:
                save_model(model, path, trusted=TRUSTED)
            except Exception as error:
                failures.append(error)
                return

    threads = [threading.Thread(target=save, args=(model,)) for model in models]
    for thread in threads:
        thread.start()
    try:
        for _ in range(60):
            found = load(path, trusted=TRUSTED)
            assert (found.held_ == found.first).all()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not failures
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


def test_the_same_model_gives_the_same_bytes(saved, tmp_path):
    again = save_model(load(saved, trusted=TRUSTED), tmp_path / "again", trusted=TRUSTED)
    for file in saved.iterdir():
        assert file.read_bytes() == (again / file.name).read_bytes()


def test_routing_and_output_settings_are_kept(tmp_path):
    with sklearn.config_context(enable_metadata_routing=True):
        model = Holder().set_fit_request(times=True)
    save_model(model, tmp_path / "model", trusted=TRUSTED)
    loaded = load(tmp_path / "model", trusted=TRUSTED)
    assert loaded.get_metadata_routing().fit.requests["times"] is True


def test_saving_through_a_link_writes_where_it_points(copy, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(copy)
    save_model(Holder(first="new"), link, trusted=TRUSTED)
    assert link.is_symlink()
    assert load(copy, trusted=TRUSTED).first == "new"


def test_another_version_of_scikit_learn_is_mentioned(copy):
    tamper(copy, lambda manifest: manifest["made_with"].update({"scikit-learn": "0.1"}))
    with pytest.warns(UserWarning, match=r"scikit-learn 0\.1"):
        load(copy, trusted=TRUSTED)


def test_vocabularies_are_arrow_files_of_their_own(tmp_path):
    words, others = Vocabulary(["war", "sars", "ü"]), Vocabulary(["only"])
    save_model(Holder(first=words, second=others).fit([words, Vocabulary()]), tmp_path / "model", trusted=TRUSTED)
    names = sorted(file.name for file in (tmp_path / "model").iterdir())
    assert names[2:] == ["vocabulary-1.arrow", "vocabulary-2.arrow", "vocabulary.arrow"]
    assert pyarrow.feather.read_table(tmp_path / "model" / "vocabulary.arrow")["word"].to_pylist() == [
        "war",
        "sars",
        "ü",
    ]
    loaded = load(tmp_path / "model", trusted=TRUSTED)
    assert (loaded.first, loaded.second) == (words, others)
    assert loaded.held_[0] is loaded.first, "a shared vocabulary was doubled"
    assert len(loaded.held_[1]) == 0


@pytest.mark.parametrize("content", [b"", b"ARROW1", "double", "other column"])
def test_a_bad_vocabulary_is_refused(content, tmp_path):
    save_model(Holder(first=Vocabulary(["war"])), tmp_path / "model", trusted=TRUSTED)
    tables = {"double": {"word": ["a", "a"]}, "other column": {"wort": ["a"]}}
    if content in tables:
        content = table_bytes(pa.table(tables[content])).to_pybytes()
    (tmp_path / "model" / "vocabulary.arrow").write_bytes(content)
    with pytest.raises(ModelFileError, match=r"vocabulary\.arrow is damaged"):
        load(tmp_path / "model", trusted=TRUSTED)
    tamper(tmp_path / "model", lambda manifest: None)
    with pytest.raises(ModelFileError, match="cannot load"):
        load(tmp_path / "model", trusted=TRUSTED)


# Damage -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["nothing", "file", "empty folder"])
def test_what_is_not_a_model_is_refused(what, tmp_path):
    path = tmp_path / "model"
    if what == "file":
        path.write_text("hello")
    elif what == "empty folder":
        path.mkdir()
    with pytest.raises(ModelFileError, match="model"):
        load(path)


@pytest.mark.parametrize("name", ["manifest.json", "model.safetensors"])
@given(position=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
@settings(max_examples=50, deadline=None)
def test_a_flipped_bit_is_noticed_or_harmless(name, position, bit, saved, tmp_path_factory):
    folder = shutil.copytree(saved, tmp_path_factory.mktemp("flip") / "model")
    content = bytearray((folder / name).read_bytes())
    content[int(position * len(content))] ^= 1 << bit
    (folder / name).write_bytes(content)
    try:
        loaded = load(folder, trusted=TRUSTED)
    except ModelFileError:
        return
    assert_same(loaded, load(saved, trusted=TRUSTED), "model")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["manifest.json", "model.safetensors", "vocabulary.arrow"])
@pytest.mark.parametrize("mask", [0x01, 0xFF])
def test_no_byte_of_a_small_model_can_change_unnoticed(name, mask, tmp_path):
    model = Holder(first=1.5, second=Vocabulary(["war"])).fit(np.array([1.0]))
    folder = save_model(model, tmp_path / "model", trusted=TRUSTED)
    content = (folder / name).read_bytes()
    harmless = 0
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= mask
        (folder / name).write_bytes(damaged)
        try:
            loaded = load(folder, trusted=TRUSTED)
        except ModelFileError:
            continue
        assert_same(loaded, model, f"byte {place}")
        harmless += 1
    # White space of the manifest may turn into other white space; nothing else may change at all.
    assert harmless < len(content) / 10 if name == "manifest.json" else harmless == 0


@pytest.mark.parametrize("name", ["manifest.json", "model.safetensors"])
@pytest.mark.parametrize("keep", [0, 0.3, 0.99])
def test_a_truncated_file_is_noticed(name, keep, copy):
    content = (copy / name).read_bytes()
    (copy / name).write_bytes(content[: int(keep * len(content))])
    with pytest.raises(ModelFileError):
        load(copy, trusted=TRUSTED)


def test_a_missing_file_is_named(copy):
    (copy / "model.safetensors").unlink()
    with pytest.raises(ModelFileError, match=r"model\.safetensors is missing"):
        load(copy, trusted=TRUSTED)


def test_a_newer_format_asks_for_an_upgrade(copy):
    tamper(copy, lambda manifest: manifest.update(format_version=FORMAT_VERSION + 1, driftline_version="9.0"))
    with pytest.raises(ModelFileError, match=r"driftline 9\.0.*upgrade"):
        load(copy, trusted=TRUSTED)


# Malice -----------------------------------------------------------------------------------------------------------


def held(manifest):
    return manifest["model"]["state"]["held_"]


def nested(depth):
    node = 1
    for _ in range(depth):
        node = [node]
    return node


HOSTILE = {
    "a class outside the list": lambda m: m["model"].update({"class": "os.path"}),
    "a class that is a function": lambda m: m["model"].update({"class": "sklearn.utils.shuffle"}),
    "a class that is no estimator": lambda m: m["model"].update({"class": "Tokenizer"}),
    "a module that runs": lambda m: m["model"].update({"class": "sklearn.__main__.cli"}),
    "a re-exported class": lambda m: m["model"].update({"class": "sklearn.pipeline.Bunch"}),
    "a class that is no name": lambda m: m["model"].update({"class": "../../evil"}),
    "a class that is a list": lambda m: m["model"].update({"class": ["driftline"]}),
    "a record that is an estimator": lambda m: held(m).update(
        x={"$": "record", "class": "sklearn.naive_bayes.MultinomialNB", "fields": {}}
    ),
    "a path out of the folder": lambda m: m["files"].update({"../../etc/passwd": {"bytes": 1, "sha256": ""}}),
    "a second manifest": lambda m: m["files"].update({"manifest.json": {}}),
    "a vocabulary that is not there": lambda m: held(m).update(x={"$": "vocabulary", "number": 0}),
    "a huge shape": lambda m: held(m)["dense"].update(shape=[2**40, 2**40]),
    "a negative shape": lambda m: held(m)["dense"].update(shape=[-2, -3]),
    "a shape of floats": lambda m: held(m)["dense"].update(shape=[2.0, 3.0]),
    "another dtype": lambda m: held(m)["dense"].update(dtype="<i8"),
    "an object dtype": lambda m: held(m)["dense"].update(dtype="|O"),
    "a made-up dtype": lambda m: held(m)["dense"].update(dtype="f8,(99999,99999)f8"),
    "a wide string": lambda m: held(m)["labels"].update(dtype="<U999999999"),
    "a huge sparse shape": lambda m: held(m)["sparse"].update(shape=[2**61, 2]),
    "a narrow sparse shape": lambda m: held(m)["sparse"].update(shape=[2, 1]),
    "a sparse kind": lambda m: held(m)["sparse"].update(format="__class__"),
    "a tensor used twice": lambda m: held(m).update(x=held(m)["dense"]),
    "a tensor not there": lambda m: held(m)["dense"].update(tensor="nope"),
    "a deep nest": lambda m: held(m).update(x=nested(200)),
    "an unknown kind": lambda m: held(m).update(x={"$": "pickle", "value": "gASVAA=="}),
    "a kind that is a list": lambda m: held(m).update(x={"$": []}),
    "a dunder attribute": lambda m: m["model"]["state"].update(__class__="x"),
    "a dunder attribute of scikit-learn": lambda m: held(m)["inner"]["attributes"].update(__dict__={}),
    "a method replaced": lambda m: m["model"]["state"].update(fit_=1, _check_times="x"),
    "an unknown parameter": lambda m: m["model"]["parameters"].update(third=1),
    "a bad generator": lambda m: held(m)["generator"]["state"].update(state={"state": -1, "inc": 1}),
    "an unknown generator": lambda m: held(m)["generator"].update(bits="os"),
    "a huge seed pool": lambda m: held(m)["generator"]["seeds"].update(pool_size=2**40),
    "a cache of pickles": lambda m: held(m)["inner"]["attributes"].update(memory="/tmp"),
    "requests for anything": lambda m: m["model"].update(requests={"fit": {"__class__": 1}}),
    "requests of no method": lambda m: m["model"].update(requests={"x__class__": {}}),
    "no model": lambda m: m.update(model=[]),
    "no tensors": lambda m: m["files"].pop("model.safetensors"),
    "no versions": lambda m: m.pop("made_with"),
    "an unhashable key": lambda m: held(m).update(x={"$": "dict", "items": [[[1], 2]]}),
    "an odd number": lambda m: held(m).update(x={"$": "float", "value": "__import__('os')"}),
}


@pytest.mark.parametrize("how", HOSTILE)
def test_a_hostile_manifest_is_refused(how, copy):
    tamper(copy, HOSTILE[how])
    with pytest.raises(ModelFileError, match=r"."):
        load(copy, trusted=TRUSTED)


def test_strangers_classes_are_not_imported(saved):
    with pytest.raises(ModelFileError, match="trusted"):
        load(saved)


def test_out_of_range_indices_never_reach_compiled_code(tmp_path):
    matrix = sp.csr_matrix([[0, 1.0], [2.0, 0]])
    matrix.indices[0] = 7
    save_model(Holder().fit(matrix), tmp_path / "model", trusted=TRUSTED)
    with pytest.raises(ModelFileError):
        load(tmp_path / "model", trusted=TRUSTED)


def test_a_deep_manifest_does_not_overflow_the_stack(copy):
    (copy / "manifest.json").write_text("[" * 100_000 + "]" * 100_000)
    with pytest.raises(ModelFileError, match="manifest"):
        load(copy)


def test_a_pipe_in_place_of_a_file_does_not_block(copy):
    (copy / "model.safetensors").unlink()
    os.mkfifo(copy / "model.safetensors")
    with pytest.raises(ModelFileError, match="regular"):
        load(copy, trusted=TRUSTED)


def _places(node, path=()):
    yield path
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield from _places(child, (*path, key))


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.sampled_from(["array", "estimator", "tuple", "sparse", "<f8", "csr", "PCG64", "model.safetensors"]),
    st.lists(st.integers(-3, 3), max_size=3),
    st.dictionaries(st.sampled_from(["$", "items", "value", "tensor"]), st.text(max_size=4), max_size=2),
)


@given(data=st.data())
@settings(max_examples=120, deadline=None)
def test_no_tampering_gives_anything_but_a_model_or_a_refusal(data, saved, tmp_path_factory):
    folder = shutil.copytree(saved, tmp_path_factory.mktemp("junk") / "model")
    tree = json.loads((folder / "manifest.json").read_bytes())["model"]
    path = data.draw(st.sampled_from([path for path in _places(tree) if path]))
    junk = data.draw(JUNK)

    def change(manifest):
        node = manifest["model"]
        for key in path[:-1]:
            node = node[key]
        node[path[-1]] = junk

    tamper(folder, change)
    try:
        model = load(folder, trusted=TRUSTED)
    except ModelFileError:
        return
    assert isinstance(model, Holder | MultinomialNB)
