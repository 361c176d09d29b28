"""Finding the time, the text, the label, the author, the thread and the id among the columns, by their names."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from driftline.core.errors import AmbiguousInput, InvalidInput
from driftline.readers.records import Columns
from driftline.readers.timestamps import TimeReader

TIME_NAMES = (
    "time",
    "timestamp datetime",
    "date",
    "created_at created created_utc created_on creation_date created_date created_time date_created date_time when "
    "published published_at published_on publication_date published_date publish_date pub_date date_published "
    "posted posted_at posted_on posted_date post_date date_posted sent sent_at sent_on date_sent "
    "received received_at received_on date_received submitted submitted_at submitted_on date_submitted",
    "*timestamp *datetime *date *time date* time*",
    "*datum *zeitpunkt fecha* *fecha zeit",
    "year",
)
TEXT_NAMES = (
    "text",
    "body content full_text message",
    "headline title subject headline_text description comment comments tweet abstract summary review post sentence "
    "feedback remark remarks note notes response answer verbatim complaint transcript",
    "*text *body *message *content *comment *comments *feedback *description",
    "kommentar kommentare nachricht rückmeldung beschreibung texto mensaje comentario texte commentaire avis",
)
LABEL_NAMES = ("label", "labels topic topics class category categories target tag tags")
AUTHOR_NAMES = (
    "author",
    "sender",
    "from",
    "speaker",
    "screen_name",
    "username user_name",
    "user",
    "account",
    "author_name",
    "byline",
    "publisher",
    "source",
)
THREAD_NAMES = ("thread", "thread_id", "conversation_id conversation")
REPLY_NAMES = ("references", "in_reply_to")
"""Names of columns with message ids, which are threads where there is no other; then the id is `MESSAGE_ID`."""
MESSAGE_ID = "message_id"
ID_NAMES = ("id", "document_id doc_id message_id uuid guid key")
"""Names from best to worst; those in one string are equally good, and ``*`` matches any characters."""


_MOST_TRIED = 200
_MOST_NAMED = 4
_WORDS_OF_PROSE = 3
_MESSAGE_IDS = re.compile(r"\s*(?:<[^<>\s]+@[^<>\s]+>|[^\s<>@]+@[^\s<>@]+(?:\s|$))")
_FIRST_OF_EQUALS = ("author", "thread")
"""Roles for which the first suitable column is used; several candidates are not an error."""


class Choice(NamedTuple):
    """The columns requested by the user: None to find one by name, False (except time and text) for none."""

    time: str | None = None
    text: str | Sequence[str] | None = None
    label: str | bool | None = None
    id: str | bool | None = None
    author: str | bool | None = None
    thread: str | bool | None = None


def find_columns(
    sample: Mapping[str, Sequence[object]],
    choice: Choice = Choice(),  # noqa: B008 (it is immutable)
    *,
    source: str = "the source",
    times: TimeReader | None = None,
) -> Columns:
    """Return the columns to read, as named or found; `sample` has some values of every column.

    >>> find_columns({"Publish Date": ["20030219"], "headline_text": ["aba decides"], "topic": [None]})
    Columns(time='Publish Date', text=('headline_text',), label='topic', id=None, author=None, thread=None)
    >>> find_columns({"date": ["2003"], "title": ["a"], "subject": ["b"]})
    Traceback (most recent call last):
    driftline.core.errors.AmbiguousInput: the text of the source may be 'title' or 'subject'; choose with text=...
    """
    names = list(sample)
    times = times or TimeReader()
    if choice.time is not None:
        time = _resolve(choice.time, names, "time", source)
    else:
        found = _find(TIME_NAMES, names, "time", source, lambda name: _holds_times(sample[name], times))
        if found is None:
            raise InvalidInput(
                _nothing_found("time", "a time", sample, source, lambda name: _holds_dates(sample[name], times))
            )
        time = found
    others = [name for name in names if name != time]
    if choice.text is not None:
        text = tuple(_resolve(name, names, "text", source) for name in _split(choice.text, names))
    else:
        found = _find(TEXT_NAMES, others, "text", source, lambda name: _holds_text(sample[name]))
        if found is None:
            raise InvalidInput(
                _nothing_found("text", "a text", sample, source, lambda name: _holds_prose(sample[name]))
            )
        text = (found,)
    others = [name for name in others if name not in text]
    thread = _optional(choice.thread, THREAD_NAMES, names, others, "thread", source)
    if thread is None and choice.thread is None:
        replies = [name for name in others if _holds_message_ids(sample[name])]
        thread = _optional(None, REPLY_NAMES, names, replies, "thread", source)
    id_names = (MESSAGE_ID, *ID_NAMES) if thread and _plain(thread) in map(_plain, REPLY_NAMES) else ID_NAMES
    return Columns(
        time,
        text,
        _optional(choice.label, LABEL_NAMES, names, others, "label", source),
        _optional(choice.id, id_names, names, others, "id", source),
        _optional(choice.author, AUTHOR_NAMES, names, others, "author", source),
        thread,
    )


def known_columns(names: Sequence[str], choice: Choice, default: Choice, *, source: str) -> Columns:
    """Return the columns of a source with fixed columns, such as mail: the chosen ones, or the defaults.

    >>> usual = Choice("time", ("subject", "body"), label=False, id=False)
    >>> known_columns(["time", "subject", "body"], Choice(text="subject"), usual, source="the mail")
    Columns(time='time', text=('subject',), label=None, id=None, author=None, thread=None)
    """
    merged = default._replace(**{role: name for role, name in choice._asdict().items() if name is not None})
    return find_columns(dict.fromkeys(names, ()), merged, source=source)


def _optional(
    chosen: str | bool | None, known: Sequence[str], names: list[str], others: list[str], role: str, source: str
) -> str | None:
    if chosen is False:
        return None
    if chosen is None and role in _FIRST_OF_EQUALS:
        plain = [(name, _plain(name)) for name in others]
        fitting = (name for tier in known for name, bare in plain if any(_matches(bare, p) for p in _patterns(tier)))
        return next(fitting, None)
    if chosen is None:
        return _find(known, others, role, source, lambda name: True)
    if not isinstance(chosen, str):
        raise InvalidInput(f"{role} must be the name of a column, None to find it or False to have none, not {chosen}")
    return _resolve(chosen, names, role, source)


def _find(known: Sequence[str], names: Sequence[str], role: str, source: str, fits: Any) -> str | None:
    """Return the column with the best name among those with suitable values, or otherwise among all."""
    fallback: list[str] = []
    plain = [(name, _plain(name)) for name in names]
    for tier in known:
        patterns = _patterns(tier)
        candidates = [name for name, bare in plain if any(_matches(bare, pattern) for pattern in patterns)]
        fitting = [name for name in candidates if fits(name)]
        if fitting:
            return _only(fitting, role, source)
        fallback = fallback or candidates
    return _only(fallback, role, source) if fallback else None


def _only(candidates: Sequence[str], role: str, source: str) -> str:
    if len(candidates) == 1:
        return candidates[0]
    listed = " or ".join(repr(name) for name in candidates)
    none = f", or {role}=False for none" if role in ("label", "id") else ""
    options = " or ".join(f"{role}={name!r}" for name in candidates)
    raise AmbiguousInput(f"the {role} of {source} may be {listed}; choose with {options}{none}")


class _Pattern(NamedTuple):
    """The start or the end of a name (or all of it), without case, spaces and punctuation."""

    plain: str
    is_end: bool
    is_start: bool


@functools.cache
def _patterns(tier: str) -> tuple[_Pattern, ...]:
    return tuple(_Pattern(_plain(pattern), pattern.startswith("*"), pattern.endswith("*")) for pattern in tier.split())


def _matches(plain: str, pattern: _Pattern) -> bool:
    if pattern.is_start:
        return plain.startswith(pattern.plain)
    return plain.endswith(pattern.plain) if pattern.is_end else plain == pattern.plain


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", str(name)).lower()


def _resolve(wanted: str, names: Sequence[str], role: str, source: str) -> str:
    if wanted in names:
        return wanted
    alike = [name for name in names if _plain(name) == _plain(wanted)]
    if len(alike) == 1:
        return alike[0]
    if alike:
        listed = " or ".join(repr(name) for name in alike)
        raise AmbiguousInput(f"{role}={wanted!r} may be {listed} of {source}; write the exact name")
    close = difflib.get_close_matches(wanted, [str(name) for name in names], n=1)
    hint = f"; did you mean {role}={close[0]!r}?" if close else ""
    raise InvalidInput(f"{source} has no column {wanted!r} for {role}= (its columns: {_listed(names)}){hint}")


def _split(text: str | Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the names in ``"subject,body"`` or ``"subject+body"``, unless a column has exactly that name."""
    if not isinstance(text, str):
        if not text:
            raise InvalidInput("text=[] names no column; name at least one, or omit text to find it")
        return list(text)
    return [text] if text in names else [part.strip() for part in re.split("[,+]", text)]


def _nothing_found(
    role: str, words: str, sample: Mapping[str, Sequence[object]], source: str, likely: Callable[[str], bool]
) -> str:
    """Raise an error that no name matches, with the columns that have suitable values."""
    names = list(sample)
    candidates = [name for name in names[:_MOST_TRIED] if likely(name)][:_MOST_NAMED]
    hint = f"; by their values it may be {' or '.join(f'{role}={name!r}' for name in candidates)}" if candidates else ""
    return (
        f"no column of {source} looks like {words} by its name (its columns: {_listed(names)}); "
        f"name it with {role}={hint}"
    )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(str(name)[:60] for name in names[:20])
    return shown + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def _holds_times(values: Sequence[object], times: TimeReader) -> bool:
    """Return whether some value is a time; a column called time may contain only times of day, or offsets in a film."""
    try:
        read = times.scout().read(values)
    except AmbiguousInput:
        return True  # a time that needs further options; the error is raised when it is read
    return read is None or bool(read.readable.any())


def _holds_dates(values: Sequence[object], times: TimeReader) -> bool:
    """Return whether most values are dates, and not ambiguous numbers."""
    written = [value for value in values if value is not None and not isinstance(value, int | float)]
    try:
        read = times.scout().read(written)
    except AmbiguousInput:
        return False
    return bool(written) and read is not None and 2 * int(read.readable.sum()) > len(written)


def _holds_prose(values: Sequence[object]) -> bool:
    """Return whether the values have several words on average."""
    texts = [value for value in values if isinstance(value, str)]
    return bool(texts) and sum(len(text.split()) for text in texts) >= _WORDS_OF_PROSE * len(texts)


def _holds_message_ids(values: Sequence[object]) -> bool:
    """Return whether some value contains a message id; a column of references may also be a bibliography."""
    return any(isinstance(value, str) and _MESSAGE_IDS.match(value) for value in values)


def _holds_text(values: Sequence[object]) -> bool:
    sequences = [value if isinstance(value, list) else [value] for value in values if value is not None]
    return any(isinstance(item, str) and item.strip() for sequence in sequences for item in sequence)
