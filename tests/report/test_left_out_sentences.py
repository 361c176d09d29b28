from dataclasses import replace

from driftline.analysis.findings.source_summary import RejectedRecord, SourceSummary
from driftline.analysis.findings.text_record import LeftOutFinding, TextRecord
from driftline.report.left_out_sentences import _NOUNS, _REPLACED, MOST, left_out_sentences, rejected_sentences
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


def rejected(reasons, *examples):
    records = [RejectedRecord("a.csv", f"line {n}", reason) for n, reason in enumerate(examples, start=2)]
    return SourceSummary("a.csv", 90, sum(reasons.values()), reasons, records, "2003-01-01", "2003-02-01", 900, 80)


def test_a_likely_encoding_is_named_as_most_examples_have_it():
    bad = "bad encoding: byte 0xe4 at position 3 is not UTF-8; it looks like encoding='{}'"
    reasons = {"no time": 1, "bad encoding": 9}
    summary = rejected(reasons, "no time", bad.format("cp437"), bad.format("cp1252"), bad.format("cp1252"))
    assert rejected_sentences(summary) == [
        "10 of 100 records were rejected: bad encoding (9; it looks like cp1252; name it with --encoding, "
        "or encoding=) and no time (1)."
    ]


def test_damaged_text_that_looks_like_an_encoding_now_and_then_is_no_reason_to_suggest_it():
    bad = "bad encoding: byte 0x89 at position 3 is not UTF-8; "
    other = f"{bad}if the source uses another encoding, name it with encoding="
    summary = rejected({"bad encoding": 10}, other, other, f"{bad}it looks like encoding='koi8-r'")
    assert rejected_sentences(summary) == ["10 of 100 records were rejected: bad encoding."]


def test_a_single_broken_record_is_not_a_reason_to_suggest_another_encoding():
    bad = "bad encoding: byte 0xe4 at position 3 is not UTF-8; it looks like encoding='cp1252'"
    summary = replace(rejected({"bad encoding": 1}, bad), n_documents=6000)
    assert rejected_sentences(summary) == ["1 of 6,001 records was rejected: bad encoding."]
