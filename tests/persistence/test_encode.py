from __future__ import annotations

import datetime
import enum
import math
import zoneinfo

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB

from driftline.core.errors import InvalidInput
from driftline.persistence.encode import MAX_DEPTH, Encoder
from driftline.text.tokenise import Tokenizer
from tests.contracts.comparing import assert_same
from tests.naming import shown
from tests.persistence.holder import TRUSTED, Holder, Pair, Point, round_trip

PLAIN = [
    None,
    True,
    0,
    2**200,
    -1.5,
    -0.0,
    5e-324,
    math.inf,
    -math.inf,
    math.nan,
    "",
    "ünï\0\ud800\U0001f600",
    b"\0\xff",
    1 - 2j,
    complex(math.nan, math.inf),
    [],
    (),
    {},
    set(),
    [1, (2, [3, None]), {"a": (1.5,)}],
    {"plain": 1, "$": "not a node"},
    {1: "a", (2, "b"): [3], None: 4, 1.5: 5},
    {"b", "a", "c"},
    frozenset({1, 2}),
    range(1, 10, 3),
    datetime.date(2003, 3, 20),
    datetime.datetime(2003, 3, 20, 5, 34, 0, 7),
    datetime.datetime(2003, 3, 20, tzinfo=datetime.UTC),
    datetime.timedelta(days=-3, microseconds=5),
    ["word"] * 1000,
    np.float32(1.1),
    np.float64("nan"),
    np.int8(-3),
    np.uint64(2**64 - 1),
    np.bool_(True),
    np.str_("ü"),
    np.bytes_(b"x\0y"),
    np.complex64(1 + 2j),
    np.datetime64("2003-03-20T05:34", "us"),
    np.datetime64("NaT", "D"),
    np.timedelta64(36, "h"),
    np.dtype("<M8[us]"),
    np.dtype("f4"),
    np.float64,
    float,
    Tokenizer(stop_words="english", ngram_range=(1, 2)),
    Point(1, [2]),
    Pair("l", np.arange(3)),
]


@pytest.mark.parametrize("value", PLAIN, ids=shown)
def test_plain_values_come_back(value, tmp_path):
    assert_same(round_trip(value, tmp_path), value, "value")


def test_the_types_of_collections_are_kept(tmp_path):
    loaded = round_trip({"list": [1], "tuple": (1,), "set": {1}, "pair": Pair(1)}, tmp_path)
    assert [type(part) for part in loaded.values()] == [list, tuple, set, Pair]


@given(
    array=hnp.arrays(
        dtype=st.one_of(
            hnp.integer_dtypes(endianness="?"),
            hnp.unsigned_integer_dtypes(endianness="?"),
            hnp.floating_dtypes(endianness="?", sizes=(16, 32, 64)),
            hnp.complex_number_dtypes(endianness="?", sizes=(64, 128)),
            hnp.boolean_dtypes(),
            hnp.datetime64_dtypes(endianness="?"),
            hnp.timedelta64_dtypes(endianness="?"),
            hnp.unicode_string_dtypes(endianness="?", max_len=5),
            hnp.byte_string_dtypes(max_len=5),
        ),
        shape=hnp.array_shapes(min_dims=0, min_side=0, max_dims=4, max_side=4),
    ),
    layout=st.sampled_from(["C", "F", "strided"]),
)
@settings(max_examples=80, deadline=None)
def test_arrays_of_every_kind_come_back(array, layout, tmp_path_factory):
    if layout == "F":
        array = np.asfortranarray(array) if array.ndim else array
    elif array.ndim:
        array = array[::-1]
    loaded = round_trip(array, tmp_path_factory.mktemp("arrays"))
    assert_same(loaded, array, "array")
    assert loaded.flags.writeable
    if array.flags.f_contiguous:
        assert loaded.flags.f_contiguous


def test_arrays_of_strings_and_records_come_back(tmp_path):
    words = np.array([["a", None], ["", "\ud800ü"]], dtype=object)
    records = np.array([(1, 2.5, "x", "2003-03-20")], dtype=[("a", "i4"), ("b", "f8"), ("c", "U3"), ("d", "M8[D]")])
    assert_same(round_trip([words, words[:0], records], tmp_path), [words, words[:0], records], "arrays")


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("kind", ["matrix", "array"])
@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (4, 5)])
def test_sparse_matrices_come_back(form, kind, shape, tmp_path):
    rng = np.random.default_rng(0)
    dense = rng.poisson(0.4, shape).astype(np.float32)
    matrix = getattr(sp, f"{form}_{kind}")(dense)
    assert_same(round_trip(matrix, tmp_path), matrix, "matrix")


def test_the_width_of_sparse_indices_is_kept(tmp_path):
    matrix = sp.csr_array(np.eye(3))
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    loaded = round_trip(matrix, tmp_path)
    assert (loaded.indices.dtype, loaded.indptr.dtype) == (np.int64, np.int64)


def test_tables_come_back(tmp_path):
    table = pa.table(
        {
            "word": ["a", None, "b"],
            "when": pa.array([0, 1, None], pa.timestamp("us", tz="Europe/Berlin")),
            "kind": pa.array(["x", "y", "x"]).dictionary_encode(),
            "many": [[1.5], [], None],
        },
        metadata={"made": "here"},
    )
    assert_same(round_trip(pa.concat_tables([table, table]).combine_chunks(), tmp_path).num_rows, 6, "rows")
    assert_same(round_trip(table, tmp_path), table, "table")


@pytest.mark.parametrize(
    "bits", [np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64]
)
def test_generators_go_on_where_they_stood(bits, tmp_path):
    generator = np.random.Generator(bits(5))
    generator.random(3)
    generator.spawn(1)
    generator.integers(10, dtype=np.uint32)
    loaded = round_trip(generator, tmp_path)
    assert loaded.random(5).tolist() == generator.random(5).tolist()
    assert (
        loaded.integers(1000, size=5, dtype=np.uint32).tolist()
        == generator.integers(1000, size=5, dtype=np.uint32).tolist()
    )
    assert loaded.spawn(1)[0].random() == generator.spawn(1)[0].random()


def test_legacy_generators_go_on_where_they_stood(tmp_path):
    generator = np.random.RandomState(5)
    generator.normal()
    loaded = round_trip(generator, tmp_path)
    assert loaded.normal(size=5).tolist() == generator.normal(size=5).tolist()


def test_nested_estimators_come_back(tmp_path):
    X, y = np.array([[3, 0], [0, 2], [1, 1]]), np.array(["a", "b", "a"])
    inner = MultinomialNB().fit(X, y)
    loaded = round_trip({"bayes": inner, "unfitted": LogisticRegression(C=3.0), "ours": Holder(1).fit([2])}, tmp_path)
    assert loaded["bayes"].predict_proba(X).tobytes() == inner.predict_proba(X).tobytes()
    assert loaded["unfitted"].C == 3.0
    assert (loaded["ours"].first, loaded["ours"].held_) == (1, [2])


class _Colour(enum.IntEnum):
    RED = 1


def _looped():
    loop = []
    loop.append(loop)
    return loop


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (lambda x: x, "function"),
        (np.sum, "function"),
        (object(), "builtins.object"),
        (_Colour.RED, "_Colour"),
        (np.array([1, "a"], dtype=object), "strings and None"),
        (np.array([1], dtype=np.longdouble), "float128|longdouble|convert"),
        (np.longdouble(1), "convert"),
        (np.ma.masked_array([1], [True]), "MaskedArray"),
        (sp.lil_matrix((2, 2)), "tocsr"),
        (_looped(), "refers to itself"),
        (datetime.datetime(2003, 3, 20, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")), "UTC"),
        (pa.array([1]), "pyarrow"),
    ],
    ids=shown,
)
def test_what_is_not_data_is_refused_by_name(value, reason, tmp_path):
    with pytest.raises(InvalidInput, match=rf"(?s)Holder\.held_/inner.*({reason})"):
        round_trip({"inner": value}, tmp_path)
    assert not (tmp_path / "model").exists()


def test_classes_of_strangers_need_trust():
    with pytest.raises(InvalidInput, match=r"Holder.*trusted"):
        Encoder().estimator(Holder(), "Holder")
    assert Encoder(TRUSTED).estimator(Holder(), "Holder")["class"] == "tests.persistence.holder.Holder"


def test_a_class_that_cannot_be_imported_is_refused():
    class Local(Holder):
        pass

    with pytest.raises(InvalidInput, match="Local"):
        Encoder(TRUSTED).estimator(Local(), "Local")


def test_a_pipeline_with_a_cache_is_refused(tmp_path):
    from sklearn.pipeline import make_pipeline

    with pytest.raises(InvalidInput, match="memory"):
        round_trip(make_pipeline(MultinomialNB(), memory=str(tmp_path)), tmp_path)
    pipe = make_pipeline(MultinomialNB()).fit([[1, 2], [2, 1]], [0, 1])
    assert round_trip(pipe, tmp_path).predict([[5, 1]]).tolist() == pipe.predict([[5, 1]]).tolist()


def test_a_long_list_of_words_stays_out_of_the_manifest(tmp_path):
    encoder = Encoder()
    node = encoder.value(["word"] * 1000, "words")
    assert node["$"] == "strings"
    assert len(str(node)) < 200
    assert sum(tensor.nbytes for tensor in encoder.tensors.values()) > 4000


@pytest.mark.parametrize("wrap", [lambda value: [value], lambda value: {"x": value}, lambda value: Holder(first=value)])
def test_what_is_nested_too_deeply_is_refused(wrap):
    value = 1
    for _ in range(2 * MAX_DEPTH):
        value = wrap(value)
    with pytest.raises(InvalidInput, match="nested"):
        Encoder(TRUSTED).value(value, "x")
