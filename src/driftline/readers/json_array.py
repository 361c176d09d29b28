"""A file that is one JSON array of objects, read element by element, so that it does not have to fit into memory."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from driftline.readers.byte_stream import ByteStream
from driftline.readers.records import Chooser, Columns, Limits, Records, Unusable, bad_encoding, too_long

_TOKEN = re.compile(r'["\\\[\]{},]')
_WHITE = " \t\r\n"
_BEHIND_ELEMENT = ("", " ", "\t", "\r", "\n", ",", "]")
_BEHIND = "broken JSON: something follows the end of the array"
_raw_decode = json.JSONDecoder().raw_decode


def read_json_array(stream: ByteStream, choose: Chooser, limits: Limits) -> Iterator[Records]:
    """Yield the elements of an array; a broken one is skipped up to the comma or bracket that ends it.

    >>> import io
    >>> data = b'[{"t": 2003, "x": "war"}, {"t": oops}, {"t": 2004, "x": "peace"}]'
    >>> stream = ByteStream(io.BytesIO(data), "x")
    >>> (records,) = read_json_array(stream, lambda sample: Columns("t", ("x",)), Limits())
    >>> records.values["x"], [records.place_of(unusable) for unusable in records.unusable]
    (['war', 'peace'], ['record 2'])
    """
    columns: Columns | None = None
    objects: list[dict[str, Any]] = []
    numbers: list[int] = []
    unusable: list[Unusable] = []
    size = 0

    def records() -> Records:
        names = columns.needed() if columns is not None else []
        values = {name: [record.get(name) for record in objects] for name in names}
        return Records(stream.name, values, np.array(numbers, np.int64), columns, unusable, word="record")

    for number, (element, length) in enumerate(_elements(stream, limits), start=1):
        if isinstance(element, dict):
            objects.append(element)
            numbers.append(number)
        elif isinstance(element, str):
            unusable.append(Unusable(number, element))
        size += length
        if size >= limits.block_bytes or len(objects) >= limits.batch_size:
            columns = columns or (choose(_columns_of(objects)) if objects else None)
            yield records()
            objects, numbers, unusable, size = [], [], [], 0
    columns = columns or (choose(_columns_of(objects)) if objects else None)
    yield records()


def _columns_of(objects: list[dict[str, Any]]) -> dict[str, list[Any]]:
    names = dict.fromkeys(key for record in objects for key in record)
    return {name: [record[name] for record in objects[:1000] if name in record] for name in names}


def _elements(stream: ByteStream, limits: Limits) -> Iterator[tuple[dict[str, Any] | str, int]]:
    """Yield (the object or why there is none, its length in characters) for every element."""
    text = _Text(stream, limits)
    text.skip_space()
    text.position += 1  # the opening bracket
    first = True
    while not text.broke_off:
        text.skip_space()
        following = text.next_character()
        if following == "]":
            text.position += 1
            yield from ((_BEHIND, 1) for _ in text.lines_left())
            return
        if following == "," and not first:
            text.position += 1
            text.skip_space()
            following = text.next_character()
        if following == "":
            yield stream.damage or "broken JSON: the array is not closed", 1
            return
        if following != "]":
            yield text.take_element()
        first = False


class _Text:
    """The characters of the array; only the current element and its block are kept in memory."""

    def __init__(self, stream: ByteStream, limits: Limits) -> None:
        self._stream = stream
        self._limits = limits
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self.held = ""
        self.position = 0
        self.broke_off = False
        """Whether the text ended within an element."""

    def more(self) -> bool:
        """Read more; False at the end."""
        data = self._stream.read(self._limits.block_bytes)
        self.held += self._decoder.decode(data, final=not data)
        return bool(data)

    def next_character(self) -> str:
        """Return the next character, or an empty string at the end."""
        while self.position >= len(self.held):
            if not self.more():
                return ""
        return self.held[self.position]

    def skip_space(self) -> None:
        """Advance to the next character that is not white space, and discard consumed text from time to time."""
        while True:
            while self.position < len(self.held) and self.held[self.position] in _WHITE:
                self.position += 1
            if self.position < len(self.held):
                break
            self.held, self.position = "", 0
            if not self.more():
                break
        if self.position > self._limits.block_bytes:
            self.held, self.position = self.held[self.position :], 0

    def take_element(self) -> tuple[dict[str, Any] | str, int]:
        """Read one element, and advance past it."""
        start = self.position
        while True:
            try:
                element, end = _raw_decode(self.held, start)
            except RecursionError:
                reason = "broken JSON: nested too deeply"
            except ValueError as error:
                reason = f"broken JSON: {getattr(error, 'msg', error)}"
            else:
                if end == len(self.held) and self.more():
                    continue  # a number may continue in the next block
                if self.held[end : end + 1] in _BEHIND_ELEMENT:
                    self.position = end
                    return self._judged(element, self.held[start:end]), end - start
                reason = "broken JSON: no comma or bracket after an element"
            end = _scan(self.held, start, _AT_START)[0]
            if end >= 0:
                self.position = end
                return reason, end - start
            if len(self.held) - start > self._limits.max_record_bytes:
                self._skip_element()
                return too_long(self._limits), 0
            if not self.more():
                self.broke_off = True
                return self._stream.damage or f"{reason}; the array is not closed", 1

    def _judged(self, element: object, raw: str) -> dict[str, Any] | str:
        try:
            size = len(raw.encode())
        except UnicodeEncodeError:
            return _bad_encoding(raw)
        if size > self._limits.max_record_bytes:
            return too_long(self._limits)
        return element if isinstance(element, dict) else "not an object: an element must be a JSON object"

    def _skip_element(self) -> None:
        """Advance past an element that is too long to be buffered."""
        state = _AT_START
        while True:
            end, state = _scan(self.held, self.position, state)
            if end >= 0:
                self.position = end
                return
            self.held, self.position = "", 0
            if not self.more():
                self.broke_off = True
                return

    def lines_left(self) -> Iterator[str]:
        """Yield the rest as non-blank lines; the parts of a line too long to be buffered count as one."""
        line = ""
        while True:
            *lines, line = (line + self.held[self.position :]).split("\n")
            yield from (whole for whole in lines if whole.strip(_WHITE))
            self.held, self.position = "", 0
            line = line[:1] if line.strip(_WHITE) else ""
            if not self.more():
                break
        if line:
            yield line


def _bad_encoding(raw: str) -> str:
    """Return the reason for rejecting an element with bytes that are not UTF-8, decoded as surrogates."""
    try:
        raw.encode("utf-8", "surrogateescape").decode()
    except UnicodeDecodeError as error:
        return bad_encoding(error)
    return "bad encoding: half of a surrogate pair, which is not a character"


class _State(NamedTuple):
    depth: int
    in_string: bool
    escaped: bool


_AT_START = _State(0, False, False)


def _scan(text: str, position: int, state: _State) -> tuple[int, _State]:
    """Return the position of the comma or bracket that ends the element, or -1 and the state for the next block."""
    depth, in_string, escaped = state
    position += escaped
    while match := _TOKEN.search(text, position):
        token, position = match[0], match.end()
        if in_string:
            if token == "\\":
                position += 1
            elif token == '"':
                in_string = False
        elif token == '"':
            in_string = True
        elif token in "[{":
            depth += 1
        elif token in "]}" and depth:
            depth -= 1
        elif token in ",]" and not depth:
            return match.start(), _AT_START
    return -1, _State(depth, in_string, position > len(text))
