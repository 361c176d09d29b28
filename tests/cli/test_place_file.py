"""A damaged place is a clear error that says how to go on."""

from __future__ import annotations

import json

import pytest

from driftline.cli.place_file import BEGINNING, read_place, write_place
from driftline.core.errors import InvalidInput
from driftline.persistence.manifest import content_checksum

PLACE = {**BEGINNING, "offset": 7, "mark": (3, 5, "ab"), "source": "log", "live": {"x": [0.1, 1e300], "é": [1]}}


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / "place.json"
    assert read_place(path) is None
    write_place(path, PLACE)
    assert read_place(path) == {**PLACE, "mark": [3, 5, "ab"]}


def with_checksum(place):
    return json.dumps({"checksum": content_checksum(place), **place}).encode()


DAMAGED = {
    "empty": b"",
    "cut short": with_checksum(PLACE)[:-9],
    "no object": b"[]",
    "null": b"null",
    "an empty object": b"{}",
    "not UTF-8": b"\xff\xfe",
    "deeply nested": b"[" * 200_000,
    "zeros": bytes(400),
    "without a checksum": json.dumps(PLACE).encode(),
    "another number": with_checksum(PLACE).replace(b'"offset": 7', b'"offset": 8'),
    "a missing field": with_checksum({name: value for name, value in PLACE.items() if name != "written"}),
    "a field too many": with_checksum({**PLACE, "more": 1}),
    **{
        f"{name}: {value!r}": with_checksum({**PLACE, name: value})
        for name, value in [
            *(("offset", wrong) for wrong in (-1, 1.5, "0", None, True, 2**70)),
            *(("mark", wrong) for wrong in ([], [1, 2], [1, 2, 3], ["a", 2, "b"], 5, {})),
            *(("written", wrong) for wrong in (-5, None, [])),
            *(("ended", 1), ("output", 3), ("source", None), ("live", []), ("closed", None), ("fingerprint", 0)),
        ]
    },
}


@pytest.mark.parametrize("how", DAMAGED)
def test_damage_is_reported_with_the_ways_to_go_on(tmp_path, how):
    path = tmp_path / "place.json"
    path.write_bytes(DAMAGED[how])
    with pytest.raises(InvalidInput, match=r"place\.json is damaged .*restore it from a copy, or remove it"):
        read_place(path)


def test_a_folder_in_its_place_is_damage_too(tmp_path):
    (tmp_path / "place.json").mkdir()
    with pytest.raises(InvalidInput, match="damaged"):
        read_place(tmp_path / "place.json")
