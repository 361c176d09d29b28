"""`driftline search`: the documents of a source that match a query, best first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from driftline.cli.conventions import json_option, print_json, say
from driftline.cli.options import FOLDER
from driftline.cli.source_options import SourceArguments, SourceCommand, source_options
from driftline.cli.text_options import stop_words_option

if TYPE_CHECKING:
    from driftline.graphs.search.search_index import SearchIndex, SearchResult
    from driftline.streams.stream import Stream

SNIPPET_WIDTH = 200
"""Characters of a snippet."""


@click.command(cls=SourceCommand)
@source_options
@click.argument("query", nargs=-1, required=True, metavar="QUERY...")
@click.option("--around", metavar="PERIOD", help="Prefer documents near a period, such as 2001-10.")
@click.option(
    "-n", "--number", type=click.IntRange(1, 10_000), default=10, show_default=True, help="Number of documents to list."
)
@click.option(
    "--dependence",
    type=click.Choice(["sequential", "independent", "full"]),
    default="sequential",
    show_default=True,
    help="Score words and neighbouring pairs, words only, or all subsets of words.",
)
@click.option(
    "--potentials",
    type=click.Choice(["dirichlet", "bm25"]),
    default="dirichlet",
    show_default=True,
    help="Language model with Dirichlet smoothing, or BM25.",
)
@click.option(
    "--time-feedback/--no-time-feedback",
    default=True,
    show_default=True,
    help="If the best documents cluster in time, prefer documents from that time.",
)
@stop_words_option
@click.option(
    "--stemmer", metavar="LANGUAGE", help="Match all forms of a word, such as english; needs the extra `stem`."
)
@click.option(
    "--index",
    "folder",
    type=FOLDER,
    metavar="FOLDER",
    help="Keep the index in this folder; only documents whose id is new are added.",
)
@json_option
def search(
    source: SourceArguments,
    query: tuple[str, ...],
    around: str | None,
    number: int,
    dependence: str,
    potentials: str,
    time_feedback: bool,
    stop_words: object,
    stemmer: str | None,
    folder: Path | None,
    as_json: bool,
) -> None:
    """List the documents of SOURCE that match QUERY, best first, with snippets.

    Put a phrase that must occur in double quotes inside the query: 'burst "gas pipeline"'.
    """
    from driftline.graphs.search import TermDependenceRanker
    from driftline.graphs.search.date_periods import period_of
    from driftline.graphs.search.queries import parse_query
    from driftline.text.tokenise import Tokenizer

    if around is not None:
        period_of(around)
    wanted = " ".join(query)
    parse_query(wanted, Tokenizer())  # a malformed query is reported before documents are read
    ranker = TermDependenceRanker(dependence, potentials, "feedback" if time_feedback else None)
    index = _index(source.read(), folder, stop_words, stemmer)
    result = index.search(wanted, n=number, ranker=ranker, around=around, width=SNIPPET_WIDTH)
    if as_json:
        print_json({"query": wanted, "documents": len(index), **result._asdict()})
    else:
        _print(result, len(index))


def _index(stream: Stream, folder: Path | None, stop_words: object, stemmer: str | None) -> SearchIndex:
    """Return the index of a source, kept in a folder if one is given."""
    import pyarrow.compute as pc

    from driftline.core.errors import InvalidInput
    from driftline.graphs.search.index_folder import LIST
    from driftline.graphs.search.search_index import SearchIndex
    from driftline.streams.stream import Stream
    from driftline.text.languages import find_language
    from driftline.text.stopwords import stop_words_for
    from driftline.text.tokenise import Tokenizer

    table = stream.table()
    if stream.rejections.count:
        say(f"{stream.rejections.count:,} records could not be read; `driftline read` lists them.", err=True)
    if folder is not None and (folder / LIST).exists():
        index = SearchIndex.open(folder)
        if stop_words != "auto" or stemmer not in (None, index.tokenizer.stemmer):
            raise InvalidInput(f"the index in {folder} has its own stop words and stemmer; omit these options")
        import pyarrow as pa

        known = pa.array(list(index.ids()), pa.string())
        new = table.filter(pc.invert(pc.is_in(table["id"], value_set=known)))
        if len(new):
            index.append(Stream.from_table(new))
        return index
    words = stop_words_for(stop_words, find_language(table["text"]).codes)
    return SearchIndex(Stream.from_table(table), path=folder, tokenizer=Tokenizer(stop_words=words, stemmer=stemmer))


def _print(result: SearchResult, n_documents: int) -> None:
    from driftline.core.display import one_line

    for place, hit in enumerate(result.hits, start=1):
        say(f"{place:>3}  {str(hit.time)[:16].replace('T', ' ')}  {one_line(hit.id, 40)}  {hit.score:.2f}")
        say(f"     {one_line(hit.snippet)}")
    say(f"{'' if not result.hits else chr(10)}{result.n_matching:,} of {n_documents:,} documents match.")
    if result.used_time:
        say("The best documents cluster in time, which was used to rank them; --no-time-feedback ignores it.")
    for note in result.notes:
        say(f"Note: {note}.")
