"""Tagged sentences in the CoNLL-U format: a token per line, ten columns, sentences separated by empty lines."""

from __future__ import annotations

from pathlib import Path

from driftline.core.errors import InvalidInput, SourceNotFound

WORD, TAG = 1, 3
"""Columns of the word and of its universal part of speech."""


def read_conllu(path: str | Path) -> tuple[list[list[str]], list[list[str | None]]]:
    """Return sentences and their tags; "_" is an unknown tag. Ranges ("1-2") and empty nodes ("1.1") are skipped."""
    sentences: list[list[str]] = [[]]
    tags: list[list[str | None]] = [[]]
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise SourceNotFound(f"there is no file {path}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read as UTF-8 text: {error}") from error
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.rstrip("\r")
        if line.startswith("#"):
            continue
        if not line.strip():
            if sentences[-1]:
                sentences.append([])
                tags.append([])
            continue
        columns = line.split("\t")
        if len(columns) <= TAG:
            raise InvalidInput(
                f"line {number} of {path} has {len(columns)} columns; CoNLL-U has ten, separated by tabs"
            )
        if "-" in columns[0] or "." in columns[0]:
            continue
        sentences[-1].append(columns[WORD])
        tags[-1].append(None if columns[TAG] == "_" else columns[TAG])
    if not sentences[-1]:
        del sentences[-1], tags[-1]
    if not sentences:
        raise InvalidInput(f"{path} has no sentence; pass a file in the format CoNLL-U")
    return sentences, tags
