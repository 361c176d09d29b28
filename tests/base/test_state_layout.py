from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp

from driftline.base.state_layout import (
    Anything,
    Array,
    Each,
    Either,
    Flag,
    Number,
    Optional,
    Part,
    Sparse,
    Table,
    Text,
    Together,
    check_layout,
)
from driftline.core.errors import ModelFileError
from tests.contracts.toy import RecentShares

GOOD = {
    "n_": (Number("words", least=1), 3),
    "floats_": (Array("rows", "words", least=0), np.ones((2, 3))),
    "indices_": (Array("rows", kind="i", below="words"), np.array([0, 2])),
    "exact_": (Array("rows", kind="f8"), np.zeros(2)),
    "missing_": (Array(None, kind="i", least=-1, below="rows"), np.array([-1, 1])),
    "wider_": (Array("words+1"), np.zeros(4)),
    "times_": (Array("rows", ordered=True, finite=False), np.array([-np.inf, 2.0])),
    "clock_": (Array(1, missing=True), np.array([np.nan])),
    "labels_": (Array("classes", kind="any"), np.array(["a", None], dtype=object)),
    "sparse_": (Sparse("rows", "words", least=0), sp.csr_matrix(np.eye(2, 3))),
    "rate_": (Number(least=0, most=1), 0.5),
    "inf_": (Number(finite=False), np.float64(np.inf)),
    "rule_": (Text(("one", "two")), "one"),
    "flag_": (Flag(), True),
    "none_": (Optional(Array("rows")), None),
    "list_": (Each(Number(), "rows"), [1.0, 2]),
    "pair_": (Together({"a": Number("words"), "b": Text()}), (3, "x")),
    "dict_": (Together({"a": Number("words"), "b": Text()}), {"b": "x", "a": 3}),
    "either_": (Either(Array("words"), Array(0)), np.zeros(0)),
    "table_": (Table(("a",)), pa.table({"a": [1], "b": [2]})),
    "part_": (Part(RecentShares, {"words": "words"}), RecentShares()),
    "rest_": (Anything(), object()),
}
LAYOUT = {name: held for name, (held, _) in GOOD.items()}


def check(**changes):
    return check_layout({name: value for name, (_, value) in GOOD.items()} | changes, LAYOUT, "Model")


def test_what_fits_together_is_accepted_and_its_sizes_are_returned():
    assert check() == {"words": 3, "rows": 2, "classes": 2}
    without = {name: value for name, (_, value) in GOOD.items() if name != "none_"}
    assert check_layout(without, LAYOUT, "Model")["rows"] == 2


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("n_", wrong) for wrong in (0, 3.0, "3", True, None, 2**80)),
        ("floats_", np.ones((2, 4))),
        ("floats_", np.ones(6)),
        ("floats_", np.ones((2, 3), dtype=int)),
        ("floats_", [[1.0] * 3] * 2),
        *(("floats_", np.full((2, 3), wrong)) for wrong in (-1.0, np.nan, np.inf)),
        *(("indices_", np.array(wrong)) for wrong in ([0, 3], [-1, 0], [0], [0.0, 1.0], [0, 2**62])),
        *(("missing_", np.array(wrong)) for wrong in ([-2], [2])),
        ("wider_", np.zeros(3)),
        ("exact_", np.zeros(2, dtype=np.float32)),
        *(("times_", np.array(wrong)) for wrong in ([2.0, 1.0], [np.nan, 1.0])),
        ("clock_", np.zeros(2)),
        ("labels_", ["a"]),
        *(("sparse_", wrong) for wrong in (sp.csc_matrix(np.eye(2, 3)), np.eye(2, 3), sp.csr_matrix(-np.eye(2, 3)))),
        ("sparse_", sp.csr_matrix((2, 4))),
        *(("rate_", wrong) for wrong in (-0.1, 1.1, np.nan, np.inf, "x", None)),
        ("inf_", np.nan),
        *(("rule_", wrong) for wrong in ("three", None, 1)),
        ("flag_", 1),
        ("none_", np.zeros(3)),
        *(("list_", wrong) for wrong in ([1.0], (1.0, 2.0), [1.0, "x"])),
        *(("pair_", wrong) for wrong in ((3,), (4, "x"), [3, "x"])),
        *(("dict_", wrong) for wrong in ({"a": 3}, {"a": 3, "b": "x", "c": 1})),
        ("either_", np.zeros(2)),
        *(("table_", wrong) for wrong in (pa.table({"b": [1]}), None)),
        *(("part_", wrong) for wrong in (3, object())),
    ],
)
def test_what_does_not_fit_is_named(name, value):
    with pytest.raises(ModelFileError, match=rf"Model\.{name}.* damaged"):
        check(**{name: value})


def test_what_is_missing_is_named():
    held = {name: value for name, (_, value) in GOOD.items() if name != "rate_"}
    with pytest.raises(ModelFileError, match=r"Model\.rate_ is missing"):
        check_layout(held, LAYOUT, "Model")


def test_sizes_of_parts_are_compared():
    part = RecentShares().fit(np.ones((2, 4)), times=[0.0, 1.0])
    with pytest.raises(ModelFileError, match=r"part_ has 4 entries instead of 3"):
        check(part_=part)
