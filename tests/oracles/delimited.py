"""Delimited text, the plain way: the whole file at once, one character after the other."""

from __future__ import annotations


def read(data, delimiter, n_fields, max_record_bytes):
    """Return [(line number, fields as bytes)] and the line numbers of lines that are not records."""
    good, bad = [], []
    position, line = 0, 1
    while position < len(data):
        if data[position] in b"\r\n":
            position, line = behind_line(data, position), line + 1
            continue
        fields, end, loose = one_record(data, position, delimiter)
        next_line = behind_line(data, position)
        raw = data[position:end]
        n_lines = len(raw.splitlines())
        spills = loose and end > next_line
        if fields is None or spills or end - position > max_record_bytes or len(fields) != n_fields:
            bad.append(line)
            position, line = next_line, line + 1
        else:
            try:
                raw.decode()
                is_text = b"\0" not in raw
            except UnicodeDecodeError:
                is_text = False
            if is_text:
                good.append((line, fields))
            else:
                bad.append(line)
            position, line = end, line + n_lines
    return good, bad


def one_record(data, position, delimiter):
    fields, field, state, loose = [], bytearray(), "start", False
    while position < len(data):
        character = data[position : position + 1]
        if state == "quoted":
            if character != b'"':
                field += character
            elif data[position + 1 : position + 2] == b'"':
                field += b'"'
                position += 1
            else:
                state = "closed"
        elif character in (b"\r", b"\n"):
            return [*fields, bytes(field)], behind_line(data, position), loose
        elif character == delimiter:
            fields.append(bytes(field))
            field, state = bytearray(), "start"
        elif character == b'"' and state == "start":
            state = "quoted"
        else:
            loose = loose or state == "closed"
            field += character
            state = "inside"
        position += 1
    return (None if state == "quoted" else [*fields, bytes(field)]), len(data), loose


def behind_line(data, position):
    while position < len(data):
        if data[position : position + 2] == b"\r\n":
            return position + 2
        if data[position] in b"\r\n":
            return position + 1
        position += 1
    return len(data)
