"""RSS and Atom files: each item is a document. A document type definition is refused, so no entity can expand."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from xml.parsers import expat

from driftline.core.errors import InvalidInput
from driftline.readers.byte_stream import ByteStream
from driftline.readers.columns import Choice
from driftline.readers.encodings import check_encoding
from driftline.readers.html_text import html_to_text
from driftline.readers.json_array import Element, element_records
from driftline.readers.records import FIRST_RECORDS, Columns, Limits, Records, UnreadableFile, bad_encoding, too_long

FEED_COLUMNS = ("id", "time", "title", "body", "author", "category", "link", "feed")
"""Columns of a feed for ``time=``, ``text=``, ``label=``, ``author=`` and ``thread=``."""
FEED_CHOICE = Choice("time", ("title", "body"), label=False, id="id", author="author", thread=False)
"""Columns read by default."""

_CHUNK = 2**16
_DEEPEST = 200
_ITEMS = {"item", "entry"}
_FIELDS = {
    "title": "title",
    "encoded": "body",
    "content": "body",
    "description": "summary",
    "summary": "summary",
    "pubDate": "time",
    "published": "time",
    "issued": "time",
    "date": "changed",
    "updated": "changed",
    "modified": "changed",
    "guid": "id",
    "id": "id",
    "creator": "author",
    "author": "author",
    "category": "category",
    "link": "link",
}
"""Columns of the elements of RSS 0.9 to 2.0, Dublin Core and Atom."""
_MEDIA = "http://search.yahoo.com/mrss"
"""Namespace of Media RSS, whose ``content`` is a picture or a film with its credits."""
_DECLARED = re.compile(rb"""<\?xml[^>]{0,100}encoding\s*=\s*["']([A-Za-z][\w.-]{0,40})["']""")


def read_feed(
    stream: ByteStream, columns: Columns, limits: Limits, *, encoding: str | None = None
) -> Iterator[Records]:
    """Yield the items of a feed; a place is, for example, ``record 3``. Where the XML is broken, reading ends.

    >>> import io
    >>> data = b"<rss><channel><item><title>War</title><pubDate>20 Mar 2003 03:34 GMT</pubDate></item></channel></rss>"
    >>> (records,) = read_feed(ByteStream(io.BytesIO(data), "x"), Columns("time", ("title",)), Limits())
    >>> records.values
    {'time': ['20 Mar 2003 03:34 GMT'], 'title': ['War']}
    """
    items = _items(stream, limits, encoding)
    return element_records(stream.name, items, lambda sample: columns, limits, first=FIRST_RECORDS)


def _items(stream: ByteStream, limits: Limits, encoding: str | None) -> Iterator[Element]:
    parser = _Parser(limits)
    decoder = _decoder(stream, encoding)
    reason: str | None = None
    while reason is None:
        data = stream.read(_CHUNK)
        try:
            parser.feed(decoder.decode(data, final=not data), final=not data and stream.damage is None)
        except UnicodeDecodeError as error:
            reason = bad_encoding(error)
        except (expat.ExpatError, _Refused) as error:
            reason = f"broken XML: {error}"
        yield from parser.taken()
        if not data:
            break
    if parser.is_foreign:
        raise UnreadableFile(
            f"{stream.name} is XML, but neither RSS nor Atom: its first element is {parser.top[:60]!r}"
        )
    if stream.damage is not None or reason is not None:
        yield stream.damage or reason or "", 1


def _decoder(stream: ByteStream, encoding: str | None) -> codecs.IncrementalDecoder:
    """Return a decoder for the bytes of the stream: UTF-8, or the declared encoding if they were not converted."""
    declared = _DECLARED.match(stream.peek(256).lstrip())
    name = "utf-8"
    if declared is not None and encoding is None:
        try:
            name = check_encoding(declared[1].decode())
        except InvalidInput as error:
            raise UnreadableFile(f"{stream.name} declares an encoding that is not read: {error}") from error
        if name.startswith(("utf-16", "utf-32")):
            name = "utf-8"  # the stream has converted the bytes; otherwise this declaration could not be read
    return codecs.getincrementaldecoder(name)("strict")


class _Refused(Exception):
    """The document contains unsupported parts."""


class _Parser:
    """Collects the items while the document is parsed; only the current item is in memory."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._parser = expat.ParserCreate("utf-8", namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.EntityDeclHandler = self._entity
        self._open: list[str] = []
        self._item: dict[str, list[str]] | None = None
        self._item_depth = 0
        self._field: str | None = None
        self._field_depth = 0
        self._size = 0
        self._is_muted = False
        self._done: list[Element] = []
        self._feed_title: list[str] = []
        self.top = ""

    @property
    def is_foreign(self) -> bool:
        """Whether the outermost element belongs to another kind of document."""
        return self.top not in ("", "rss", "feed", "RDF")

    def feed(self, text: str, *, final: bool) -> None:
        """Parse more of the document."""
        # The declared encoding no longer applies: the text has been decoded already.
        self._parser.Parse(text.encode(), final)

    def taken(self) -> list[Element]:
        """Return the items that were finished since the last call."""
        done, self._done = self._done, []
        return done

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        namespace, _, local = name.rpartition(" ")
        self.top = self.top or local
        if self.is_foreign:
            raise _Refused("neither RSS nor Atom")
        self._open.append(local)
        if len(self._open) > _DEEPEST:
            raise _Refused(f"elements are nested deeper than {_DEEPEST}")
        if self._item is None:
            if local in _ITEMS:
                self._item, self._item_depth, self._size, self._field = {}, len(self._open), 0, None
            return
        is_picture = local == "content" and namespace.startswith(_MEDIA)
        if self._field is None and local in _FIELDS and not is_picture and len(self._open) == self._item_depth + 1:
            self._field, self._field_depth = _FIELDS[local], len(self._open)
            self._item.setdefault(self._field, []).append("")
            value = attributes.get("href") if self._field == "link" else attributes.get("term")
            if value and self._field in ("link", "category"):
                self._text(value)
        elif self._field == "author":
            self._is_muted = local != "name"  # addresses of people are beside their names
        elif self._field is not None:
            self._text("\n" if self._field in ("body", "summary") else " ")

    def _end(self, name: str) -> None:
        depth = len(self._open)
        self._open.pop()
        self._is_muted = False
        if self._field is not None and depth == self._field_depth:
            self._field = None
        if self._item is not None and depth == self._item_depth:
            whole = self._size <= self._limits.max_record_bytes
            record = self._record(self._item) if whole else too_long(self._limits)
            self._done.append((record, self._size))
            self._item = None

    def _text(self, text: str) -> None:
        if self._is_muted:
            return
        if self._item is not None and self._field is not None:
            self._size += len(text)
            if self._size <= self._limits.max_record_bytes:
                self._item[self._field][-1] += text
        elif self._open[-1:] == ["title"] and len(self._open) <= 3 and len(self._feed_title) < 100:
            self._feed_title.append(text)

    def _record(self, item: dict[str, list[str]]) -> dict[str, object]:
        first = {
            name: next((value.strip() for value in values if value.strip()), None) for name, values in item.items()
        }
        body = first.get("body") or first.get("summary")
        title, author = first.get("title"), first.get("author")
        return {
            "id": first.get("id") or first.get("link"),
            "time": first.get("time") or first.get("changed"),
            "title": html_to_text(title) if title else None,
            "body": html_to_text(body) if body else None,
            "author": " ".join(author.split()) if author else None,
            "category": [value.strip() for value in item.get("category", ()) if value.strip()],
            "link": first.get("link"),
            "feed": "".join(self._feed_title).strip() or None,
        }

    def _doctype(self, name: str, system: str | None, public: str | None, has_internal_subset: bool) -> None:
        if has_internal_subset:
            raise _Refused("it has a document type definition, which is not read")

    def _entity(self, *declared: object) -> None:
        raise _Refused("it declares an entity, which is not read")
