from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.core.errors import InvalidInput, SourceNotFound
from driftline.guidance import Guide


def test_every_method_returns_a_new_guide():
    guide = Guide()
    longer = guide.topic("war", ["iraq"]).together("car", "auto").apart("a", "b").merge("war", "tax")
    assert not guide
    assert longer
    assert len(longer.wishes) == 4
    assert repr(longer) == "Guide: topic war; together: car, auto; apart: a, b; merge: war, tax"
    assert repr(guide) == "Guide: no wishes"


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        (lambda: Guide().topic(""), "not empty"),
        (lambda: Guide().topic("war").topic("war"), "twice"),
        (lambda: Guide().topic("war", "iraq"), "list of words"),
        (lambda: Guide().topic("war", {"iraq": -1}), "above zero"),
        (lambda: Guide().topic("war", ["iraq"], never=["iraq"]), "wants and bans 'iraq'"),
        (lambda: Guide().topic("war", number=-1), "negative"),
        (lambda: Guide().together("car"), "two different words"),
        (lambda: Guide().apart("car", "car"), "two different words"),
        (lambda: Guide().merge("war"), "two different topics"),
        (lambda: Guide().label([0], "war", strength=0), "above zero"),
        (lambda: Guide().label([0.5], "war"), "rows of documents"),
        (lambda: Guide().link([(1, 2, 3, 4)]), "pair of documents"),
        (lambda: Guide().spread(power=0), "power"),
        (lambda: Guide().spread(per_word=-1), "per_word"),
        (lambda: Guide().topic("war", [["iraq"]]), "a word is a string"),
        (lambda: Guide().topic("war", never=[1.5]), "a word is a string"),
        (lambda: Guide().topic("war", {"iraq": "much"}), "the weight of 'iraq'"),
        (lambda: Guide().topic("war", {"iraq": 1e300}), "above zero and at most 1e\\+09"),
        (lambda: Guide().together("car", None), "a word is a string"),
        (lambda: Guide().merge(["war"], ["iraq"]), "a topic is a name or a number"),
        (lambda: Guide().label([0], 1.5), "a topic is a name or a number"),
        (lambda: Guide().link(["ab", "cd"]), "pair of documents, or a pair and a weight, not 'ab'"),
        (lambda: Guide().link([7]), "pair of documents, or a pair and a weight, not 7"),
        (lambda: Guide().link([("a", "b", "c")]), "pair of documents"),
        (lambda: Guide().link(pair for pair in [(1, 2), "cd"]), "not 'cd'"),
        (lambda: Guide().proportion("war", about=0.1, by=["x", None]), "document 1 has none"),
        (lambda: Guide().proportion("war", about=0.1, by=[1.0, 2.0, np.nan]), "document 2 has none"),
        (lambda: Guide().proportion("war", about=0.1, by=[["x", "y"]]), "one group per document"),
        (lambda: Guide().proportion("war"), "no bound"),
        (lambda: Guide().proportion("war", about=0.1, exactly=0.1), "takes about, exactly"),
        (lambda: Guide().proportion("war", at_least=0.5, at_most=0.2), "0 ≤ low ≤ high ≤ 1"),
        (lambda: Guide().proportion("war", at_least="5%"), "at_least must be a number, not '5%'"),
        (lambda: Guide().proportion("war", about=(0.1, 0.2, 0.3)), "about must be a number or two numbers"),
        (lambda: Guide().proportion("war", exactly=[0.1]), "exactly must be a number, not"),
        (lambda: Guide().keep(object()), "fitted topic model"),
        (lambda: Guide().label(["a"], "war").for_documents(), "for_documents"),
        (lambda: Guide().proportion("war", at_least=0.1, by="month").for_documents(), "needs times"),
        (lambda: Guide().proportion("war", at_least=0.1, by="moon").for_documents(times=[1, 2]), "by day, week"),
        (lambda: Guide().proportion("war", at_least=0.1, by="day").for_documents(times=[1, 2]), "are numbers"),
    ],
)
def test_impossible_wishes_are_refused_at_once(wish, message):
    with pytest.raises(InvalidInput, match=message):
        wish()


def test_documents_are_found_by_id_and_by_date():
    guide = (
        Guide().label(["b", "x"], "war").link([("a", "b"), ("a", "x", 2.0)]).proportion("war", about=0.2, by="month")
    )
    found = guide.for_documents(ids=["a", "b", "c"], times=["2003-03-20", "2003-04-02", "2003-04-09"])
    label, link, proportion = found.wishes
    assert label.documents.tolist() == [1, -1]
    assert link.sources.tolist() == [0, 0]
    assert link.targets.tolist() == [1, -1]
    assert proportion.by.tolist() == [0, 1, 1]
    assert (proportion.low, proportion.high) == pytest.approx((0.1, 0.3))
    assert Guide().label([], "war").wishes[0].documents.tolist() == []
    assert Guide().label([True, False, True], "war").wishes[0].documents.tolist() == [0, 2]
    assert Guide().link(sp.csr_matrix(np.eye(3))).wishes[0].weights.tolist() == [1, 1, 1]


def test_a_guide_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(SourceNotFound, match=r"there is no guide at .*guide\.toml"):
        Guide.read(tmp_path / "guide.toml")
    (tmp_path / "guide.toml").write_bytes(b"\xff\xfe")
    for path in (tmp_path, tmp_path / "guide.toml"):
        with pytest.raises(InvalidInput, match="cannot be read as a text in UTF-8"):
            Guide.read(path)
    (tmp_path / "guide.toml").write_text('\ufeff[[topic]]\nname = "Krieg"\n', encoding="utf-8")
    assert Guide.read(tmp_path / "guide.toml") == Guide().topic("Krieg")
