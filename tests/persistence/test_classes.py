from __future__ import annotations

import pytest
from sklearn.naive_bayes import MultinomialNB

from driftline.core.errors import ModelFileError
from driftline.persistence.classes import (
    class_named,
    estimator_class,
    is_allowed,
    is_record,
    name_of,
    record_class,
    record_fields,
)
from driftline.text.tokenise import Tokenizer
from tests.persistence.holder import Holder, Pair, Point


@pytest.mark.parametrize(
    "name",
    [
        "os.system",
        "builtins.eval",
        "driftline",
        "driftlinex.a.B",
        "driftline.a b.C",
        "driftline..C",
        "driftline.__main__.C",
        "sklearn.tests.test_base.C",
        "sklearn.externals.x.C",
        "driftline.text.tokenise.Tokenizer",
        "driftline.core.times.TimeAxis",
        "Tokenizer\n",
        "Tokenızer",
        "TimeAxis",
        "",
    ],
)
def test_names_outside_the_list_are_not_allowed(name):
    assert not is_allowed(name)
    with pytest.raises(ModelFileError, match="trusted"):
        class_named(name)


def test_trust_covers_a_package_and_not_its_namesakes():
    assert is_allowed("tests.persistence.holder.Holder", ["tests.persistence"])
    assert not is_allowed("tests_of_others.Holder", ["tests"])
    assert not is_allowed("driftline.text.tokenise.Tokenizer", ["driftline"])


def test_classes_are_found_by_name():
    assert class_named(name_of(Tokenizer)) is Tokenizer
    assert estimator_class(name_of(MultinomialNB)) is MultinomialNB
    assert record_class(name_of(Tokenizer)) is Tokenizer


def test_what_is_not_there_is_reported():
    with pytest.raises(ModelFileError, match="cannot be imported"):
        class_named("sklearn.nowhere.Nothing")
    with pytest.raises(ModelFileError, match="does not exist"):
        class_named("sklearn.naive_bayes.Nothing")


def test_estimators_and_records_are_distinguished():
    with pytest.raises(ModelFileError, match="as an estimator"):
        estimator_class(name_of(Tokenizer))
    with pytest.raises(ModelFileError, match="as a plain record"):
        record_class(name_of(MultinomialNB))
    assert [is_record(kind) for kind in (Point, Pair, Holder, tuple, dict)] == [True, True, False, False, False]
    assert record_fields(Pair(1, 2)) == {"left": 1, "right": 2}
    assert record_fields(Point(1)) == {"x": 1, "y": 0}
