from driftline.analysis.findings.text_record import LeftOutFinding, TextRecord
from driftline.report.left_out_sentences import _NOUNS, _REPLACED, MOST, left_out_sentences
from driftline.text.left_out import DESCRIPTIONS


def record(*kinds):
    left = [LeftOutFinding(kind, DESCRIPTIONS[kind], "match", n, n) for n, kind in enumerate(kinds, start=1)]
    return TextRecord("posts", False, ["en"], 180, 100, 100, 0, left_out=left)


def test_every_kind_has_a_noun():
    assert set(_NOUNS) | _REPLACED == set(DESCRIPTIONS)


def test_the_most_comes_first_and_one_is_singular():
    assert left_out_sentences(record("duplicates", "urls")) == ["Not counted: 2 web addresses and 1 duplicate."]


def test_entities_are_counted_as_what_they_stand_for():
    assert left_out_sentences(record("entities")) == []
    assert left_out_sentences(None) == []


def test_many_kinds_are_summed_up():
    (sentence,) = left_out_sentences(record(*list(_NOUNS)[: MOST + 2]))
    assert sentence.endswith(" and 2 other kinds of text.")
