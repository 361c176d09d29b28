from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.inference.plain_values import copied, digest, flatten, rebuild


class Inner(NamedTuple):
    counts: Any
    total: float


class Outer(NamedTuple):
    inner: Inner
    pairs: tuple[Any, ...]
    named: dict[str, Any]
    label: str
    nothing: None = None


def value(shift=0):
    return Outer(
        Inner(np.arange(3, dtype=np.float32) + shift, 0.5),
        (np.array([[True, False]]), np.int64(4)),
        {"z": np.zeros((0, 2), dtype=np.int32), "k": 7},
        "größer",
    )


def test_a_copy_shares_nothing_and_is_the_same():
    one = value()
    other = copied(one)
    other.inner.counts[0] = 9
    other.named["z"] = None
    assert one.inner.counts[0] == 0
    assert one.named["z"].shape == (0, 2)
    assert digest(copied(one)) == digest(one)


def test_taken_apart_and_put_together_it_is_the_same():
    again = rebuild(value(5), flatten(value()))
    assert digest(again) == digest(value())
    assert isinstance(again, Outer)
    assert isinstance(again.inner, Inner)
    assert again.label == "größer"
    assert again.nothing is None
    assert type(again.named["k"]) is int
    assert type(again.pairs[1]) is np.int64
    assert again.inner.counts.dtype == np.float32


def test_shapes_may_change_but_types_may_not():
    arrays = flatten(value())
    assert rebuild(value(), arrays | {"inner.counts": np.zeros(9, dtype=np.float32)}).inner.counts.shape == (9,)
    with pytest.raises(InvalidInput, match=r"inner\.counts.*float64"):
        rebuild(value(), arrays | {"inner.counts": np.zeros(3)})
    with pytest.raises(InvalidInput, match="2-dimensional"):
        rebuild(value(), arrays | {"inner.counts": np.zeros((3, 1), dtype=np.float32)})
    del arrays["pairs.1"]
    with pytest.raises(InvalidInput, match=r"no part 'pairs\.1'"):
        rebuild(value(), arrays)


@pytest.mark.parametrize(
    "other",
    [value(1), value()._replace(label="x"), value()._replace(pairs=(np.array([[True, False]]), np.int64(5)))],
)
def test_the_digest_sees_every_change(other):
    assert digest(other) != digest(value())


def test_what_is_not_a_value_is_refused_by_name():
    for wrong in ([1, 2], object(), np.array(["a"]), np.array([None])):
        with pytest.raises(InvalidInput, match=r"deep\.down|named"):
            flatten({"deep": {"down": wrong}})
    with pytest.raises(InvalidInput, match="deep"):
        rebuild({"deep": [1]}, {})


@pytest.mark.parametrize("other", [{"b": np.zeros(4)}, {"a": np.zeros((2, 2))}, {"a": np.zeros(4, dtype=np.int64)}])
def test_the_digest_sees_places_shapes_and_types_of_equal_bytes(other):
    assert digest(other) != digest({"a": np.zeros(4)})
    assert len(digest(other)) == 32
