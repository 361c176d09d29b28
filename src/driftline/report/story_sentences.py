"""Large changes in plain sentences: the ratio, the interval, the related words; or a change of composition."""

from __future__ import annotations

from typing import NamedTuple

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.headlines import Composition, RatioWithin, Story, WordChange
from driftline.analysis.findings.source_summary import SOURCE
from driftline.analysis.findings.text_record import TEXT
from driftline.analysis.findings.word_tests import WORD_TESTS
from driftline.analysis.findings.words import COUNTED
from driftline.report.date_formats import Resolution, date_at, ends_at, resolution, span_at, unit_name
from driftline.report.numbers import count, listed, share

MOST_TIMES = 100.0
"""Largest ratio that is written in digits."""
_SAME = 1.1
"""Ratio below which a word is not reported as risen within groups."""
NOUNS = {"posts": "posts", "mail": "mails", "commits": "commits", "headlines": "headlines"}
"""Nouns for documents, by the kind of their source."""


class Setting(NamedTuple):
    """Shared settings of the sentences about one stream: the precision of dates, the noun for documents.

    The `noun` is that of the documents, or "passages" if these are long; the `unit` is the calendar step within which
    documents may depend on each other, a day unless the stream has only a few.
    """

    noun: str = "documents"
    dates: Resolution = Resolution("day", True)
    documents: str = "documents"
    unit: str = "day"

    @property
    def document(self) -> str:
        """Noun for one document."""
        return self.documents.removesuffix("s")

    @classmethod
    def of(cls, findings: Findings) -> Setting:
        """Choose the noun by the kind of source, and the date precision by the span of the stream."""
        text = TEXT.of(findings)
        kind = text.source_kind if text is not None else "prose"
        documents = NOUNS.get(kind, "documents")
        noun = COUNTED.of(findings) if COUNTED.of(findings) != "documents" else documents
        tests = WORD_TESTS.of(findings)
        unit = "day" if tests is None or tests.unit in ("document", "time", "group") else unit_name(tests.unit)
        return cls(noun, resolution(SOURCE.of(findings).first, SOURCE.of(findings).last), documents, unit)


def story_sentence(story: Story, setting: Setting = Setting()) -> str:  # noqa: B008 (it is immutable)
    """Return one story as a sentence.

    >>> war = WordChange("war", "lasting", "more", 5.43, 4.1, 7.2, "2003-03-14T00:00:00Z", "2003-04-03T00:00:00Z",
    ...     False, False, 296, 491)
    >>> story_sentence(Story(war, ["iraq"]), Setting("headlines", Resolution("day", False)))
    '“war” (with “iraq”): in 5.4 times (4.1–7.2) as many headlines from 14 March to 3 April as in the rest.'
    >>> from dataclasses import replace
    >>> story_sentence(Story(replace(war, with_groups="author", from_start=True)), Setting("mails"))
    '“war”: in 5.4 times (4.1–7.2) as many mails until 3 April 2003 as afterwards; perhaps only because authors ...'
    """
    return change_sentence(story.change, setting, others=with_others(story.others, story.n_more))


def change_sentence(change: WordChange, setting: Setting = Setting(), *, others: str = "") -> str:  # noqa: B008
    """Return the size and the interval of one word's change."""
    subject = f"“{change.word}”{others}:"
    if change.kind == "event":
        when = span_at(change.start, change.end, setting.dates)
        inside, total = change.n_inside, change.n_documents
        how_many = f"all {count(total)}" if inside == total else f"{count(inside)} of its {count(total)}"
        return f"{subject} an event of {when} ({how_many} {setting.noun})."
    ratio, when = times_with_interval(change), window(change, setting.dates)
    doubt = f"; perhaps only because {change.with_groups}s joined or left" if change.with_groups else ""
    if change.direction == "less":
        return f"{subject} {ratio} rarer {when} than in the rest{doubt}."
    return f"{subject} in {ratio} as many {setting.noun} {when} as {_rest(change)}{doubt}."


def composition_sentence(found: Composition, setting: Setting = Setting()) -> str:  # noqa: B008
    """Return a sentence that attributes a change to a group of documents."""
    change = found.change
    subject = f"“{change.word}”{with_others(found.words[1:], found.n_more)}"
    when = window(change, setting.dates)
    group = f"“{found.group}”" if found.group else f"{setting.documents} without {found.column}"
    if found.share_of_word > 0.995:
        source = f"all of it in “{found.group}”, " if found.group else ""
    else:
        source = ""
    shares = f"{share(found.share_inside, 1)} of the {setting.noun} then, {share(found.share_outside, 1)} otherwise"
    rose = f"in {times_with_interval(change)} as many {setting.noun} {when}"
    if change.direction == "less":
        rose = f"{times_with_interval(change)} rarer {when}"
        shares = f"{share(found.share_outside, 1)} of the {setting.noun} then, {share(found.share_inside, 1)} otherwise"
    if found.one_author:
        origin = f"from {group}" if found.group else group
        return f"{subject}: {rose}; {share(found.share_of_word, 1)} of those with it are {origin}."
    if found.within is None:
        return f"{subject} came and went with {group} ({shares}): {source}{rose}."
    if found.within.ratio < _SAME:
        low, high = _digits(found.within.lower), _digits(found.within.upper)
        inside = f"not within each {_singular(found.column)} ({_digits(found.within.ratio)} times, {low}–{high})"
    else:
        inside = f"only {times_with_interval(found.within)} within each {_singular(found.column)}"
    return f"{subject}: {rose}, but {inside}; {group} made up {shares}."


def _singular(column: str) -> str:
    """Return the name of a column of labels as that of one label.

    >>> [_singular(name) for name in ("topics", "Categories", "class", "sender")]
    ['topic', 'Category', 'class', 'sender']
    """
    for many, one in (
        ("ategories", "ategory"),
        ("opics", "opic"),
        ("abels", "abel"),
        ("ags", "ag"),
        ("classes", "class"),
    ):
        if column.lower().endswith(many):
            return column[: -len(many)] + one
    return column


def times_with_interval(ratio: WordChange | RatioWithin) -> str:
    """Return a ratio with its interval; ratios above a hundred are not written in digits.

    >>> [times_with_interval(RatioWithin(*each)) for each in ((5.43, 4.1, 7.2), (48, 18, 128), (500, 36, 7000))]
    ['5.4 times (4.1–7.2)', '48 times (18 to more than 100)', 'more than 100 times (at least 36)']
    """
    if ratio.lower > MOST_TIMES:
        return "more than 100 times"
    if ratio.ratio > MOST_TIMES:
        return f"more than 100 times (at least {_digits(ratio.lower)})"
    if ratio.upper > MOST_TIMES:
        return f"{_digits(ratio.ratio)} times ({_digits(ratio.lower)} to more than 100)"
    return f"{_digits(ratio.ratio)} times ({_digits(ratio.lower)}–{_digits(ratio.upper)})"


def compact_times(ratio: WordChange | RatioWithin) -> str:
    """Return a ratio with its interval for a table.

    >>> [compact_times(RatioWithin(*each)) for each in ((5.43, 4.1, 7.2), (48, 18, 128), (500, 136, 7000))]
    ['5.4 (4.1–7.2)', '48 (18–>100)', '>100']
    """
    if ratio.lower > MOST_TIMES:
        return ">100"
    value, upper = (">100" if each > MOST_TIMES else _digits(each) for each in (ratio.ratio, ratio.upper))
    return f"{value} ({_digits(ratio.lower)}–{upper})"


def window(change: WordChange, dates: Resolution) -> str:
    """Return the time of a change within a sentence: from … to …, since …, until … ."""
    start, end = date_at(change.start, dates), date_at(change.end, dates)
    if change.from_start and not change.to_end:
        return f"until {end}"
    if change.to_end and not change.from_start:
        return f"since {start}"
    if start == end:
        return f"{'on' if dates.step == 'day' else 'in'} {start}"
    return "from {} to {}".format(*ends_at(change.start, change.end, dates))


def with_others(words: list[str], n_more: int = 0) -> str:
    """Return the related words of a story in parentheses.

    >>> with_others(["iraq", "kuwait"], 3), with_others([])
    (' (with “iraq”, “kuwait” and 3 more)', '')
    """
    if not words:
        return ""
    named = [f"“{word}”" for word in words]
    return f" (with {', '.join(named)} and {n_more} more)" if n_more else f" (with {listed(named, most=len(named))})"


def _rest(change: WordChange) -> str:
    if change.from_start and not change.to_end:
        return "afterwards"
    return "before" if change.to_end and not change.from_start else "in the rest"


def _digits(value: float) -> str:
    return f"{value:.1f}" if round(value, 1) < 10 else f"{value:.0f}"
