"""The characteristic words of each period."""

from __future__ import annotations

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.periods import PERIODS, CharacteristicWord, Period
from driftline.analysis.findings.source_summary import SOURCE
from driftline.report.date_formats import clock, period, unit_name
from driftline.report.numbers import times_as
from driftline.report.sections.section import Content, Section
from driftline.report.word_book import WordBook

_MOST_WORDS = 8


def build(findings: Findings, book: WordBook) -> Content | None:
    """Build a card for every period."""
    if not PERIODS.of(findings):
        return None
    best = max((word.score for each in PERIODS.of(findings) for word in each.words), default=1.0)
    documents = SOURCE.of(findings).first, SOURCE.of(findings).last
    cards = [card(each, best, book, documents) for each in PERIODS.of(findings)]
    if not any(each["words"] for each in cards):
        return Content({"cards": []})
    return Content({"cards": cards, "null": _null(PERIODS.of(findings)[0].unit)})


def _null(unit: str) -> str:
    if unit == "document":
        return (
            "There are too few days to account for events shared by the documents of one day: a word may "
            "reflect a single day."
        )
    return (
        f"The listed words are more frequent for longer than a single {unit_name(unit)}; about one in twenty is "
        f"expected to be a mistake."
    )


def card(
    each: Period, best: float, book: WordBook, documents: tuple[str, str], label: str | None = None
) -> dict[str, object]:
    """Return the content of one period's card: bars relative to the `best` score, dates between those of documents."""
    return {
        "name": period(each.start, each.end, documents),
        "n_documents": each.n_documents,
        "words": [
            {
                "word": word.word,
                "number": book.number(word.word, label),
                "bar": round(100 * max(word.score, 0.0) / best, 1) if best > 0 else 0.0,
                "ratio": _ratio(word),
            }
            for word in each.words[:_MOST_WORDS]
        ],
        "examples": [(clock(example.time), example) for example in each.examples],
    }


def _ratio(word: CharacteristicWord) -> str:
    if word.rate_outside <= 0:
        return "only here"
    return times_as(word.rate_inside / word.rate_outside).replace("more than ", "> ").replace(" times", " ×")


SECTION = Section("periods", "What each period was about", "periods.html", build, "Periods", position=90)
