"""`driftline topics`: the topics of a source, and which of them rise or fall."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from driftline.cli.conventions import json_option, print_json
from driftline.cli.source_options import SourceArguments, source_options
from driftline.cli.text_options import TextArguments, text_options
from driftline.core.display import one_line

if TYPE_CHECKING:
    from driftline.streams.corpus import Corpus
    from driftline.topics.over_time import TopicsOverTime

SNIPPET = 160
DRAWN = 12
BAND_COVERS = {"given": "given these topics", "topics": "that allows for the error in the topics"}


@dataclass(frozen=True)
class TopicRow:
    """One topic as shown: numbers are shares of all words; `trend` is the change over the whole period."""

    topic: int
    words: list[str]
    share: float
    trend: float
    p_value: float
    rises_or_falls: str
    peak: Any
    examples: list[dict[str, str]]


@click.command()
@source_options
@click.option(
    "-k", "--topics", "n_topics", type=click.IntRange(1), default=50, show_default=True, help="Number of topics."
)
@click.option(
    "--inference",
    type=click.Choice(["online", "gibbs", "vb"]),
    default="online",
    show_default=True,
    help="Inference method; gibbs is slower and often better.",
)
@click.option(
    "--engine",
    type=click.Choice(["threads", "dask", "gpu", "auto"]),
    default="threads",
    show_default=True,
    help="Where topics are learnt: on all cores, on Dask workers, on a graphics processor; auto chooses.",
)
@click.option("--top", "n_words", type=click.IntRange(1, 100), default=8, show_default=True, help="Words per topic.")
@click.option("--examples", type=click.IntRange(0, 20), default=2, show_default=True, help="Documents per topic.")
@click.option("--min-df", type=click.IntRange(1), default=3, show_default=True, help="Ignore words in fewer documents.")
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Random seed; the same seed gives the same topics.",
)
@click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), help="Write a page with curves and table to this file."
)
@click.option(
    "--uncertainty",
    type=click.Choice(["given", "topics"]),
    default="given",
    show_default=True,
    help="Uncertainty in bands and trends: given these topics, or including the error in the topics (refits "
    "the model).",
)
@click.option("--save", type=click.Path(path_type=Path), help="Save the model to this folder.")
@text_options
@json_option
def topics(
    source: SourceArguments,
    n_topics: int,
    inference: str,
    engine: str,
    n_words: int,
    examples: int,
    min_df: int,
    seed: int,
    html: Path | None,
    uncertainty: Literal["given", "topics"],
    save: Path | None,
    text: TextArguments,
    as_json: bool,
) -> None:
    """Find the topics of SOURCE: their words, their shares, and how they change.

    A topic's share is the share of the words assigned to it. A topic rises or falls if a linear trend in its share is
    significant at a false discovery rate of 5 % among the topics, with days as the independent units.
    """
    from driftline.cli.output_path import check_output
    from driftline.core.errors import InvalidInput
    from driftline.core.progress import announce
    from driftline.streams.preparation import prepare
    from driftline.topics import LDA, topics_over_time

    if html is not None:
        check_output(html, source.source, "--html")
    prepared = prepare(source.read(), **text.options)
    corpus = prepared.corpus(min_df=min_df, max_df=0.5)
    if not corpus.counts.nnz:
        raise InvalidInput("no word is in enough documents to find topics; lower --min-df or supply more documents")
    announce(f"learning {n_topics} topics from {len(corpus):,} documents; the first run compiles code and takes longer")
    model = LDA(
        n_topics, inference=inference, engine=engine, n_jobs=-1, random_state=seed, vocabulary=corpus.vocabulary
    )
    model.fit(corpus.counts)
    shares = model.transform(corpus.counts)
    curves = topics_over_time(model, corpus.counts, times=corpus.times, uncertainty=uncertainty, random_state=seed)
    rows = _rows(corpus, model.top_words(n_words), shares, curves, examples)
    if save is not None:
        model.save(save)
    if html is not None:
        _write_page(rows, curves, Path(source.source).name, html)
    if as_json:
        print_json(
            {
                "documents": len(corpus),
                "words": len(corpus.vocabulary),
                "source_kind": prepared.source_kind.kind,
                "not_counted": list(prepared.left_out),
                "uncertainty": uncertainty,
                "topics": rows,
            }
        )
    else:
        _print_table(rows)


def _rows(
    corpus: Corpus, words: list[list[Any]], shares: Any, curves: TopicsOverTime, n_examples: int
) -> list[TopicRow]:
    """Return the topics, the largest first."""
    import numpy as np

    rows = []
    for k in np.argsort(-curves.mean_share, kind="stable").tolist():
        direction = "rises" if curves.trend[k] > 0 else "falls"
        best = np.argsort(-shares[:, k], kind="stable")[:n_examples].tolist()
        rows.append(
            TopicRow(
                topic=k,
                words=[str(word) for word in words[k]],
                share=float(curves.mean_share[k]),
                trend=float(curves.trend[k]),
                p_value=float(curves.p_value[k]),
                rises_or_falls=direction if curves.significant[k] else "",
                peak=str(curves.times[int(np.nanargmax(curves.share[k]))])[:10],
                examples=[
                    {"id": corpus.ids[i].as_py(), "text": " ".join(_text(corpus, i).split())[:SNIPPET]} for i in best
                ],
            )
        )
    return rows


def _text(corpus: Corpus, row: int) -> str:
    return "" if corpus.texts is None else corpus.texts[row].as_py() or ""


def _print_table(rows: list[TopicRow]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name, justify in (("topic", "right"), ("share", "right"), ("trend", "right"), ("words and documents", "left")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    for row in rows:
        cell = Text(one_line(" ".join(row.words)))
        for example in row.examples:
            cell.append(f"\n  {one_line(example['text'])}", style="dim")
        trend = f"{100 * row.trend:+.1f} % {row.rises_or_falls}".rstrip()
        table.add_row(str(row.topic), f"{100 * row.share:.1f} %", trend, cell)
    Console().print(table)


def _write_page(rows: list[TopicRow], curves: TopicsOverTime, name: str, path: Path) -> None:
    """Write the curves of the topics that rise or fall, and the table of all topics, as one self-contained page."""
    from driftline.figures.topics import plot_topics
    from driftline.report.table_page import Cell, TablePage, write_table_page

    shown = [row for row in rows if row.rises_or_falls][:DRAWN] or rows[:DRAWN]
    figure = plot_topics({f"{row.topic}: {', '.join(row.words[:3])}": curves.curve(row.topic) for row in shown})
    page = TablePage(
        title=f"Topics of {name}",
        kicker="What the documents are about, and how that changed.",
        figure=figure,
        description="The share of the words over time, with a 95 % band "
        f"{BAND_COVERS[curves.uncertainty]}: the topics that rise or fall, or else the "
        "largest.",
        caption="All topics, largest first",
        headings=["topic", "share", "trend", "words"],
        rows=[
            [
                Cell(str(row.topic), number=True),
                Cell(f"{100 * row.share:.1f} %", number=True),
                Cell(f"{100 * row.trend:+.1f} % {row.rises_or_falls}".rstrip(), number=True),
                Cell(", ".join(row.words), [example["text"] for example in row.examples]),
            ]
            for row in rows
        ],
    )
    write_table_page(page, path)
