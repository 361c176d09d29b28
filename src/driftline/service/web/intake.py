"""POST /api/documents: NDJSON is checked line by line, stored, and answered after the commit."""

from __future__ import annotations

import asyncio
import zlib
from typing import Any

from starlette.requests import ClientDisconnect, Request

from driftline.service import answers
from driftline.service.json_records import read_lines
from driftline.service.store.database import StoreUnreachable
from driftline.service.submissions import MOST_DOCUMENTS, Full, Intake, Submission
from driftline.service.web.gate import Refused
from driftline.service.writer import microseconds

MOST_BYTES = 16 * 2**20
"""Maximum size of a request in bytes, before and after decompression."""
MOST_LINES = 10_000
LONGEST_KEY = 200
MOST_MEMBERS = 1_000
"""Maximum number of members of a gzip body, such as files that were compressed separately and concatenated."""
GZIP_PART = 2**16
"""Number of bytes that are decompressed at a time; at the end of a member the rest of them is copied."""


async def take(request: Request, writer: Intake) -> answers.Intake:
    """Store the documents of a request and return the answer."""
    body = await read_body(request, MOST_BYTES)
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding == "gzip":
        body = await asyncio.to_thread(gunzip, body, MOST_BYTES)
    elif encoding not in ("", "identity"):
        raise Refused(415, "encoding", f"the encoding {encoding!r} is not supported; send gzip, or no encoding")
    if body.count(b"\n") > MOST_LINES + 1:
        raise Refused(413, "too_many_lines", f"a request may have at most {MOST_LINES:,} documents; send several")
    lines = body.split(b"\n")
    if len([line for line in lines if line.strip()]) > MOST_LINES:
        raise Refused(413, "too_many_lines", f"a request may have at most {MOST_LINES:,} documents; send several")
    repeat_key = request.headers.get("idempotency-key")
    if repeat_key is not None and len(repeat_key) > LONGEST_KEY:
        raise Refused(400, "long_key", f"an Idempotency-Key may have at most {LONGEST_KEY} characters")
    person = request.state.person
    found = await asyncio.to_thread(read_lines, lines, now=microseconds(), secret=writer.secret, repeat_key=repeat_key)
    submissions = [
        Submission(f"http:{person.name}", found.records[first : first + MOST_DOCUMENTS])
        for first in range(0, max(len(found.records), 1), MOST_DOCUMENTS)
    ]
    submissions[-1].rejected = found.rejected
    if isinstance(writer.failure, StoreUnreachable):
        raise writer.failure
    try:
        for submission in submissions:
            writer.queue.put(submission)
        outcomes = [await asyncio.wrap_future(submission.done) for submission in submissions]
    except Full:
        if writer.queue.closed:
            raise Refused(503, "stopping", "the service is stopping; send again soon", 5) from None
        raise Refused(429, "full", "documents arrive faster than they can be stored; send again soon", 1) from None
    rejected: list[Any] = [{"line": each.line, "reason": each.reason} for each in found.rejected]
    return {
        "taken": sum(outcome.taken for outcome in outcomes),
        "repeated": sum(outcome.repeated for outcome in outcomes),
        "rejected": rejected,
        "batch": max((outcome.batch for outcome in outcomes if outcome.batch is not None), default=None),
    }


async def read_body(request: Request, limit: int) -> bytes:
    """Read a request up to a limit."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        raise Refused(413, "too_large", f"a request may have at most {limit:,} bytes; send several")
    parts, size = [], 0
    try:
        async for chunk in request.stream():
            size += len(chunk)
            if size > limit:
                raise Refused(413, "too_large", f"a request may have at most {limit:,} bytes; send several")
            parts.append(chunk)
    except ClientDisconnect:  # nobody receives this answer
        raise Refused(400, "cut_off", "the connection ended within the request; send it again") from None
    return b"".join(parts)


def gunzip(body: bytes, limit: int) -> bytes:
    """Decompress gzip up to a limit, so that a small request cannot expand without bound.

    >>> import gzip
    >>> gunzip(gzip.compress(b"rain"), 100)
    b'rain'
    """
    if not body:
        return b""
    parts: list[bytes] = []
    size = place = 0
    too_large = Refused(413, "too_large", f"a request may have at most {limit:,} bytes after decompression")
    try:
        for _ in range(MOST_MEMBERS):
            unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
            while not unpacker.eof:
                part = body[place : place + GZIP_PART]
                if not part:
                    raise Refused(400, "broken_gzip", "the gzip data are truncated; send the request again")
                parts.append(unpacker.decompress(part, limit + 1 - size))
                size += len(parts[-1])
                if size > limit or unpacker.unconsumed_tail:
                    raise too_large
                place += len(part) - len(unpacker.unused_data)
            if place >= len(body):
                return b"".join(parts)
    except zlib.error:
        what = "damaged after the first part; compress them again" if place else "not gzip; compress them"
        raise Refused(400, "broken_gzip", f"the data are {what}, or omit Content-Encoding") from None
    raise Refused(413, "too_many_members", f"gzip data may have at most {MOST_MEMBERS:,} members; compress them as one")
