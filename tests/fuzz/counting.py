"""How many records a source holds, counted in plain Python without driftline's readers."""

from __future__ import annotations

from tests.oracles import delimited


def count_lines(data: bytes) -> int:
    """JSON lines: every line that is not blank."""
    return sum(1 for line in data.split(b"\n") if line.strip(b" \t\r\n"))


def count_mails(data: bytes) -> int:
    """An mbox: every whole line ``From …`` at the start or behind an empty line, and one for what stands before."""
    lines = data.split(b"\n")
    n_mails, behind_empty, before = 0, False, False
    for i, line in enumerate(lines):
        is_whole = i < len(lines) - 1 and b"\r" not in line.removesuffix(b"\r")
        if line.startswith(b"From ") and (i == 0 or (behind_empty and is_whole)):
            n_mails += 1
        elif not n_mails and line.strip():
            before = True
        behind_empty = i > 0 and line in (b"", b"\r")
    return n_mails + before


def count_rows(data: bytes, delimiter: bytes, max_record_bytes: int = 2**24) -> int:
    """Delimited text: the records behind the header, by the oracle that takes one character at a time."""
    position = 0
    while position < len(data) and data[position] in b"\r\n":
        position = delimited.behind_line(data, position)
    header, end, _ = delimited.one_record(data, position, delimiter)
    if header is None:
        return -1
    good, bad = delimited.read(data[end:], delimiter, len(header), max_record_bytes)
    return len(good) + len(bad)
