"""Tags B-X (begins a span of kind X), I-X (inside it) and O (outside): their parts, and which may follow which."""

from __future__ import annotations

OUTSIDE = "O"


def tag_parts(tag: str) -> tuple[str, str]:
    """Return the first letter of a tag and its kind; a tag without a hyphen is its own kind.

    >>> tag_parts("B-NP"), tag_parts("O"), tag_parts("NOUN")
    (('B', 'NP'), ('O', ''), ('I', 'NOUN'))
    """
    if tag == OUTSIDE:
        return OUTSIDE, ""
    head, hyphen, kind = tag.partition("-")
    return (head, kind) if hyphen and head in ("B", "I") else ("I", tag)


def may_follow(before: str | None, after: str) -> bool:
    """Return whether a tag may follow another (None: at the beginning): I-X comes after B-X or I-X only.

    >>> may_follow("O", "I-NP"), may_follow("B-NP", "I-NP"), may_follow(None, "I-NP"), may_follow("NOUN", "VERB")
    (False, True, False, True)
    """
    head, hyphen, kind = after.partition("-")
    if not hyphen or head != "I":
        return True
    return before is not None and tag_parts(before) in (("B", kind), ("I", kind))
