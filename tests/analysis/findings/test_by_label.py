from driftline.analysis.curve_times import grid
from driftline.analysis.findings.by_label import describe_labels
from driftline.analysis.items import items_of
from driftline.analysis.texts import texts_of


def options():
    return {"bandwidth": "30d", "unit": "auto", "false_discovery_rate": 0.05, "random_state": 0}


def test_every_frequent_label_is_described_by_its_own_changes(findings, wire):
    sizes = [label.n_documents for label in findings.labels]
    assert sizes == sorted(sizes, reverse=True)
    assert {label.label for label in findings.labels} == set(wire.labels.tolist())
    sport = next(label for label in findings.labels if label.label == "sport")
    assert {"skiing", "cricket"} & {word.word for word in sport.changed_words}


def test_no_labels_one_label_and_rare_labels_say_nothing(corpus):
    when = grid(corpus.times, 10)
    for part in (corpus.where_label("sport"), corpus[:60]):
        items = items_of(part)
        assert describe_labels(part, items, texts_of(items, part), when, **options()) == []
