import dataclasses
import json
import typing

import pytest
from tests.analysis.test_serialise import every_field_filled

from driftline.analysis.all_findings import FINDINGS, Findings, find_all
from driftline.analysis.findings.drift import DRIFT
from driftline.analysis.findings.headlines import HEADLINES
from driftline.analysis.serialise import _Builder, _Writer, from_json, to_json
from driftline.core.progress import reporting

FIRST_VERSION = [
    "title",
    "source",
    "volume",
    "changed_words",
    "n_words_tested",
    "n_words_changed",
    "false_discovery_rate",
    "bandwidth_days",
    "drift",
    "periods",
    "labels",
    "topics",
    "topic_changes",
    "bursts",
    "intensities",
    "classifier",
    "few_labels",
    "long_documents",
    "text",
    "truth",
    "headlines",
    "word_tests",
    "counted",
    "dates",
    "cycles",
    "small",
    "version",
]


def classes_in(kind):
    """Yield the data classes that a value of this type may contain."""
    if dataclasses.is_dataclass(kind):
        yield kind
        for hint in typing.get_type_hints(kind).values():
            yield from classes_in(hint)
    for inner in typing.get_args(kind):
        yield from classes_in(inner)


def test_every_class_of_the_findings_is_frozen():
    kinds = set(classes_in(Findings))
    assert len(kinds) > 30
    assert all(kind.__dataclass_params__.frozen for kind in kinds)


def test_fields_keep_their_names_and_their_order_in_json():
    assert list(json.loads(to_json(every_field_filled())))[1 : len(FIRST_VERSION) + 1] == FIRST_VERSION
    assert [finding.name for finding in FINDINGS] == [field.name for field in dataclasses.fields(Findings)]


def test_a_finding_gives_typed_access_to_its_field():
    found = every_field_filled()
    assert DRIFT.of(found) is found.drift
    assert found.stories is HEADLINES.of(found).stories is found.headlines.stories


@pytest.mark.parametrize("finding", [f for f in FINDINGS if f.empty is not None], ids=lambda finding: finding.name)
def test_json_older_than_a_finding_gets_its_empty_value(finding):
    record = json.loads(to_json(every_field_filled()))
    for later in FINDINGS:
        if later.stored and later.since >= finding.since > 1:
            del record[later.name]
    if finding.since > 1:
        assert finding.of(from_json(json.dumps(record))) == finding.empty()
    kind = typing.get_type_hints(Findings)[finding.name]
    plain = json.loads(json.dumps(_Writer().plain(finding.empty())))
    built = _Builder().build(kind, plain, finding.name)
    assert built == finding.empty(), "the empty value has the type of the field"


def test_what_every_stream_has_comes_first():
    assert [finding.name for finding in FINDINGS if finding.empty is None] == ["title", "source", "volume"]


def test_the_analysis_reports_its_progress():
    class Recorder:
        described = ()

        def track(self, items, description, total):
            self.described = (*self.described, (description, total))
            return iter(items)

        def announce(self, message):
            pass

    class Values:
        def __getitem__(self, finding):
            return getattr(every_field_filled(), finding.name)

    recorder = Recorder()
    with reporting(recorder):
        assert find_all(Values()) == every_field_filled()
    assert recorder.described == (("analysing", len(FINDINGS)),)
