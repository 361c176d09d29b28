"""Changes to bytes as accidents and attackers make them: bits flipped, chunks lost, doubled, swapped, inserted."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

SMUGGLED = [
    b"\0",
    b"\n",
    b"\r",
    b"\r\n",
    b'"',
    b'""',
    b"'",
    b",",
    b"\t",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"\xff",
    b"\xc3\x28",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\x1a",
    b"\x1f\x8b",
    b"[" * 2000,
    b"{" * 50,
    b"9" * 400,
    b"1e999",
    b"-0",
    b"NaN",
    b"Infinity",
    b"null",
    b"From ",
    b"\n\nFrom x\n",
    b"\n\n\n",
    b"<!--",
    b"=?utf-8?b?",
    b"PAR1",
]
mutation = st.tuples(
    st.sampled_from(["flip", "drop", "double", "insert", "cut", "swap"]),
    st.floats(0, 1),
    st.floats(0, 0.3),
    st.sampled_from(SMUGGLED) | st.binary(min_size=1, max_size=4),
)
mutations = st.lists(mutation, max_size=5)


def mutate(data: bytes, changes: list[Any]) -> bytes:
    """Return the bytes after the changes, one after another."""
    for kind, where, how_much, smuggled in changes:
        at = int(where * len(data))
        end = min(len(data), at + 1 + int(how_much * len(data)))
        piece = data[at:end]
        if kind == "flip":
            piece = bytes(byte ^ smuggled[i % len(smuggled)] for i, byte in enumerate(piece[:8])) + piece[8:]
        elif kind == "drop":
            piece = b""
        elif kind == "double":
            piece = piece + piece
        elif kind == "insert":
            piece = smuggled + piece
        elif kind == "swap":
            half = len(piece) // 2
            piece = piece[half:] + piece[:half]
        data = data[:at] + piece if kind == "cut" else data[:at] + piece + data[end:]
    return data
