"""Names of columns, compared without case and punctuation."""

from __future__ import annotations

import re

_LATER_TIMES = (
    "end ends ended ending until finish finished close closed due expiry expires expired expiration deadline "
    "update updated modify modified modification edited changed deleted resolved accessed retrieved scraped crawled "
    "downloaded imported"
)
"""Words in the names of times at which something ended or was changed; a document has the time when it began."""
_OF_PERSONS = re.compile(r"birth|born|death|died|dob|dod", re.IGNORECASE)
"""Parts of names of dates in the life of a person, which are not those of a document about the person."""
_OF_TITLES = ("title", "headline", "subject", "name")
"""Ends of the names of texts that only name what another column contains."""


def plain_name(name: str) -> str:
    """Return a name without case, spaces and punctuation.

    >>> plain_name("Date Posted")
    'dateposted'
    """
    return re.sub(r"[\W_]+", "", str(name)).lower()


def is_of_origin(name: str) -> bool:
    """Return whether a time is not by its name that of an end or of a later change, such as `end_date`.

    >>> [name for name in ("start_date", "end_date", "DateUpdated", "weekend date") if is_of_origin(name)]
    ['start_date', 'weekend date']
    """
    parts = re.sub(r"([a-z])([A-Z])", r"\1 \2", str(name)).lower()
    return set(_LATER_TIMES.split()).isdisjoint(re.split(r"[\W_]+", parts))


def is_of_person(name: str) -> bool:
    """Return whether a time is by its name that of a person's birth or death.

    >>> [name for name in ("Birth Date", "dob", "date", "deathdate") if is_of_person(name)]
    ['Birth Date', 'dob', 'deathdate']
    """
    return _OF_PERSONS.search(str(name)) is not None


def is_of_title(name: str) -> bool:
    """Return whether a text is by its name that of a title.

    >>> [name for name in ("title", "Headline", "description") if is_of_title(name)]
    ['title', 'Headline']
    """
    return plain_name(name).endswith(_OF_TITLES)
