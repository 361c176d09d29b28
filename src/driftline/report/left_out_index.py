"""Sentences on the words and documents that did not fit into the page."""

from __future__ import annotations

from driftline.report.numbers import count, counted
from driftline.report.word_index import LeftOut


def left_out_of_page(left: LeftOut) -> str:
    """Return a sentence on the content that is not in the page and the option that includes it; empty if all is.

    >>> print(left_out_of_page(LeftOut(12000, 3, 100, 0)))
    To keep this page small, 12,000 words (each in at most 3 documents) cannot be looked up, and texts are cut to 100
    characters. driftline report --page-size includes more; --json and --data write all findings.
    >>> left_out_of_page(LeftOut())
    ''
    """
    parts = []
    if left.n_words:
        most = counted(left.most_documents, "document")
        parts.append(f"{counted(left.n_words, 'word')} (each in at most {most}) cannot be looked up")
    if left.text_length:
        parts.append(f"texts are cut to {left.text_length} characters")
    if left.n_texts:
        parts.append(f"texts and ids of {count(left.n_texts)} documents are left out")
    if not parts:
        return ""
    return (
        f"To keep this page small, {_joined(parts)}. driftline report --page-size includes more; --json and --data "
        "write all findings."
    )


def _joined(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])}, and {parts[-1]}"
