import dataclasses
import json

import pytest

from driftline.analysis import shown_curves
from driftline.analysis.all_findings import FINDINGS, Findings
from driftline.analysis.findings.bursts import WordBurst
from driftline.analysis.findings.by_label import LabelFindings
from driftline.analysis.findings.classifier_comparison import ClassifierFindings
from driftline.analysis.findings.drift import DriftSpeed, FastPeriod
from driftline.analysis.findings.few_labels import FewLabelsFindings, PredictedFrame, Suggestion
from driftline.analysis.findings.headlines import Composition, Headlines, RatioWithin, Story, WordChange
from driftline.analysis.findings.label_intensities import LabelIntensity
from driftline.analysis.findings.long_documents import (
    DocumentEra,
    DocumentFlow,
    DocumentTheme,
    DocumentTurn,
    LongDocuments,
)
from driftline.analysis.findings.periods import CharacteristicWord, Period
from driftline.analysis.findings.source_summary import RejectedRecord, SourceSummary
from driftline.analysis.findings.storylines import Storyline, StorylineEvent, StorylineFindings
from driftline.analysis.findings.topic_changes import TopicChange
from driftline.analysis.findings.topics import TopicFinding
from driftline.analysis.findings.truth import Truth
from driftline.analysis.findings.words import ChangedWord
from driftline.analysis.intensities import IntensityBurst
from driftline.analysis.serialise import _Writer, from_json, to_json
from driftline.analysis.shown_curves import curve_of_lists
from driftline.analysis.shown_evidence import Example
from driftline.analysis.word_meaning import WordShift
from driftline.core.errors import InvalidInput
from driftline.core.times import isos


def every_field_filled() -> Findings:
    change = WordChange(
        "war", "event", "less", 5.4, 4.1, 7.2, "2003-03-20T00:00:00Z", "2003-04-09T00:00:00Z", True, False, 8, 9, True
    )
    curve = curve_of_lists(["2003-03-20T00:00:00Z"], [1.0], [0.5], [2.0])
    example = Example("7", "2003-03-20T00:00:00Z", "</script> war \u2028 begins", "news")
    word = ChangedWord(
        "war", "peaked", 12.0, 1e-9, 1e-7, 40, 38, "2003-03-20T00:00:00Z", 30.0, 3.0, curve, [example], change=change
    )
    period = Period("2003-03-01T00:00:00Z", "2003-04-01T00:00:00Z", 9, [CharacteristicWord("war", 30, 3, 9)], [example])
    fast = FastPeriod(
        "2003-03-15T00:00:00Z", "2003-03-25T00:00:00Z", "2003-03-20T00:00:00Z", 0.1, 4.0, ["war"], ["cup"]
    )
    burst = IntensityBurst("2003-03-16T00:00:00Z", "2003-04-04T00:00:00Z", 2, 99.0, 0.9, 31)
    era = DocumentEra("2003-03-01T00:00:00Z", "2003-04-01T00:00:00Z", 9, [[0.25, 0.75], [1.0, 0.0]], 80.0, 60.0, 99.5)
    flow = DocumentFlow(
        id="7",
        time="2003-03-20T00:00:00Z",
        label=None,
        kind="latest",
        era=0,
        n_words=90,
        positions=[0, 45],
        shares=[[0.5, 0.5], [0.0, 1.0]],
        passage_of=[0, 0],
        passages=["</script> war"],
        turns=[DocumentTurn(0, [1], ["war"])],
    )
    return Findings(
        title="headlines",
        source=SourceSummary(
            "a.jsonl",
            10,
            1,
            {"no time": 1},
            [RejectedRecord("a.jsonl", "line 3", "no time")],
            "2003-03-01T00:00:00Z",
            "2003-04-01T00:00:00Z",
            99,
            12,
            {"n": 1},
        ),
        volume=curve,
        changed_words=[word],
        n_words_tested=12,
        n_words_changed=1,
        false_discovery_rate=0.05,
        bandwidth_days=7.0,
        drift=DriftSpeed(curve, [0.01], 7.0, [fast]),
        periods=[period],
        labels=[LabelFindings("n", 9, curve, [word], [period])],
        topics=[TopicFinding(["war", "iraq"], 0.1, 0.05, 0.001, "rises", curve, [example], curve, [burst])],
        topic_changes=[TopicChange("born", [], [["war", "iraq"]], 0.1, "2003-03-20T00:00:00Z")],
        bursts=[WordBurst("war", "2003-03-16T00:00:00Z", "2003-04-04T00:00:00Z", 2, 99.0, 31)],
        intensities=[LabelIntensity("a", curve, [burst])],
        classifier=ClassifierFindings(["a", "b"], 90, 30, 0.2, 0.1, 0.01, 7.0, [WordShift("war", "a", 0.3, curve)]),
        few_labels=FewLabelsFindings(
            labels=["a", "b"],
            n_documents=99,
            n_labelled=20,
            n_learned=20,
            labels_per_frame=10,
            every="1mo",
            frames=[PredictedFrame("2003-03-01T00:00:00Z", "2003-04-01T00:00:00Z", 9, 3, 3, 0.7, 0.2, 0.9, 0.5)],
            words=[WordShift("war", "a", 0.3, curve)],
            suggestions=[Suggestion(example, "a", 0.4)],
        ),
        long_documents=LongDocuments(
            500.0, 40, 12.0, [DocumentTheme(["war"], 0.5, curve), DocumentTheme(["peace"], 0.5, curve)], [era], [flow]
        ),
        truth=Truth(
            {"war": curve}, ["war"], [("war", "2003-03-20T00:00:00Z", "2003-04-09T00:00:00Z")], ["war"], [], [], 0.95
        ),
        headlines=Headlines(
            [Story(change, ["iraq"], 2)],
            [Composition(["nhs"], change, RatioWithin(1.4, 0.9, 2.1), "account", "bbc", 0.14, 0.02, 0.7, 3)],
            n_words=9,
            noun="passages",
        ),
        storylines=StorylineFindings(
            [Storyline(3, ["war"], "2003-03-01T00:00:00Z", "2003-04-01T00:00:00Z", 9, curve, [example])],
            [StorylineEvent("revived", "2003-03-20T00:00:00Z", 1, 3, 0.97)],
            curve,
            1,
            99,
            99,
            14.0,
        ),
        version="0.1.0",
    )


def test_round_trip_keeps_everything():
    findings = every_field_filled()
    assert from_json(to_json(findings)) == findings
    assert from_json(to_json(dataclasses.replace(findings, truth=None))).truth is None


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda record: record.pop("format"), "format"),
        (lambda record: record.update(surprise=1), "surprise"),
        (lambda record: record.pop("volume"), "lacks 'volume'"),
        (lambda record: record.pop("truth"), "lacks 'truth'"),
        (lambda record: record.pop("few_labels"), "lacks 'few_labels', which every file with 'storylines' has"),
        (lambda record: record["changed_words"][0].pop("curve"), "changed_words.* incomplete"),
        (lambda record: record["labels"][0]["changed_words"][0].pop("change"), "incomplete.*change"),
        (lambda record: record["volume"].pop("upper"), r"findings\.volume is incomplete: it lacks 'upper'"),
        (lambda record: record["volume"]["value"].pop(), r"findings\.volume is incomplete: .* differ in number"),
        (lambda record: record["volume"].update(value=["high"]), r"findings\.volume should contain times and numbers"),
        (
            lambda record: record["truth"]["bursts"][0].pop(),
            r"truth\.bursts\[0\] should contain 3 values but contains 2",
        ),
        (lambda record: record["source"].update(n_documents="many"), r"findings\.source\.n_documents"),
        (lambda record: record["changed_words"].append(3), r"changed_words\[1\]"),
    ],
)
def test_foreign_json_is_refused_with_its_place(spoil, message):
    record = json.loads(to_json(every_field_filled()))
    spoil(record)
    with pytest.raises(InvalidInput, match=message):
        from_json(json.dumps(record))


def test_dates_of_several_curves_are_converted_once_and_each_has_its_own(monkeypatch):
    converted = []

    def counting(times):
        converted.append(times)
        return isos(times)

    monkeypatch.setattr(shown_curves, "isos", counting)
    early, late = (curve_of_lists([f"{year}-01-01T00:00:00Z"], [1.0], [0.5], [1.5]) for year in (2003, 2004))
    writer = _Writer()
    lists = [writer.plain(curve)["times"] for curve in (early, late, early, late)]
    assert lists == [["2003-01-01T00:00:00Z"], ["2004-01-01T00:00:00Z"]] * 2
    assert len(converted) == 2


def test_what_is_not_json_is_refused():
    with pytest.raises(InvalidInput, match="not findings"):
        from_json("{")


def test_a_file_that_is_cut_anywhere_is_refused():
    text = to_json(every_field_filled())
    for end in range(0, len(text), 97):
        with pytest.raises(InvalidInput, match="not findings"):
            from_json(text[:end])


@pytest.mark.parametrize("version", range(1, 12))
def test_files_of_every_earlier_version_load(version):
    """A file of an earlier version has neither the findings nor the fields that came later."""
    record = json.loads(to_json(every_field_filled()))
    for finding in FINDINGS:
        if finding.stored and finding.since > version:
            del record[finding.name]
    for word in [*record["changed_words"], *record["labels"][0]["changed_words"]]:
        del word["change"]
    found = from_json(json.dumps(record))
    assert found.changed_words[0].change is None
    assert found.cycles == []
