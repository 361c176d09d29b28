import numpy as np

from driftline.labelling.known_documents import (
    OPEN_SCHEMA,
    ClosedDocuments,
    gather,
    hashes,
    with_ids_of_their_own,
)
from driftline.streams.reorder import times_of
from driftline.streams.stream import Stream


def table(*documents):
    return Stream.from_documents(list(documents)).table()


def nothing_closed(*documents):
    return gather(OPEN_SCHEMA.empty_table(), ClosedDocuments.none(), table(*documents), -(2**63))


def test_of_documents_with_one_id_the_first_is_kept_with_the_last_label():
    gathered = nothing_closed(
        ("a", "2024-01-01", "first", None),
        ("a", "2024-01-02", "second", "x"),
        ("b", "2024-01-03", "other", "y"),
        ("b", "2024-01-04", "other", None),
    )
    assert gathered.table.select(["id", "text", "label"]).to_pylist() == [
        {"id": "a", "text": "first", "label": "x"},
        {"id": "b", "text": "other", "label": "y"},
    ]
    assert (gathered.n_new, gathered.n_repeated, gathered.n_new_labels) == (2, 2, 1)


def test_held_documents_take_labels_and_are_not_taken_again():
    held = nothing_closed(("a", "2024-01-01", "held", None)).table
    gathered = gather(
        held, ClosedDocuments.none(), table(("a", "2024-01-01", "changed", "x"), ("b", "2024-01-02", "new")), 0
    )
    assert gathered.table["text"].to_pylist() == ["held", "new"]
    assert gathered.table["label"].to_pylist() == ["x", None]
    assert (gathered.n_new, gathered.n_repeated, gathered.n_new_labels, gathered.n_late) == (1, 1, 1, 0)


def test_closed_documents_come_back_only_with_a_new_label():
    old = table(("a", "2024-01-01", "one", "x"), ("b", "2024-01-02", "two", None), ("c", "2024-01-03", "three", "y"))
    closed = ClosedDocuments.none().add(old)
    until = int(times_of(table(("z", "2024-02-01", "later", None)))[0])
    again = table(
        ("a", "2024-01-01", "one", "x"),  # the label it had
        ("b", "2024-01-02", "two", "x"),  # its first
        ("c", "2024-01-03", "three", "z"),  # another
        ("d", "2024-01-04", "late", None),
    )
    gathered = gather(OPEN_SCHEMA.empty_table(), closed, again, until)
    assert gathered.late_labels == {"b": "x", "c": "z"}
    assert (gathered.n_new, gathered.n_repeated, gathered.n_late, gathered.n_new_labels) == (1, 3, 1, 2)
    remembered, labels = closed.add(gathered.table).labels_of(hashes(["b", "c", "d", "e"]))
    assert remembered.tolist() == [True, True, True, False]
    assert labels[:2].tolist() == hashes(["x", "z"]).tolist()


def test_ids_made_of_content_are_the_same_in_every_file():
    first = with_ids_of_their_own(table(("1", "2024-01-01", "a"), ("2", "2024-01-02", "b"), ("3", "2024-01-02", "b")))
    second = with_ids_of_their_own(table(("1", "2024-01-02", "b"), ("2", "2024-01-02", "a")))
    assert first["id"][1] == second["id"][0]
    assert first["id"][2].as_py() == first["id"][1].as_py() + "-2"
    assert len({*first["id"].to_pylist(), *second["id"].to_pylist()}) == 4


def test_hashes_tell_names_apart():
    names = [str(i) for i in range(1000)]
    assert len(np.unique(hashes(names))) == 1000
    assert hashes([]).shape == (0,)
