"""The glossary of CONTRIBUTING: replaced words are absent from code, messages, the report and the documentation."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT, name_of, pages

REPLACED = {
    r"told": "reported, given",
    r"foreseen": "predicted",
    r"whoever|whichever of them": "callers, users",
    r"dearer|dear": "expensive",
    r"weightiest|heaviest bursts?": "with the highest weight",
    r"most telling|telling words": "most informative, characteristic words",
    r"go(?:es)? along": "update incrementally",
    r"asked for": "requested",
    r"anew": "again",
    r"as (?:it|they) comes?": "as it arrives",
    r"made? room": "add, allocate",
    r"stretch(?:es)? of": "interval, segment",
    r"how sure": "how certain",
    r"surer|surest": "more certain, most certain",
    r"mend(?:s|ed|ing)?": "repair",
    r"(?<!there )is no (?:date|file|list|number|text|ordinary file|saved model)": "is not a …",
}
"""Expression → the words to use instead."""
REPLACED_OUTSIDE_SOURCES = {
    r"dealt": "assigned at random, shuffled",
    r"commonest": "most frequent",
    r"rightly": "correctly",
    r"speaks? (?:for|against)": "favour, count against",
    r"begun with": "started with",
    r"what became of": "whether it was heeded, the result of",
    r"[µnm]s a (?:document|row|sentence|mail|context|line)": "µs per document, ms per sentence",
    r"(?:lines|documents) a (?:second|day)|CPU s a sweep": "lines per second, documents per day",
    r"(?:does|do) not pay|what pays": "does not help",
}
"""The same for pages, benchmarks and tools."""
ALLOWED = {
    "CHANGELOG.md": "foreseen",
    "src/driftline/labelling/stream_labeller.py": "foreseen",
    "src/driftline/evolving/frames/frame_records.py": "foreseen",
    "src/driftline/persistence/migrations.py": "foreseen",
    "docs/guide/saving.md": "foreseen",
    "docs/models/local-crf.md": "does not pay",
    "docs/models/regimes.md": "commonest",
    "benchmarks/report/dealt_days.py": "dealt",
    "benchmarks/reliability/spot_check.py": "dealt",
    "src/driftline/datasets/newswire_sentences.py": "asked for",
}
"""Files that must name a former name or quote a simulated story, a message or a kept result, and the word."""
WORD_LISTS = {"stop_word_lists.py", "mail_lines.py", "calendar_words.py"}
"""Files of words that are data."""
_ANY = re.compile(rf"\b(?:{'|'.join(REPLACED)})\b", re.IGNORECASE)
_ANY_OUTSIDE = re.compile(rf"\b(?:{'|'.join(REPLACED | REPLACED_OUTSIDE_SOURCES)})\b", re.IGNORECASE)


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of every string and comment of a Python file, or of every line of another file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from enumerate(text.splitlines(), start=1)
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT) or tokenize.tok_name[token.type] == "FSTRING_MIDDLE":
            yield token.start[0], token.string


def found_in(path: Path) -> list[str]:
    """Return every replaced word of a file with its line."""
    allowed = ALLOWED.get(name_of(path))
    expression = _ANY if name_of(path).startswith("src/") else _ANY_OUTSIDE
    return [
        f"{name_of(path)}:{line}: {match.group()!r}"
        for line, text in texts_of(path)
        for match in expression.finditer(" ".join(text.split()))
        if match.group().lower() != allowed
    ]


def files() -> list[Path]:
    """Return the pages, the code, the templates, the benchmarks and the tools."""
    code = [path for path in sorted((ROOT / "src").rglob("*.py")) if path.name not in WORD_LISTS]
    scripts = [path for folder in ("benchmarks", "tools") for path in sorted((ROOT / folder).rglob("*.py"))]
    documents = [ROOT / "SECURITY.md", ROOT / "CHANGELOG.md"]
    return [*pages(), *documents, *code, *sorted((ROOT / "src").rglob("*.html")), *scripts]


def test_no_replaced_word_is_used():
    found = [each for path in files() for each in found_in(path)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("name", "text", "n_found"),
    [
        ("page.md", "A burst is told.\nNothing else is.", 1),
        ("code.py", '"""Start\n    anew."""\ntold = 1  # whoever\n', 2),
        ("clean.html", "<p>Every burst is reported.</p>", 0),
        ("script.py", '"""Days dealt at random, 5 µs a row, see dealt_days."""\n', 2),
    ],
)
def test_replaced_words_are_found_in_text_and_not_in_names(tmp_path, monkeypatch, name, text, n_found):
    monkeypatch.setattr("tests.docs.markdown.ROOT", tmp_path)
    page = tmp_path / name
    page.write_text(text, encoding="utf-8")
    assert len(found_in(page)) == n_found
