"""The text that was counted and that was left out, as part of the findings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from driftline.analysis.finding import Finding, nothing
from driftline.streams.preparation import Prepared
from driftline.text.left_out import DESCRIPTIONS

if TYPE_CHECKING:
    from driftline.analysis.context import Context


@dataclass(frozen=True)
class LeftOutFinding:
    """One kind of text that was not counted: description, number of occurrences and of documents, and examples."""

    kind: str
    description: str
    unit: str
    n: int
    n_documents: int
    examples: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class TextRecord:
    """The kind of the texts, and the text that was left out of the counts.

    `n_read` documents were read, of which `n_counted` were counted; `n_empty` of these have no text left. `languages`
    are ISO 639-1 codes, most used first; empty if none was recognised. `unspaced` names the script if words are not
    separated by spaces, and is empty otherwise.
    """

    source_kind: str
    kind_given: bool
    languages: list[str]
    n_stop_words: int
    n_read: int
    n_counted: int
    n_empty: int
    unspaced: str = ""
    left_out: list[LeftOutFinding] = field(default_factory=list)


def describe_preparation(prepared: Prepared, *, kind_given: bool = False) -> TextRecord:
    """Return the record of `prepare`, as plain data."""
    return TextRecord(
        source_kind=prepared.source_kind.kind,
        kind_given=kind_given,
        languages=list(prepared.language.codes),
        n_stop_words=len(prepared.stop_words),
        n_read=len(prepared.times),
        n_counted=len(prepared),
        n_empty=prepared.n_empty,
        unspaced=prepared.language.unspaced,
        left_out=[
            LeftOutFinding(each.kind, DESCRIPTIONS[each.kind], each.unit, each.n, each.n_documents, list(each.examples))
            for each in prepared.left_out
        ],
    )


def find(context: Context) -> TextRecord | None:
    """Describe the preparation of the stream; an empty stream has none."""
    if context.is_empty:
        return None
    return describe_preparation(context.prepared, kind_given=context.options.source_kind != "auto")


TEXT = Finding("text", find, empty=nothing, position=180, always=True, since=10)
