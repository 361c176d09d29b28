import numpy as np
import pytest
from benchmarks.labelling.loop import accuracy_of_the_loop

import driftline
from driftline.core.errors import InvalidInput
from driftline.datasets.newswire import simulate_newswire
from driftline.labelling.stream_labeller import ANSWERS, MOST_LABELS, StreamLabeller
from driftline.streams.stream import Stream


def table(documents):
    return Stream.from_documents(documents).table()


@pytest.fixture(scope="module")
def wire():
    return simulate_newswire(300, random_state=2)


@pytest.fixture(scope="module")
def documents(wire):
    """One story in seven has a label."""
    few = np.random.default_rng(0).random(len(wire)) < 0.15
    return [
        (wire.ids[i], wire.times[i], wire.texts[i], str(wire.labels[i]) if few[i] else None) for i in range(len(wire))
    ]


@pytest.fixture(scope="module")
def at_once(documents):
    return StreamLabeller(every="1mo").label(table(documents))


def test_every_document_has_one_answer_and_given_labels_stay(documents, at_once):
    assert at_once.answers.schema == ANSWERS
    assert at_once.answers["id"].to_pylist() == [document[0] for document in documents]
    for document, answer in zip(documents, at_once.answers.to_pylist()):
        assert answer["given"] == (document[3] is not None)
        if answer["given"]:
            assert (answer["label"], answer["probability"]) == (document[3], 1.0)
        assert answer["frame"] <= answer["time"]
        assert 0 < answer["probability"] <= 1
    assert [frame.n_documents for frame in at_once.frames] == [
        at_once.answers["frame"].to_pylist().count(start) for start in at_once.answers["frame"].unique().to_pylist()
    ]


@pytest.mark.parametrize("cuts", [[150], [1, 3, 100, 101, 299], [40, 80, 120]], ids=str)
def test_in_parts_it_says_what_it_says_at_once(documents, at_once, cuts, tmp_path):
    labeller = StreamLabeller(every="1mo")
    answers = {}
    for number, part in enumerate(np.split(np.arange(len(documents)), cuts)):
        run = labeller.label(table([documents[i] for i in part]))
        labeller.save(tmp_path / f"{number}")
        labeller = driftline.load(tmp_path / f"{number}")
        answers |= {answer["id"]: answer for answer in run.answers.to_pylist()}
    assert list(answers.values()) == at_once.answers.to_pylist()
    assert run.suggestions == at_once.suggestions
    assert run.frames[-1] == at_once.frames[-1]


def test_documents_that_come_again_change_nothing(documents, at_once):
    labeller = StreamLabeller(every="1mo")
    labeller.label(table(documents))
    again = labeller.label(table(documents))
    assert (again.n_new, again.n_repeated, again.n_new_labels) == (0, len(documents), 0)
    assert again.answers.to_pylist() == at_once.answers.to_pylist()[-len(again.answers) :]
    assert again.suggestions == at_once.suggestions


def test_an_answered_suggestion_is_used(wire, documents, at_once):
    labeller = StreamLabeller(every="1mo")
    first = labeller.label(table(documents))
    truth = dict(zip(wire.ids, wire.true_labels.tolist()))
    answered = [(each.id, each.time, each.text, truth[each.id]) for each in first.suggestions]
    second = labeller.label(table(answered))
    assert second.n_new_labels == len(answered)
    reported = {answer["id"]: answer for answer in second.answers.to_pylist()}
    assert all(reported[each[0]]["given"] and reported[each[0]]["label"] == each[3] for each in answered)
    assert {each.id for each in second.suggestions}.isdisjoint(each[0] for each in answered)
    labels = {each[0]: each[3] for each in answered}
    at_once_with_them = StreamLabeller(every="1mo").label(
        table([(*document[:3], labels.get(document[0], document[3])) for document in documents])
    )
    assert second.answers.to_pylist() == at_once_with_them.answers.to_pylist()[-len(second.answers) :]


def test_a_label_for_a_closed_frame_is_learned_and_its_document_not_repeated(documents):
    labeller = StreamLabeller(every="1mo")
    labeller.label(table(documents))
    early = next(document for document in documents[10:] if document[3] is None)
    run = labeller.label(table([(*early[:3], "a label of its own")]))
    assert run.late_labels == {early[0]: "a label of its own"}
    assert "a label of its own" in run.labels
    assert early[0] not in run.answers["id"].to_pylist()
    assert run.frames[0].n_documents == len(run.answers)


def test_a_document_too_late_for_its_frame_is_answered_with_the_open_one(documents):
    labeller = StreamLabeller(every="1mo")
    labeller.label(table(documents))
    run = labeller.label(table([("late", documents[0][1], documents[0][2])]))
    assert (run.n_new, run.n_late) == (1, 1)
    (answer,) = [answer for answer in run.answers.to_pylist() if answer["id"] == "late"]
    assert answer["frame"] > answer["time"]
    assert answer["label"] in run.labels


def test_documents_before_the_first_label_are_labelled_when_it_comes(documents):
    unlabelled = [(*document[:3], None) for document in documents]
    labeller = StreamLabeller(every="1mo")
    first = labeller.label(table(unlabelled[:100]), n_suggestions=4)
    assert first.answers["label"].null_count == 100
    assert len(first.suggestions) == 4
    assert first.labels == []
    second = labeller.label(table(unlabelled[100:170] + documents[170:]))
    assert second.answers["label"].null_count == 0
    assert len(second.answers) == len(documents)
    together = StreamLabeller(every="1mo").label(table(unlabelled[:170] + documents[170:]))
    assert second.answers.to_pylist() == together.answers.to_pylist()


def test_truth_is_compared_and_not_learned(wire, documents, at_once):
    truth = dict(zip(wire.ids, wire.true_labels.tolist()))
    run = StreamLabeller(every="1mo").label(table(documents), truth=truth)
    assert run.answers == at_once.answers
    last = run.frames[-1]
    own = [a for a in run.answers.to_pylist() if a["frame"] == last.start.item().replace(tzinfo=a["frame"].tzinfo)]
    right = [truth[answer["id"]] == answer["label"] for answer in own if not answer["given"]]
    assert last.n_tested == len(right) == last.n_documents - last.n_labelled
    assert last.right == pytest.approx(np.mean(right))


def test_the_former_name_of_predicted_still_works(at_once):
    frame = at_once.frames[-1]
    with pytest.warns(FutureWarning, match="predicted"):
        assert frame.foreseen == frame.predicted


def test_one_document_and_none():
    run = StreamLabeller().label(table([("a", "2024-01-01", "alone", "x")]))
    assert run.answers["label"].to_pylist() == ["x"]
    assert run.suggestions == []
    with pytest.raises(InvalidInput, match="no document"):
        StreamLabeller().label(table([]))


def test_a_column_of_ids_is_not_taken_for_labels():
    labeller = StreamLabeller()
    stories = [(str(i), "2024-01-03", "rain and wind", f"label {i}") for i in range(MOST_LABELS + 1)]
    with pytest.raises(InvalidInput, match=r"1,001 distinct labels.*label="):
        labeller.label(Stream.from_documents(stories).table())
    run = labeller.label(Stream.from_documents(stories[:2]).table())
    assert run.labels == ["label 0", "label 1"]


def test_suggested_documents_beat_random_ones():
    wire = simulate_newswire(300, random_state=0)
    suggested = accuracy_of_the_loop(wire, n_labels=3, suggested=True)
    assert suggested > accuracy_of_the_loop(wire, n_labels=3, suggested=False) + 0.05


@pytest.mark.slow
def test_suggested_documents_beat_random_ones_on_every_kind_of_stream():
    for n_documents, n_labels in ((600, 3), (1200, 3), (1200, 6)):
        gains = []
        for seed in range(5):
            wire = simulate_newswire(n_documents, random_state=seed)
            suggested, at_random = (
                accuracy_of_the_loop(wire, n_labels=n_labels, suggested=how, seed=seed) for how in (True, False)
            )
            gains.append(suggested - at_random)
        assert np.mean(gains) > 0.03
        assert np.mean(gains) > 2 * np.std(gains, ddof=1) / np.sqrt(len(gains))
