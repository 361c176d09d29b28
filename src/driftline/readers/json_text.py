"""The characters of a long JSON document, read block by block."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from driftline.readers.byte_stream import ByteStream
from driftline.readers.records import Limits, bad_encoding, too_long

_TOKEN = re.compile(r'["\\\[\]{},]')
_WHITE = " \t\r\n"
_BEHIND_ELEMENT = ("", " ", "\t", "\r", "\n", ",", "]")
_LONGEST_KEY = 1000
_raw_decode = json.JSONDecoder().raw_decode


class JsonText:
    """The characters of a document; only the current element and its block are kept in memory."""

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

    def take_element(self) -> tuple[dict[str, object] | str, int]:
        """Read one element of an array, and advance past it: the object or why there is none, and its length."""
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
            end = _scan(self.held, start, _AT_START, ",]")[0]
            if end >= 0:
                self.position = end
                return reason, end - start
            if len(self.held) - start > self._limits.max_record_bytes:
                self.skip_value(",]")
                return too_long(self._limits), 0
            if not self.more():
                self.broke_off = True
                return self._stream.damage or f"{reason}; the array is not closed", 1

    def _judged(self, element: object, raw: str) -> dict[str, object] | str:
        try:
            size = len(raw.encode())
        except UnicodeEncodeError:
            return _bad_encoding(raw)
        if size > self._limits.max_record_bytes:
            return too_long(self._limits)
        return element if isinstance(element, dict) else "not an object: an element must be a JSON object"

    def take_small_value(self) -> object:
        """Advance past a value in an object; return it if it is a short string or a number, otherwise None."""
        start = self.position
        if not self.skip_value(",}") or self.position - start > _LONGEST_KEY:
            return None
        try:
            value = json.loads(self.held[start : self.position])
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, str | int | float) else None

    def take_key(self) -> str | None:
        """Read a key and the colon after it; None if there is none."""
        self.skip_space()
        while True:
            try:
                key, end = _raw_decode(self.held, self.position)
                break
            except ValueError:
                if len(self.held) - self.position > _LONGEST_KEY or not self.more():
                    return None
        if not isinstance(key, str):
            return None
        self.position = end
        self.skip_space()
        if self.next_character() != ":":
            return None
        self.position += 1
        return key

    def skip_value(self, ends: str) -> bool:
        """Advance to the character in `ends` that ends a value; return whether the whole value is still in memory."""
        state, is_held = _AT_START, True
        while True:
            end, state = _scan(self.held, self.position, state, ends)
            if end >= 0:
                self.position = end
                return is_held
            self.held, self.position, is_held = "", 0, False
            if not self.more():
                self.broke_off = True
                return False

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
    """Return the reason for rejecting an element whose bytes are not UTF-8 and were decoded as surrogates."""
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


def _scan(text: str, position: int, state: _State, ends: str) -> tuple[int, _State]:
    """Return the position of the character in `ends` that ends the value, or -1 and the state for the next block."""
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
        elif token in ends and not depth:
            return match.start(), _AT_START
    return -1, _State(depth, in_string, position > len(text))
