"""`driftline topics`: the topics of a source, and which of them rise or fall."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import click

from driftline.cli.conventions import json_option, print_json, say
from driftline.cli.options import EXISTING_FILE, FILE
from driftline.cli.source_options import SourceArguments, SourceCommand, source_options
from driftline.cli.text_options import TextArguments, text_options
from driftline.cli.topics_table import TopicRow, print_topics

if TYPE_CHECKING:
    from driftline.analysis.group_differences import GroupDifferences
    from driftline.base.topic_model import TopicModel
    from driftline.core.arrays import Floats
    from driftline.guidance import Guide, WishReport
    from driftline.streams.corpus import Corpus
    from driftline.streams.preparation import Prepared
    from driftline.streams.stream import Stream
    from driftline.topics import TopicMap
    from driftline.topics.over_time import TopicsOverTime

SNIPPET = 160


@click.command(cls=SourceCommand)
@source_options
@click.option(
    "-k",
    "--topics",
    "n_topics",
    type=click.IntRange(1),
    help="Number of topics.  [default: 20, or one per 100 distinct documents if these are fewer than 2,000; plain LDA "
    "20; with --guide at least twice as many as it names]",
)
@click.option(
    "--guide",
    "guide_file",
    type=EXISTING_FILE,
    help="TOML file with wishes about topics (see `driftline guide init`); uses plain LDA.",
)
@click.option(
    "--compare", metavar="COLUMN", help="Also compare the groups of this column: topics and words that differ."
)
@click.option(
    "--embeddings",
    type=EXISTING_FILE,
    help="NumPy file (.npy) with one vector per document of SOURCE, in its order.",
)
@click.option(
    "--inference",
    type=click.Choice(["online", "gibbs", "vb"]),
    help="Use plain LDA, inferred by this method, instead of a topic map.",
)
@click.option(
    "--engine",
    type=click.Choice(["threads", "dask", "gpu", "auto"]),
    help="Use plain LDA, learned on all cores, on Dask workers or on a graphics processor; auto chooses.",
)
@click.option(
    "--top", "n_words", type=click.IntRange(1, 100), default=8, show_default=True, help="Number of words per topic."
)
@click.option(
    "--examples", type=click.IntRange(0, 20), default=2, show_default=True, help="Number of documents per topic."
)
@click.option("--min-df", type=click.IntRange(1), default=3, show_default=True, help="Ignore words in fewer documents.")
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Random seed; the same seed gives the same topics.",
)
@click.option(
    "--html",
    type=FILE,
    help="Write a page with curves, table, map and tree to this file.",
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
    n_topics: int | None,
    guide_file: Path | None,
    compare: str | None,
    embeddings: Path | None,
    inference: str | None,
    engine: str | None,
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
    """Find the topics of SOURCE: their names, words and shares, and how they change.

    A topic's share is the share of the words assigned to it. A topic rises or falls if a linear trend in its share is
    significant at a false discovery rate of 5 % among the topics, with days as the independent units.
    """
    from driftline.cli.differences import print_differences
    from driftline.cli.guided_topics import guided_number, read_guide, wish_notes
    from driftline.cli.output_path import check_output
    from driftline.cli.topics_page import write_topics_page
    from driftline.core.errors import InvalidInput
    from driftline.core.progress import announce
    from driftline.core.results import counted
    from driftline.streams.preparation import prepare
    from driftline.topics import topics_over_time

    if html is not None:
        check_output(html, source.source, "--html")
    if embeddings is not None and (inference or engine or guide_file):
        raise InvalidInput("plain LDA cannot use --embeddings; leave out --inference, --engine and --guide")
    if embeddings is not None and uncertainty == "topics":
        raise InvalidInput("--uncertainty topics refits the model to words alone; leave out --embeddings")
    if compare is not None:
        source = source.labelled_by(compare, "--compare")
    stream = source.read()
    prepared = prepare(stream, **text.options)
    corpus = _counted(prepared, min_df)
    if not corpus.counts.nnz:
        raise InvalidInput("no word is in enough documents to find topics; lower --min-df or supply more documents")
    guide = None if guide_file is None else read_guide(guide_file, corpus)
    if guide or inference or engine:
        n_topics = guided_number(n_topics, guide)
    number = "" if n_topics is None else f"{n_topics} "
    announce(
        f"learning {number}topics from {counted(len(corpus), 'document')}; the first run compiles code and takes longer"
    )
    vectors = None if embeddings is None else _vectors(embeddings, stream, corpus)
    found = _fitted(corpus, n_topics, n_words, seed, inference, engine, vectors, guide)
    model = found.model
    curves = topics_over_time(model, corpus.counts, times=corpus.times, uncertainty=uncertainty, random_state=seed)
    rows = _rows(corpus, found, curves, examples)
    differences = None if compare is None else _differences(prepared, stream, corpus, found, seed)
    if save is not None:
        model.save(save)
    if html is not None:
        write_topics_page(rows, found, curves, differences, Path(source.source).name, html)
    if as_json:
        print_json(
            {
                "documents": len(corpus),
                "words": len(corpus.vocabulary),
                "source_kind": prepared.source_kind.kind,
                "not_counted": list(prepared.left_out),
                "uncertainty": uncertainty,
                "model": found.described,
                "notes": found.notes,
                "wishes": found.wishes,
                "topics": rows,
                **({} if differences is None else {"differences": differences}),
            }
        )
    else:
        print_topics(rows)
        for note in found.notes:
            say(f"Note: {note}.")
        for note in wish_notes(found.wishes):
            say(note)
        if differences is not None:
            say()
            print_differences(differences)


def _differences(prepared: Prepared, stream: Stream, corpus: Corpus, found: Fitted, seed: int) -> GroupDifferences:
    """Compare the groups of the documents by the topics that were found."""
    from driftline.analysis.compared_sources import compare_groups, grouped_by_label
    from driftline.analysis.group_differences import NamedTopics

    topics = NamedTopics(found.model, corpus.counts, found.names, found.words)
    return compare_groups(grouped_by_label(prepared, stream), topics=topics, random_state=seed)


def _counted(prepared: Prepared, min_df: int) -> Corpus:
    """Count the words that are in at most half of the documents; if there are none, all words."""
    from driftline.core.errors import InvalidInput
    from driftline.core.results import counted

    for share in (0.5, 1.0):
        try:
            return prepared.corpus(min_df=min_df, max_df=share)
        except InvalidInput:
            continue
    n = len(prepared.corpus())  # its own errors name the cause if there is no document, or no word at all
    there = counted(n, "distinct document")
    raise InvalidInput(f"no word is in {min_df} documents ({there}); lower --min-df or supply more documents")


class Fitted(NamedTuple):
    """A fitted model, its name, notes on the fit, and its topics: shares by document, words, names, states.

    Under a guide, `wishes` reports whether each wish was heeded, and `first` contains the numbers of the named topics.
    `near` contains, for each topic of a map, others with many of the same words.
    """

    model: TopicModel
    described: str
    notes: list[str]
    shares: Floats
    words: list[list[str]]
    names: list[str]
    states: list[str]
    wishes: list[WishReport]
    first: list[int]
    near: list[list[int]]


def _fitted(
    corpus: Corpus,
    n_topics: int | None,
    n_words: int,
    seed: int,
    inference: str | None,
    engine: str | None,
    vectors: Floats | None,
    guide: Guide | None,
) -> Fitted:
    """Fit a topic map, or plain LDA if a guide, an inference method or an engine is given."""
    from driftline.cli.guided_topics import DEFAULT_TOPICS, fit_guided
    from driftline.guidance.kept_topics import topic_names
    from driftline.topics import LDA, TopicMap, show_words

    if guide is not None:
        guided = fit_guided(corpus, guide, n_topics or DEFAULT_TOPICS, seed, inference or "online", engine or "threads")
        words = [[str(word) for word in row] for row in show_words(guided, corpus.counts, n_words)]
        given = topic_names(guided)
        named = [k for k, name in enumerate(given) if name != str(k)]
        names = [given[k] if k in named else ", ".join(row[:3]) for k, row in enumerate(words)]
        states = ["guided" if k in named else "" for k in range(len(words))]
        shares = guided.transform(corpus.counts)
        return Fitted(
            guided, "LDA with a guide", [], shares, words, names, states, list(guided.guide_report_), named, []
        )
    if inference or engine:
        lda = LDA(
            n_topics or DEFAULT_TOPICS,
            inference=inference or "online",
            engine=engine or "threads",
            n_jobs=-1,
            random_state=seed,
            vocabulary=corpus.vocabulary,
        )
        shares = lda.fit(corpus.counts).transform(corpus.counts)
        words = [[str(word) for word in row] for row in show_words(lda, corpus.counts, n_words)]
        plain = [", ".join(row[:3]) for row in words]
        return Fitted(lda, "LDA", [], shares, words, plain, [""] * len(words), [], [], [])
    found = TopicMap(n_topics, n_words=n_words, n_jobs=-1, random_state=seed, vocabulary=corpus.vocabulary)
    found.fit(corpus.counts, texts=corpus.texts, times=corpus.times, embeddings=vectors)
    cards = found.topics_
    return Fitted(
        found,
        found.model_,
        [*found.notes_, *_unsure(found)],
        found.transform(corpus.counts, embeddings=vectors if found.uses_embeddings_ else None),
        [[str(word) for word in card.words] for card in cards],
        [card.name for card in cards],
        [card.state for card in cards],
        [],
        [],
        [card.near for card in cards],
    )


def _unsure(found: TopicMap) -> list[str]:
    """Return a note on documents in which no topic has half of the words, if there are any."""
    from driftline.core.results import counted

    n, of = len(found.unsure_), counted(len(found.labels_), "document")
    return [f"{n:,} of {of}: no topic has half of the words; counted for the topic that has most"] if n else []


def _vectors(path: Path, stream: Stream, corpus: Corpus) -> Floats:
    """Return the embeddings of the counted documents, found by id: a source may be out of order or have duplicates."""
    import numpy as np

    from driftline.core.errors import InvalidInput
    from driftline.topics.embedding_view import checked_embeddings

    try:
        vectors = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise InvalidInput(f"--embeddings {path.name} is not a NumPy array of numbers: {error}") from None
    if not isinstance(vectors, np.ndarray) or vectors.ndim != 2 or vectors.dtype.kind not in "fiu":
        raise InvalidInput(f"--embeddings {path.name} must contain one array of numbers, documents × dimensions")
    ids = [one for batch in stream.batches() for one in batch.column("id").to_pylist()]
    if len(vectors) != len(ids):
        raise InvalidInput(
            f"--embeddings {path.name} has {len(vectors):,} rows for {len(ids):,} documents that could be read "
            f"({stream.rejections.count:,} could not); give one row per document"
        )
    vectors = checked_embeddings(vectors, len(ids))  # before rows are selected, so that errors name rows of the file
    place = {one: row for row, one in enumerate(ids)}
    if len(place) < len(ids):
        raise InvalidInput("--embeddings needs documents with distinct ids, which match rows to documents")
    found: Floats = vectors[[place[one] for one in corpus.ids.to_pylist()]]
    return found


def _rows(corpus: Corpus, found: Fitted, curves: TopicsOverTime, n_examples: int) -> list[TopicRow]:
    """Return the topics: those that a guide names, then clear ones, mixed ones and the rest, the largest first."""
    import numpy as np

    from driftline.text.word_columns import columns_of
    from driftline.topics.topic_cards import example_rows
    from driftline.topics.topic_states import reading_order

    rows = []
    order = reading_order(found.states, curves.mean_share)
    main = np.bincount(found.shares.argmax(axis=1), minlength=len(order)) / len(corpus)
    shown = np.array([columns_of(words, corpus.vocabulary, len(corpus.vocabulary))[0] for words in found.words])
    examples = example_rows(found.shares, corpus.counts, shown, n_examples)
    free = [k for k in order.tolist() if k not in found.first]
    for k in [*found.first, *free]:
        direction = "rises" if curves.trend[k] > 0 else "falls"
        best = [row for row in examples[k].tolist() if row >= 0]
        rows.append(
            TopicRow(
                topic=k,
                name=found.names[k],
                state=found.states[k],
                words=found.words[k],
                near=[found.names[other] for other in found.near[k]] if found.near else [],
                share=float(curves.mean_share[k]),
                documents=float(main[k]),
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
