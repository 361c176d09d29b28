"""`driftline read`: summary of a source."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from driftline.cli.conventions import FAULT, json_option, print_facts, print_json, say, with_options
from driftline.cli.source_options import SourceArguments, source_options
from driftline.core.display import one_line

if TYPE_CHECKING:
    from driftline.streams.stream import Stream

SHOWN = 10
SHOWN_LABEL = 80


@dataclass(frozen=True)
class SourceFacts:
    """Summary from one pass over a source."""

    source: str
    documents: int
    rejected: int
    reasons: dict[str, int]
    examples: list[dict[str, str]]
    first: str | None
    last: str | None
    characters: int
    labels: dict[str, int]
    columns: dict[str, str]


@click.command()
@source_options
@json_option
@click.pass_context
def read(ctx: click.Context, source: SourceArguments, as_json: bool) -> None:
    """Summarise SOURCE: number of documents, time span, columns, rejected records.

    Shows which columns contain time, text and label, and which records were rejected and why. The source is read in
    batches, so it may be larger than memory.
    """
    facts = survey(source.read())
    if as_json:
        print_json(facts)
    else:
        print_facts(_in_words(facts))
    if not facts.documents:
        say(f"Error: no document could be read from {facts.source}", err=True)
        ctx.exit(FAULT)


def survey(stream: Stream) -> SourceFacts:
    """Summarise a stream in one pass."""
    import pyarrow.compute as pc

    from driftline.core.progress import track

    labels: Counter[str] = Counter()
    first = last = None
    characters = 0
    for batch in track(stream.batches(), f"reading {stream.name}"):
        span = pc.min_max(batch["time"]).as_py()
        first = span["min"] if first is None else min(first, span["min"])
        last = span["max"] if last is None else max(last, span["max"])
        characters += pc.sum(pc.utf8_length(batch["text"])).as_py() or 0
        for entry in pc.value_counts(batch["label"].drop_null()).to_pylist():
            labels[entry["values"]] += entry["counts"]
    rejections = stream.rejections.as_dict()
    return SourceFacts(
        source=stream.name,
        documents=stream.n_read,
        rejected=rejections["count"],
        reasons=rejections["reasons"],
        examples=rejections["examples"],
        first=None if first is None else first.isoformat(),
        last=None if last is None else last.isoformat(),
        characters=characters,
        labels=dict(labels.most_common()),
        columns=dict(stream.columns),
    )


def _in_words(facts: SourceFacts) -> dict[str, str]:
    words: dict[str, str] = {"source": one_line(facts.source), "documents": f"{facts.documents:,}"}
    if facts.documents:
        words["from"], words["to"] = _moment(facts.first), _moment(facts.last)
        words["length"] = f"{facts.characters / facts.documents:,.0f} characters per document"
    if facts.columns:
        words["columns"] = "\n".join(f"{name}: {one_line(column)}" for name, column in facts.columns.items())
    if facts.labels:
        shown = [f"{one_line(label, SHOWN_LABEL)}: {count:,}" for label, count in list(facts.labels.items())[:SHOWN]]
        more = len(facts.labels) - SHOWN
        words["labels"] = "\n".join(shown + [f"and {more:,} more"] * (more > 0))
    words["rejected"] = f"{facts.rejected:,}"
    for reason, count in facts.reasons.items():
        words["rejected"] += f"\n{count:,} {one_line(reason)}"
    for example in facts.examples[:SHOWN]:
        where = f"{example['source']}, {example['place']}: {with_options(example['reason'])}"
        words["rejected"] += f"\n  {one_line(where)}"
    return words


def _moment(time: str | None) -> str:
    """Return a time as text; midnight is shown as a date."""
    return (time or "").replace("T", " ").removesuffix("+00:00").removesuffix(" 00:00:00")
