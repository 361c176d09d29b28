"""The glossary of CONTRIBUTING: replaced words are absent from code, messages, the report and the documentation."""

from __future__ import annotations

import ast
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
    r"from which on": "minimum, at which, above which",
    r"worked out": "computed",
    r"passed over": "ignored, skipped",
    r"given back": "released, returned",
    r"so many-th": "at a fixed stride",
    r"(?<!there )is no (?:date|file|list|number|text|ordinary file|saved model)": "is not a …",
    r"dealt": "assigned at random, shuffled",
    r"commonest": "most frequent",
    r"rightly": "correctly",
    r"speaks? (?:for|against)": "favour, count against",
    r"begun with": "started with",
    r"what became of": "whether it was heeded, the result of",
    r"[µnm]s a (?:document|row|sentence|mail|context|line)": "µs per document, ms per sentence",
    r"(?:lines|documents) a (?:second|day)|CPU s a sweep": "lines per second, documents per day",
    r"(?:does|do) not pay|what pays": "does not help",
    r"however (?:many|few|long|short|large|small|often|wide)": "for any number of, regardless of",
    r"chang(?:e|es) (?:in|of) who (?:writes|wrote)": "change of authors, of composition",
    r"the present (?:model|state|world|path|words|topics|assignment|counts|hour|frame|version|ones?)": "the current …",
    r"summed out": "integrated out; marginalised, if discrete",
    r"drawn towards": "shrunk towards",
    r"likeliest": "most probable",
    r"commoner": "more frequent",
    r"breaks? off": "ends early, is truncated",
}
"""Expression → the words to use instead."""
REPLACED_IN_SOURCES = {
    r"from \d+ on": "of at least 0, non-negative",
    r"so many": "this number of, n",
    r"not known": "unknown",
    r"(?:stays?|returned|tested) as (?:it is|they are)": "unchanged",
    r"by how (?:much|many)": "the amount by which, the number by which",
    r"return (?:how|what|when|where|which|why)": "a mask of the …, the number of …, the time of …, the place of …",
}
"""The same for sources, in addition."""
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
    "src/driftline/sequences/forgetting.py": "does not pay",
}
"""Files that must name a former name, an attribute, or quote a story, a message or a kept result, and the word."""
CLAUSE = re.compile(r"(?:How|What|When|Where|Which|Who|Why)\b")
"""A clause in place of a noun phrase or an imperative sentence."""
WORD_LISTS = {"stop_word_lists.py", "mail_lines.py", "calendar_words.py"}
"""Files of words that are data."""
_ANY = re.compile(rf"\b(?:{'|'.join(REPLACED)})\b", re.IGNORECASE)
_ANY_IN_SOURCES = re.compile(rf"\b(?:{'|'.join(REPLACED | REPLACED_IN_SOURCES)})\b", re.IGNORECASE)


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of every string and comment of a Python file, or of every line of another file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from enumerate(text.splitlines(), start=1)
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT) or tokenize.tok_name[token.type] == "FSTRING_MIDDLE":
            yield token.start[0], token.string


def expression_for(name: str) -> re.Pattern[str]:
    """Return the expression of the words that are replaced in a file."""
    return _ANY_IN_SOURCES if name.startswith("src/") else _ANY


def found_in(path: Path) -> list[str]:
    """Return every replaced word of a file with its line."""
    allowed = ALLOWED.get(name_of(path))
    expression = expression_for(name_of(path))
    return [
        f"{name_of(path)}:{line}: {match.group()!r}"
        for line, text in texts_of(path)
        for match in expression.finditer(" ".join(text.split()))
        if match.group().lower() != allowed
    ]


def docstrings_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of every docstring of a file, those of constants and attributes included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else []:
            value = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield statement.lineno, value.value


def clauses_in(path: Path) -> list[str]:
    """Return the docstrings of a file that begin with a clause."""
    found = [(line, text) for line, text in docstrings_of(path) if CLAUSE.match(text.lstrip())]
    return [f"{name_of(path)}:{line}: {text.splitlines()[0]}" for line, text in found]


def files() -> list[Path]:
    """Return the pages, the code, the templates, the benchmarks and the tools."""
    code = [path for path in sorted((ROOT / "src").rglob("*.py")) if path.name not in WORD_LISTS]
    scripts = [path for folder in ("benchmarks", "tools") for path in sorted((ROOT / folder).rglob("*.py"))]
    documents = [ROOT / "SECURITY.md", ROOT / "CHANGELOG.md"]
    return [*pages(), *documents, *code, *sorted((ROOT / "src").rglob("*.html")), *scripts]


def test_no_replaced_word_is_used():
    found = [each for path in files() for each in found_in(path)]
    assert not found, "\n".join(found)


def test_docstrings_begin_with_a_noun_phrase_or_a_verb():
    found = [each for path in sorted((ROOT / "src").rglob("*.py")) for each in clauses_in(path)]
    assert not found, "\n".join(found)


def test_a_clause_at_the_beginning_of_a_docstring_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.docs.markdown.ROOT", tmp_path)
    path = tmp_path / "code.py"
    path.write_text('"""Tests."""\nn = 3\n"""How many there are."""\ntext = "Which"\n', encoding="utf-8")
    assert clauses_in(path) == ["code.py:3: How many there are."]


@pytest.mark.parametrize(
    ("name", "text", "n_found"),
    [
        ("page.md", "A burst is told.\nNothing else is.", 1),
        ("code.py", '"""Start\n    anew."""\ntold = 1  # whoever\n', 2),
        ("clean.html", "<p>Every burst is reported.</p>", 0),
        ("script.py", '"""Days dealt at random, 5 µs a row, see dealt_days."""\n', 2),
        ("src/driftline/topics/model.py", '"""Share from which on so many topics, all summed out, count."""\n', 3),
        ("src/driftline/readers/share.py", '"""Share from which on so many words count."""\n', 2),
    ],
)
def test_replaced_words_are_found_in_text_and_not_in_names(tmp_path, monkeypatch, name, text, n_found):
    monkeypatch.setattr("tests.docs.markdown.ROOT", tmp_path)
    page = tmp_path / name
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(text, encoding="utf-8")
    assert len(found_in(page)) == n_found
