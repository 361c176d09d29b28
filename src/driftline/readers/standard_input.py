"""Standard input: read once, its format recognised from its first bytes."""

from __future__ import annotations

from driftline.core.errors import InvalidInput
from driftline.readers.byte_stream import ByteStream
from driftline.readers.formats import FORWARD_FORMATS, format_by_content

NAME = "standard input"


def standard_input_format(stream: ByteStream, named: str | None) -> str:
    """Return the format of the input, as named or detected; plain text is refused: it is one document without a time.

    >>> import io
    >>> standard_input_format(ByteStream(io.BytesIO(b'{"time": 1}'), NAME), None)
    'jsonl'
    """
    found = named or format_by_content(stream)
    if found == "text" and not stream.peek(1):
        return "jsonl"  # empty input: no record in any format
    if found not in FORWARD_FORMATS:
        raise InvalidInput(
            f"{stream.name} looks like {found}, which cannot be read from there; "
            f"pipe one of {', '.join(FORWARD_FORMATS)}, name it with format=, or pass the path of a file"
        )
    return found
