import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftline
from driftline.streams.conversations import conversations, first_message_id
from driftline.streams.document_groups import document_groups

NAMES = st.sampled_from(["a@x", "b@x", "c@x", "d@x", "e@x", "f@x"])


def groups_of(ids, threads):
    found = conversations(pa.chunked_array([ids], pa.string()), pa.chunked_array([threads], pa.string())).to_pylist()
    return found


def slow_groups(ids, threads):
    """Join documents by every thread and id that they share, until nothing changes."""
    named = set(threads) - {None}
    sets = [({thread} - {None}) | ({own} & named) for own, thread in zip(ids, threads)]
    changed = True
    while changed:
        changed = False
        for one in sets:
            for other in sets:
                if one & other and one != other:
                    one |= other
                    changed = True
    return sets


@settings(deadline=None)
@given(st.lists(st.tuples(NAMES, st.none() | NAMES), min_size=1, max_size=12))
def test_documents_are_joined_as_by_the_slow_way(documents):
    ids, threads = map(list, zip(*documents))
    found, expected = groups_of(ids, threads), slow_groups(ids, threads)
    for i, one in enumerate(expected):
        assert (found[i] is None) == (not one)
        for j, other in enumerate(expected):
            if one and other:
                assert (found[i] == found[j]) == bool(one & other), (i, j)


def test_a_reply_to_a_reply_belongs_to_the_start_even_if_it_comes_first():
    assert groups_of(["c@x", "b@x", "a@x", "z@x"], ["b@x", "a@x", None, None]) == ["b@x", "b@x", "b@x", None]


def test_angle_brackets_around_the_ids_do_not_matter():
    assert groups_of(["<a@x>", "<b@x>"], [None, "a@x"]) == ["a@x", "a@x"]


def test_numbers_of_rows_are_not_taken_for_ids():
    assert groups_of(["1", "2", "3"], ["2", "3", "2"]) == ["2", "3", "2"]
    long = ["7551234567890", "7551234567891"]
    assert groups_of(long, [None, long[0]]) == [long[0]] * 2


def test_two_replies_to_each_other_end():
    assert groups_of(["a@x", "b@x"], ["b@x", "a@x"]) == ["b@x", "b@x"]


@pytest.mark.parametrize(
    ("value", "first"),
    [
        ("<a@x>\n <b@y>", "a@x"),
        ("Ann's mail of Monday <a@x>", "a@x"),
        ("a@x b@y", "a@x"),
        ("two words", "two words"),
        ("7", "7"),
        ("", None),
        ("<>", "<>"),
        (None, None),
    ],
)
def test_the_first_message_id_of_a_header(value, first):
    assert first_message_id(pa.array([value], pa.string())).to_pylist() == [first]


def test_mail_in_a_table_without_a_thread_has_conversations():
    records = [
        {"id": 1, "date": "2020-01-01", "text": "who knows?", "message_id": "<a@x>", "in_reply_to": ""},
        {"id": 2, "date": "2020-01-02", "text": "I do", "message_id": "<b@x>", "in_reply_to": "<a@x>"},
        {"id": 3, "date": "2020-01-03", "text": "then say", "message_id": "<c@x>", "in_reply_to": "<b@x>"},
        {"id": 4, "date": "2020-01-04", "text": "something else", "message_id": "<d@x>", "in_reply_to": None},
    ]
    groups = document_groups(driftline.read(records).table(), "thread")
    assert groups.codes.tolist() == [0, 0, 0, -1]
