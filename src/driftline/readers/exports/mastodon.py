"""Mastodon: the posts of an account's outbox, in the format of ActivityPub."""

from __future__ import annotations

from collections.abc import Mapping

from driftline.readers.html_text import html_to_text


def activity_record(activity: Mapping[str, object]) -> dict[str, object] | str:
    """Return a post as a record. A boost contains only the address of a post, and no text.

    >>> record = activity_record({"type": "Create", "actor": "a", "published": "2003-03-20T03:34:00Z",
    ...     "object": {"id": "1", "content": "<p>War &amp; peace</p>", "summary": "news"}})
    >>> record["text"], record["time"]
    ('news\\nWar & peace', '2003-03-20T03:34:00Z')
    """
    post = activity.get("object")
    if activity.get("type") == "Announce" or isinstance(post, str):
        return "no text: a boost, whose text is elsewhere"
    if not isinstance(post, dict):
        return "not an object: an activity without a post"
    content, warning = post.get("content"), post.get("summary")
    if isinstance(content, str):
        content = html_to_text(content)
        content = f"{warning}\n{content}" if isinstance(warning, str) and warning else content
    return {
        "id": post.get("id") or activity.get("id"),
        "time": post.get("published") or activity.get("published"),
        "text": content,
        "author": post.get("attributedTo") or activity.get("actor"),
        "thread": post.get("conversation") or post.get("inReplyTo") or post.get("id"),
        "channel": None,
    }
