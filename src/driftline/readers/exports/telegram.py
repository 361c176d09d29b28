"""Telegram: the messages of one chat or of all chats of an account."""

from __future__ import annotations

from collections.abc import Mapping

from driftline.readers.exports.epoch_seconds import iso_of_seconds


def telegram_record(message: Mapping[str, object], chat: object) -> dict[str, object] | str:
    """Return a message as a record; formatted text is a list of parts. A service message has no text.

    >>> record = telegram_record({"id": 5, "type": "message", "date_unixtime": "1048131240", "from": "Ann",
    ...     "text": ["War ", {"type": "bold", "text": "begins"}]}, "News")
    >>> record["text"], record["time"], record["channel"]
    ('War begins', '2003-03-20T03:34:00+00:00', 'News')
    """
    if message.get("type") == "service":
        return f"no text: a service message ({str(message.get('action'))[:60]})"
    exact = message.get("date_unixtime")
    return {
        "id": message.get("id") if chat is None else f"{chat}/{message.get('id')}",
        "time": message.get("date") if exact is None else iso_of_seconds(exact),
        "text": _text_of(message.get("text")),
        "author": message.get("from") or message.get("from_id"),
        "thread": None,
        "channel": chat,
    }


def _text_of(text: object) -> object:
    """Return the parts of a text joined; other values are returned unchanged."""
    if not isinstance(text, list):
        return text
    parts = [part.get("text") if isinstance(part, dict) else part for part in text]
    strings = [part for part in parts if isinstance(part, str)]
    return "".join(strings) if len(strings) == len(parts) else text
