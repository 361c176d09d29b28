"""Targets that read small files of our own and of users: the place of `watch`, stop words, book texts."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from driftline.cli.place_file import BEGINNING, read_place, write_place
from driftline.cli.watch_model import RECORD, recorded_training
from driftline.core.errors import DriftlineError
from driftline.persistence.manifest import content_checksum
from driftline.readers.book import read_book
from driftline.text.stopwords import read_stop_words
from tests.fuzz.mutations import mutate, mutations
from tests.fuzz.sources import anything
from tests.fuzz.targets import Target

PLACE = {**BEGINNING, "source": "news.jsonl", "live": {}}


def run_place(case: Any) -> None:
    """A damaged position is refused with a clear error; an accepted one is the same when it is written again."""
    changes, repaired, byte_changes = case
    place = {**PLACE, **{name: value for name, value in changes.items() if value != "remove"}}
    place = {name: value for name, value in place.items() if changes.get(name) != "remove"}
    place = json.loads(json.dumps(place))
    checksum = content_checksum(place) if repaired else "0"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "place.json")
        path.write_bytes(mutate(json.dumps({"checksum": checksum, **place}).encode(), byte_changes))
        try:
            found = read_place(path)
        except DriftlineError as error:
            if "place.json" not in str(error):
                raise AssertionError("the message does not say which file") from error
            return
        write_place(path, found)
        again = read_place(path)
        assert json.dumps(again, sort_keys=True) == json.dumps(found, sort_keys=True)


def run_training_record(case: Any) -> None:
    """Whatever the record of the training source of `watch` contains: it matches the request, or it does not."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, RECORD).write_bytes(mutate(b'{"source": "/news.jsonl", "topics": 3}', case))
        found = recorded_training(Path(folder))
        if not case:
            assert found == {"source": "/news.jsonl", "topics": 3}


def _read_file(read: Any, name: str, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        try:
            read(path)
        except DriftlineError:
            return


def run_stop_words(case: Any) -> None:
    """Any file of words is read or refused."""
    data, changes = case
    _read_file(read_stop_words, "words.txt", mutate(data, changes))


def run_book(case: Any) -> None:
    """Any file of text is read or refused."""
    name, data, changes = case
    _read_file(read_book, name, mutate(data, changes))


_names = st.sampled_from(sorted(PLACE))
_books = [b"# One\n\ntext\n\n## Two\n\nmore", b"<h1>One</h1><p>text<h2>Two</h2>", b"I\n\nIt was night.\n\nII\n\nDay."]

TARGETS = [
    Target(
        "place",
        st.tuples(st.dictionaries(_names, anything | st.just("remove"), max_size=3), st.booleans(), mutations),
        run_place,
    ),
    Target("training-record", mutations, run_training_record),
    Target(
        "stop-words", st.tuples(st.sampled_from([b"the\nof\nand\n", b"", "für\n".encode()]), mutations), run_stop_words
    ),
    Target(
        "book", st.tuples(st.sampled_from(["a.md", "a.html", "a.txt"]), st.sampled_from(_books), mutations), run_book
    ),
]
