"""Text encodings: which can be read, detection without a byte order mark, and suggestions for invalid bytes."""

from __future__ import annotations

import codecs
import functools
import re
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Bools, Floats
from driftline.core.errors import InvalidInput

NOT_READ = {
    "charmap": "it needs a table",
    "idna": "it is for host names",
    "punycode": "it is for host names, and takes quadratic time",
    "raw-unicode-escape": "it is for Python source",
    "unicode-escape": "it is for Python source",
    "utf-7": "it hides characters and is obsolete; convert the file first",
    "undefined": "it decodes nothing",
}
"""Encodings of Python that are refused, each with the reason."""
BYTE_ORDERS = {"utf-16": ("utf-16-le", "utf-16-be"), "utf-32": ("utf-32-le", "utf-32-be")}
_SAMPLE = 2**12
_FEWEST = 8
_CLEAR = 64
_MOSTLY = 0.9
_LIKELY = 0.32
_WINDOW = 400
"""Number of bytes used for a suggestion; small, because every record may need one."""
_LONGEST_LATIN_RUN = 2.0
_RUNS = re.compile(rb"[\x80-\xff]+")
_PLAIN_LETTERS = re.compile(rb"[A-Za-z]+")
_LATIN_SHARE = 0.25
"""Number of other bytes per plain letter, below which bytes within words of plain letters are accented letters."""
_WITHIN_WORDS = re.compile(rb"(?<=[A-Za-z])[\x80-\xff]+|[\x80-\xff]+(?=[A-Za-z])")
_BEYOND = re.compile(r"[^\x00-\x7f]+")


class _Candidate(NamedTuple):
    """An encoding, the frequent characters of text in it, and the scripts of the others."""

    encoding: str
    frequent: frozenset[str]
    ranges: tuple[tuple[int, int], ...]

    @property
    def latin(self) -> bool:
        """Whether most of its letters are ASCII."""
        return self.ranges[0][0] < 0x0180


def _candidate(encoding: str, frequent: str, *ranges: tuple[int, int]) -> _Candidate:
    return _Candidate(encoding, frozenset(frequent), ranges)


_KANA, _HAN, _HANGUL, _CYRILLIC = (0x3040, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0x0430, 0x045F)
_OF_ONE_BYTE = (
    _candidate("cp1252", "éèêëàâäáãåçíìîïñóòôöõøúùûüœßæ’‘“”–—…€£§°«»", (0xDF, 0xFF)),
    _candidate("cp1250", "ąęłśżźćńčřšžěůťďňőűáéíóúýöüăâîşţđ’„”–…", (0xDF, 0x17F)),
    _candidate("cp1251", "оеаинтсрвлкм", _CYRILLIC),
    _candidate("koi8-r", "оеаинтсрвлкм", _CYRILLIC),
    _candidate("cp866", "оеаинтсрвлкм", _CYRILLIC),
    _candidate("cp1253", "αοιετσνηυρπκςόίέήάύώ", (0x0370, 0x03FF)),
    _candidate("cp1255", "יוהלאמרתבשנ", (0x05D0, 0x05EA)),
    _candidate("cp1256", "اليمنروتبةعد", (0x0620, 0x06FF)),
)
_OF_SEVERAL_BYTES = (
    _candidate("shift-jis", "のにはをたがでてとしれさい、。", _KANA, _HAN),
    _candidate("euc-jp", "のにはをたがでてとしれさい、。", _KANA, _HAN),
    _candidate("euc-kr", "이다의는가을에고하지", _HANGUL),
    _candidate("gb18030", "的一是不了人我在有他这中大来上国，。", _HAN),
    _candidate("big5", "的一是不了人我在有他這中大來上國，。", _HAN),
)


def check_encoding(encoding: str) -> str:
    """Return the canonical name of a text encoding, or raise an error if there is none.

    >>> check_encoding("Latin-1")
    'iso8859-1'
    """
    try:
        "".encode(encoding)
        found = codecs.lookup(encoding)
    except (LookupError, UnicodeError, ValueError) as error:
        if (reason := NOT_READ.get(str(encoding).lower().replace("_", "-"))) is not None:
            raise _refusal(encoding, reason) from error
        raise InvalidInput(
            f"encoding {encoding!r} is not a known text encoding; pass one that Python knows, such as 'utf-8', "
            f"'latin-1' or 'cp1252'"
        ) from error
    if (reason := NOT_READ.get(found.name.replace("_", "-"))) is not None or found.incrementaldecoder is None:
        raise _refusal(encoding, reason or "it cannot be read incrementally")
    return found.name


def unmarked_encoding(start: bytes, named: str | None = None) -> str | None:
    r"""Return the encoding of text that starts without a byte order mark, if it is clearly UTF-16 or UTF-32.

    Such text has many zero bytes at regular positions, unlike any other text. If UTF-16 or UTF-32 was `named`, only the
    byte order is determined, and little-endian is the default.

    >>> unmarked_encoding("Once upon".encode("utf-16-be")), unmarked_encoding(b"", "utf-16")
    ('utf-16-be', 'utf-16-le')
    >>> unmarked_encoding(b"Once upon")
    """
    start = start[:_SAMPLE]
    for encoding in BYTE_ORDERS if named is None else (named,):
        if encoding in BYTE_ORDERS and (found := _byte_order(start, encoding)) is not None:
            return found
    return None if named is None else BYTE_ORDERS.get(named, (named,))[0]


def is_clearly_utf_8(start: bytes, named: str) -> bool:
    r"""Return whether text is UTF-8 although it was `named` UTF-16 or UTF-32: it has no zero and no invalid byte.

    A short text may be valid in both by chance; the named encoding is then assumed.

    >>> is_clearly_utf_8(b"time,text\n" * 20, "utf-16-le"), is_clearly_utf_8("war ".encode("utf-16-le") * 20, "utf-16")
    (True, False)
    """
    start = start[:_SAMPLE]
    if not named.startswith(tuple(BYTE_ORDERS)) or len(start) < _CLEAR or 0 in start:
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return False
    return True


def suggested_encoding(data: bytes) -> str | None:
    """Return an encoding in which bytes that are not UTF-8 are likely text; None if no encoding is clearly likelier.

    >>> [suggested_encoding("Привет, как дела".encode(name)) for name in ("cp1251", "koi8-r")]
    ['cp1251', 'koi8-r']
    """
    beyond = next((place for place, byte in enumerate(data) if byte > 127), 0)
    data = data[max(beyond - 20, 0) :][:_WINDOW]
    # Accented Latin letters occur among plain ones, and letters of other scripts occur together.
    runs = _RUNS.findall(data)
    n_beyond = sum(map(len, runs))
    if not n_beyond:
        return None
    n_plain = sum(map(len, _PLAIN_LETTERS.findall(data)))
    is_latin = n_beyond < _LATIN_SHARE * n_plain and 2 * len(_WITHIN_WORDS.findall(data)) > len(runs)
    is_long = not is_latin and n_beyond / len(runs) > _LONGEST_LATIN_RUN
    names, latin, weights = _tables()
    counts = np.bincount(np.frombuffer(data, np.uint8), minlength=256)
    scores = dict(zip(names, weights @ counts / n_beyond - 0.5 * (latin == is_long) - (is_latin & ~latin)))
    if is_long:
        scores |= {candidate.encoding: _likeliness(data, candidate) for candidate in _OF_SEVERAL_BYTES}
    best = max(scores, key=scores.__getitem__)
    return best if scores[best] > _LIKELY else None


def _refusal(encoding: str, reason: str) -> InvalidInput:
    return InvalidInput(f"encoding {encoding!r} is not read: {reason}")


def _byte_order(start: bytes, encoding: str) -> str | None:
    """Return the encoding with the byte order whose high bytes are mostly zero, and whose low bytes rarely are."""
    width = 2 if encoding == "utf-16" else 4
    n_units = len(start) // width
    if n_units * width < _FEWEST:
        return None
    zeros = [start[place : n_units * width : width].count(0) / n_units for place in range(width)]
    for name, order in zip(BYTE_ORDERS[encoding], (zeros, zeros[::-1])):
        if order[0] <= 1 - _MOSTLY and min(order[1:]) >= _MOSTLY:
            return name
    return None


@functools.lru_cache
def _tables() -> tuple[list[str], Bools, Floats]:
    """Return the single-byte encodings, which of them are Latin, and the weight of each byte in each.

    Frequent characters have weight 1, others of the script 0.3, the rest −1, and bytes without a character −4. The
    weight of capitals is 0.5 lower: words are mostly lower-case, and those decoded with a wrong table are not.
    """
    weights = np.zeros((len(_OF_ONE_BYTE), 256))
    for row, candidate in enumerate(_OF_ONE_BYTE):
        for byte in range(128, 256):
            character = bytes([byte]).decode(candidate.encoding, "replace")
            weight = 1.0 if character.lower() in candidate.frequent else 0.3 if _within(character, candidate) else -1.0
            weights[row, byte] = -4.0 if character == "\ufffd" else weight - 0.5 * character.isupper()
    latin = np.array([candidate.latin for candidate in _OF_ONE_BYTE])
    return [candidate.encoding for candidate in _OF_ONE_BYTE], latin, weights


def _likeliness(data: bytes, candidate: _Candidate) -> float:
    """Return the mean weight of the non-ASCII characters in a multi-byte encoding."""
    try:
        text = data.decode(candidate.encoding)
    except UnicodeDecodeError as error:
        # A sample that ends in the middle of a character may still be valid.
        if error.start < len(data) - 3:
            return -1.0
        text = data[: error.start].decode(candidate.encoding, "ignore")
    beyond = "".join(_BEYOND.findall(text))
    if not beyond:
        return -1.0
    n_frequent = sum(map(beyond.count, candidate.frequent))
    n_script = sum(map(beyond.count, {c for c in set(beyond) if _within(c, candidate) and c not in candidate.frequent}))
    return (n_frequent + 0.3 * n_script - (len(beyond) - n_frequent - n_script)) / len(beyond)


def _within(character: str, candidate: _Candidate) -> bool:
    return any(first <= ord(character.lower()) <= last for first, last in candidate.ranges)
