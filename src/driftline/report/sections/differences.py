"""Differences between labels or authors: topics, then words, each with its interval."""

from __future__ import annotations

import dataclasses

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.differences import DIFFERENCES
from driftline.analysis.findings.topics import TOPICS
from driftline.analysis.group_differences import GroupDifferences, compared_groups
from driftline.report.compare_page import interval, ratio, too_few
from driftline.report.numbers import count, counted
from driftline.report.sections.section import Content, Section
from driftline.report.word_book import WordBook

N_TOPICS = 4
"""Number of topics shown for a group."""


def build(findings: Findings, book: WordBook) -> Content | None:
    """Make a part for every compared group."""
    found = DIFFERENCES.of(findings)
    if found is None:
        return None
    found = _without_incoherent(found, findings)
    return Content({"found": found, "verdict": verdict(found), "parts": _parts(found, book)})


def _without_incoherent(found: GroupDifferences, findings: Findings) -> GroupDifferences:
    """Leave out topics whose words do not occur together: their shares mean nothing to a reader."""
    incoherent = [topic.words for topic in TOPICS.of(findings) if topic.state == "junk"]
    if not incoherent:
        return found
    topics = [each for each in found.topics if each.words not in incoherent]
    return dataclasses.replace(found, topics=topics, n_topics=max(found.n_topics - len(incoherent), 0))


def verdict(found: GroupDifferences) -> str:
    """State how much differs, and which groups have too few units for any claim."""
    lacking = too_few(found)
    said = "Nothing is claimed." if lacking and len(lacking) == len(compared_groups(found)) else _counted(found)
    return " ".join([said, *lacking])


def _counted(found: GroupDifferences) -> str:
    n_topics, n_words = len({each.topic for each in found.topics}), len(found.words)
    listed = "that differs most certainly is" if n_words == 1 else "that differ most certainly are"
    words = f"{counted(n_words, 'word')} {listed} listed" if n_words else "no word differs"
    if not found.n_topics:
        return f"{words[0].upper()}{words[1:]}."
    differ = "has a share that differs" if n_topics <= 1 else "have shares that differ"
    return f"{count(n_topics) if n_topics else 'None'} of {counted(found.n_topics, 'topic')} {differ}; {words}."


def _parts(found: GroupDifferences, book: WordBook) -> list[dict[str, object]]:
    return [
        {
            "name": group.name,
            "n_documents": group.n_documents,
            "topics": [each for each in found.topics if each.group == group.name][:N_TOPICS],
            "words": [
                {"word": each, "number": book.number(each.word, None), "ratio": ratio(each), "interval": interval(each)}
                for each in found.words
                if each.group == group.name
            ],
        }
        for group in compared_groups(found)
    ]


SECTION = Section("differences", "What differs", "differences.html", build, "Differences", position=112)
