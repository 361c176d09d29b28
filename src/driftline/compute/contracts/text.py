"""Reading and comparing texts: modules and functions of a device."""

from __future__ import annotations

from typing import Protocol

from driftline.compute.contracts.kernel import Kernel


class Counting(Protocol):
    """From UTF-8 bytes to word numbers to counted rows."""

    count_rows: Kernel
    find_marked: Kernel
    find_words: Kernel
    keep_known: Kernel
    mark_adjacent: Kernel
    number_words: Kernel
    place_rows: Kernel
    refill_slots: Kernel
    spell_ngrams: Kernel


class NearCopies(Protocol):
    """Documents that repeat an earlier one of their unit with few other words."""

    first_alike: Kernel


class Neighbours(Protocol):
    """Exact nearest neighbours by cosine among sparse rows."""

    nearest_rows: Kernel


class Passages(Protocol):
    """Passages that many documents share."""

    blank_words: Kernel
    count_windows: Kernel
    mark_windows: Kernel


class Postings(Protocol):
    """Posting lists of terms with positions, and how often several terms occur together."""

    count_together: Kernel
    gather_postings: Kernel


class StoryLinks(Protocol):
    """Documents of a stream linked to the nearest earlier ones, and samples of such links."""

    count_joined: Kernel
    find_roots: Kernel
    follow_links: Kernel
    insert_postings: Kernel
    nearest_documents: Kernel
    sample_links: Kernel
    weigh_rows: Kernel


class StorySeating(Protocol):
    """Documents of a stream assigned to stories under a decayed Chinese restaurant process."""

    insert_stories: Kernel
    seat_documents: Kernel


class StoryWords(Protocol):
    """The counted words of stories, as sparse rows."""

    add_documents: Kernel
    heaviest_words: Kernel
    outline_cosines: Kernel
    select_rows: Kernel
