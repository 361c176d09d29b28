"""The text that was counted, the text that was not, and the options that change this."""

from __future__ import annotations

from collections.abc import Iterator

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.text_record import TEXT, TextRecord
from driftline.report.numbers import count, counted, listed, share
from driftline.report.sections.section import Content, Section
from driftline.report.word_book import WordBook

_LANGUAGES = {
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fi": "Finnish",
    "fr": "French",
    "hu": "Hungarian",
    "id": "Indonesian",
    "it": "Italian",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sv": "Swedish",
    "tr": "Turkish",
    "uk": "Ukrainian",
}
_UNITS = {"match": ("time", "times"), "line": ("line", "lines"), "passage": ("passage", "passages")}


def build(findings: Findings, book: WordBook) -> Content | None:
    """State the kind of the texts, and list the text that was left out."""
    text = TEXT.of(findings)
    if text is None:
        return None
    rows = [
        {
            "kind": each.kind,
            "description": each.description,
            "amount": counted(each.n, *_UNITS.get(each.unit, ("document", "documents"))),
            "n_documents": each.n_documents,
            "share": share(each.n_documents, text.n_read),
            "examples": each.examples[:3],
        }
        for each in text.left_out
    ]
    return Content({"sentences": list(sentences(text)), "rows": rows})


def sentences(text: TextRecord) -> Iterator[str]:
    """Describe how the texts were read.

    >>> record = TextRecord("posts", False, ["en"], 180, 1000, 990, 3)
    >>> for sentence in sentences(record):
    ...     print(sentence)
    The documents look like posts (--source-kind selects another kind). They are written in English; 180 stop words are
    not counted (--stop-words selects others). 10 of 1,000 documents repeat an earlier one and are not counted. In 3
    documents nothing is left to count.
    """
    if text.kind_given:
        yield f"The documents were read as {text.source_kind}, as requested."
    else:
        yield f"The documents look like {text.source_kind} (--source-kind selects another kind)."
    yield _language(text)
    n_repeated = text.n_read - text.n_counted
    if n_repeated:
        yield (
            f"{count(n_repeated)} of {counted(text.n_read, 'document')} "
            f"{'repeats' if n_repeated == 1 else 'repeat'} an earlier one and "
            f"{'is' if n_repeated == 1 else 'are'} not counted."
        )
    if text.n_empty:
        yield f"In {counted(text.n_empty, 'document')} nothing is left to count."


def _language(text: TextRecord) -> str:
    if text.unspaced:
        return (
            f"The documents are written in {text.unspaced} characters, without spaces between words. Words "
            f"cannot be separated there, so whole runs of characters are counted. Insert spaces between words "
            f"first, with a segmenter for the language."
        )
    names = listed([_LANGUAGES.get(code, code) for code in text.languages])
    if not names:
        return f"Their language was not recognised; {_stop_words(text.n_stop_words)} (--stop-words selects a list)."
    return f"They are written in {names}; {_stop_words(text.n_stop_words)} (--stop-words selects others)."


def _stop_words(n: int) -> str:
    return f"{counted(n, 'stop word')} {'is' if n == 1 else 'are'} not counted" if n else "all words are counted"


SECTION = Section("text", "What was counted", "counted_text.html", build, "Text", position=150)
