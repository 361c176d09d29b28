"""Slack: messages by channel and day; their links and mentions are written out."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping

from driftline.core.errors import InvalidInput
from driftline.readers.byte_stream import open_bytes
from driftline.readers.entries import Entry
from driftline.readers.exports.epoch_seconds import iso_of_seconds
from driftline.readers.records import Limits

_NOTICES = re.compile(
    r"(channel|group)_(join|leave|topic|purpose|name|archive|unarchive|convert_to_private)|bot_(add|remove)|pinned_item"
)
_MARKUP = re.compile(r"<([@#!]?)([^<>|]{1,2000})(?:\|([^<>]{0,2000}))?>")


def slack_record(
    message: Mapping[str, object], channel: str | None, people: Mapping[str, str]
) -> dict[str, object] | str:
    """Return a message as a record; a notice of the channel (a user joined, a new topic) has no text.

    >>> message = {"ts": "1048131240.0002", "user": "U1", "text": "see <https://a.b|this> &amp; ask <@U2>"}
    >>> record = slack_record(message, "war", {"U2": "ann"})
    >>> record["text"], record["time"], record["author"]
    ('see this & ask @ann', '2003-03-20T03:34:00.000200+00:00', 'U1')
    """
    subtype = message.get("subtype")
    if isinstance(subtype, str) and _NOTICES.fullmatch(subtype):
        return f"no text: a notice of the channel ({subtype})"
    time, text, user = message.get("ts"), message.get("text"), message.get("user") or message.get("bot_id")
    profile = message.get("user_profile")
    named = profile.get("name") if isinstance(profile, dict) else None
    author = people.get(str(user)) or named or message.get("username") or user
    return {
        "id": f"{channel}/{time}" if channel and time else time,
        "time": iso_of_seconds(time),
        "text": _written_out(text, people) if isinstance(text, str) else text,
        "author": author,
        "thread": message.get("thread_ts") or time,
        "channel": channel,
    }


def people_of(users: Entry, limits: Limits) -> dict[str, str]:
    """Return the names of people by their ids, from the file ``users.json``; empty if it cannot be read."""
    try:
        with open_bytes(users) as stream:
            listed = json.loads(stream.read(limits.max_record_bytes))
    except (OSError, InvalidInput, ValueError, RecursionError):
        return {}
    people = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return {str(one["id"]): str(one["name"]) for one in people if "id" in one and "name" in one}


def _written_out(text: str, people: Mapping[str, str]) -> str:
    def shown(match: re.Match[str]) -> str:
        sign, target, label = match.groups()
        if sign == "@":
            return "@" + (label or people.get(target, target))
        if sign == "#":
            return "#" + (label or target)
        return label or ("@" + target.partition("^")[0] if sign == "!" else target)

    return html.unescape(_MARKUP.sub(shown, text))
