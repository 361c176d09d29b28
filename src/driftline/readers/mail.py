"""One email as a record: id, time, subject, body, sender and recipients."""

from __future__ import annotations

import email
import email.header
import email.message
import email.policy
import re
from collections.abc import Iterable, Iterator

from driftline.readers.columns import Choice
from driftline.readers.html_text import html_to_text
from driftline.readers.records import Columns, Limits, Records
from driftline.readers.single_files import placed_records

MAIL_COLUMNS = (
    "id",
    "time",
    "subject",
    "body",
    "sender",
    "recipients",
    "list",
    "folder",
    "thread",
    "in_reply_to",
    "references",
)
"""Columns of mail for ``time=``, ``text=``, ``label=``, ``author=`` and ``thread=``."""
MAIL_CHOICE = Choice("time", ("subject", "body"), label=False, id="id", author="sender", thread="thread")
"""Columns read by default."""

_MAILS_AT_A_TIME = 2000
_SLOW_CHARSETS = {"punycode", "idna", "unicode_escape", "raw_unicode_escape"}
_MAIL_POLICY = email.policy.compat32
_MESSAGE_ID = re.compile(r"<([^<>\s]+)>")
_QUOTED = re.compile(r"^[ \t]*>.*\n?", re.MULTILINE)
_FAILURES = (ValueError, TypeError, LookupError, AttributeError, RecursionError, AssertionError)
"""Exceptions that the standard library's mail parser raises on hostile mail."""


def read_mail(raw: bytes, *, folder: str | None = None, drop_quotes: bool = False) -> dict[str, str | None] | str:
    """Return the record of one mail, or why there is none.

    The body consists of the text/plain parts, or of the text of the HTML parts if there are none; attachments are left
    out. A part is decoded with its declared encoding, otherwise as UTF-8, otherwise as Windows-1252, which never fails:
    old mail often declares a wrong encoding.

    >>> record = read_mail(b"Date: 20 Mar 2003 03:34:00 +0100\\nSubject: =?utf-8?q?caf=C3=A9?=\\n\\n> old\\nnew\\n")
    >>> record["time"], record["subject"], record["body"]
    ('20 Mar 2003 03:34:00 +0100', 'café', '> old\\nnew')
    """
    try:
        message = email.message_from_bytes(raw, policy=_MAIL_POLICY)
        body = _body(message)
        return {
            "id": (_header(message, "Message-ID") or "").strip("<> ") or None,
            "time": _header(message, "Date"),
            "subject": _header(message, "Subject"),
            "body": _QUOTED.sub("", body).strip() if drop_quotes else body,
            "sender": _header(message, "From"),
            "recipients": _header(message, "To"),
            "list": _header(message, "List-Id") or _header(message, "List-Post"),
            "folder": folder,
            "thread": _thread(message),
            "in_reply_to": _message_ids(message, "In-Reply-To"),
            "references": _message_ids(message, "References"),
        }
    except _FAILURES as error:
        return f"broken mail: {type(error).__name__} {str(error)[:80]}"


def mail_records(
    source: str, mails: Iterable[tuple[str, dict[str, str | None] | str]], columns: Columns, limits: Limits
) -> Iterator[Records]:
    """Yield batches of records for emails, or for the reasons why they could not be read, each with its place."""
    fewer = limits._replace(batch_size=min(_MAILS_AT_A_TIME, limits.batch_size))
    return placed_records(source, mails, columns, fewer, text="body")


def _header(message: email.message.Message, name: str) -> str | None:
    value = message.get(name)
    if value is None:
        return None
    try:
        parts = email.header.decode_header(value)
        text = "".join(_decoded(part, charset) if isinstance(part, bytes) else part for part, charset in parts)
    except _FAILURES:
        text = str(value)
    return " ".join(_storable(text).split())


def _thread(message: email.message.Message) -> str | None:
    """Return the id of the mail that started the conversation, according to the headers."""
    for name in ("References", "In-Reply-To", "Message-ID"):
        found = _message_ids(message, name)
        if found:
            return found.split()[0]
    return None


def _message_ids(message: email.message.Message, name: str) -> str | None:
    """Return the message ids in a header, in their order, separated by spaces; other words in it are left out."""
    return " ".join(_MESSAGE_ID.findall(_header(message, name) or "")) or None


def _body(message: email.message.Message) -> str:
    plain: list[str] = []
    pages: list[str] = []
    for part in _text_parts(message):
        payload = part.get_payload(decode=True)
        if isinstance(payload, bytes):
            text = _decoded(payload, part.get_content_charset()).replace("\r\n", "\n")
            (pages if part.get_content_subtype() == "html" else plain).append(text)
    texts = plain or [html_to_text(page) for page in pages]
    return "\n".join(text.strip("\n") for text in texts)


def _text_parts(message: email.message.Message) -> Iterator[email.message.Message]:
    for part in message.walk():
        is_text = part.get_content_maintype() == "text" and part.get_content_subtype() in ("plain", "html", "enriched")
        if is_text and not part.is_multipart() and part.get_content_disposition() != "attachment":
            yield part


def _decoded(data: bytes, charset: str | None) -> str:
    for encoding in (charset, "utf-8"):
        if encoding and encoding.lower().replace("-", "_") not in _SLOW_CHARSETS:
            try:
                return _storable(data.decode(encoding))
            except (LookupError, ValueError):
                continue
    return data.decode("cp1252", errors="replace")


def _storable(text: str) -> str:
    """Return the text with halves of surrogate pairs, which cannot be encoded, replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return text
