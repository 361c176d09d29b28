import json
from dataclasses import asdict

from driftline.analysis.findings.text_record import describe_preparation
from driftline.streams.preparation import prepare
from driftline.streams.stream import Stream


def test_the_record_is_what_was_prepared():
    texts = ["A storm hits the coast http://t.co/1", "A storm hits the coast http://t.co/2", "http://t.co/3"]
    prepared = prepare(Stream.from_documents([(f"2015-03-0{i + 1}", text) for i, text in enumerate(texts)]))
    record = describe_preparation(prepared, kind_given=True)
    assert (record.n_read, record.n_counted, record.n_empty) == (3, 2, 1)
    assert (record.source_kind, record.kind_given, record.languages) == ("posts", True, ["en"])
    assert [(left.kind, left.unit, left.n, left.n_documents) for left in record.left_out] == [
        ("urls", "match", 3, 3),
        ("duplicates", "document", 1, 1),
    ]
    assert record.n_stop_words == len(prepared.stop_words) > 100
    assert json.loads(json.dumps(asdict(record))) == asdict(record)
