"""`driftline regimes`: when the volume, a topic, a label or a word of a source changed from one level to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from driftline.cli.conventions import json_option, print_json, print_table, say
from driftline.cli.source_options import SourceArguments, SourceCommand, source_options
from driftline.cli.text_options import TextArguments, text_options
from driftline.core.errors import InvalidInput

if TYPE_CHECKING:
    from driftline.analysis.findings.turning_points import Steps, TurningPoint
    from driftline.streams.corpus import Corpus

LEAST_SHOWN = 0.05
"""Smallest level that is written as a number."""


@click.command(cls=SourceCommand)
@source_options
@click.option(
    "--of",
    "series",
    type=click.Choice(["volume", "topic", "label", "word"]),
    default="volume",
    show_default=True,
    help="Series to analyse: documents per day, or the shares of topics, labels or words.",
)
@click.option("--word", "words", multiple=True, metavar="WORD", help="A word, for --of word; may be repeated.")
@click.option(
    "-k", "--topics", "n_topics", type=click.IntRange(2), default=10, show_default=True, help="Number of topics."
)
@click.option(
    "--least-probability",
    type=click.FloatRange(0, 1),
    default=0.9,
    show_default=True,
    help="List changes that are at least this probable.",
)
@text_options
@json_option
def regimes(
    source: SourceArguments,
    series: str,
    words: tuple[str, ...],
    n_topics: int,
    least_probability: float,
    text: TextArguments,
    as_json: bool,
) -> None:
    """List when a series of SOURCE changed from one level to another.

    Levels are the states of a hidden Markov chain that keeps its state with probability 0.99 per step; a step is a day,
    or longer if the stream is long. The probability of a change is that of a change in the same direction at most three
    steps away. Without --word, the twenty words that changed most are used. The level of the volume is in documents per
    day (per week, month or year if they are few); that of a topic, label or word is its number of documents per 1,000.
    """
    from driftline.analysis.findings.turning_points import FEWEST_STEPS, steps_of, volume_turning_points
    from driftline.streams.preparation import prepare

    if words and series != "word":
        raise InvalidInput("--word is for --of word")
    prepared = prepare(source.read(), **text.options)
    corpus = prepared.corpus(min_df=2 if series != "volume" else 1)
    if series == "volume":
        found = volume_turning_points(corpus.times)
    else:
        steps = steps_of(corpus.times)
        if len(steps.totals) < FEWEST_STEPS:
            raise InvalidInput(f"the stream spans {len(steps.totals)} days; at least {FEWEST_STEPS} are needed")
        found = _found(corpus, steps, series, words, n_topics)
    probable = [point for point in found if point.probability >= least_probability]
    if as_json:
        print_json(probable)
        return
    if probable:
        _print(probable)
    else:
        say("No change of level was found." if not found else "No change of level is that probable.")
    if len(found) > len(probable):
        say(
            f"{len(found) - len(probable):,} less probable changes are not listed; --least-probability 0 lists them.",
            err=True,
        )


def _print(points: list[TurningPoint]) -> None:
    per, unit = _unit_of_levels(points)
    print_table(
        ["time", "earliest", "latest", "series", f"per {per} before", "after", "probability"],
        [
            (
                *(moment[:10] for moment in (p.time, p.earliest, p.latest)),
                *(p.name or p.of, _level(unit * p.before), _level(unit * p.after), f"{p.probability:.2f}"),
            )
            for p in sorted(points, key=lambda point: point.time)
        ],
    )


def _unit_of_levels(points: list[TurningPoint]) -> tuple[str, float]:
    """Return the unit of levels: the shortest period with a document at the highest level, or 1,000 documents."""
    from driftline.report.sentences import PERIODS

    if points[0].of != "volume":
        return "1,000", 1_000.0
    highest = max(max(p.before, p.after) for p in points)
    periods = [(name, length) for name, length in PERIODS if length >= 1]
    return next(((name, length) for name, length in periods if length * highest >= 1), periods[-1])


def _level(value: float) -> str:
    """Return a level with three digits; a level near zero is only given as below `LEAST_SHOWN`."""
    return f"{value:.3g}" if value >= LEAST_SHOWN else f"< {LEAST_SHOWN}"


def _found(corpus: Corpus, steps: Steps, series: str, words: tuple[str, ...], n_topics: int) -> list[TurningPoint]:
    import numpy as np

    from driftline.analysis.findings.turning_points import (
        MOST_WORDS,
        label_turning_points,
        turning_points,
        word_turning_points,
    )

    if series == "label":
        if corpus.labels is None:
            raise InvalidInput("the documents have no labels; choose another series with --of")
        return list(label_turning_points(corpus, steps))
    if series == "topic":
        from driftline.topics import LDA

        model = LDA(n_topics, random_state=0).fit(corpus.counts)
        shares, names = model.transform(corpus.counts), np.asarray(corpus.vocabulary.words)
        found = []
        for topic in range(n_topics):
            top = ", ".join(names[np.argsort(-model.components_[topic], kind="stable")[:3]])
            found += turning_points(steps, shares[:, topic], "topic", top)
        return found
    if words:
        columns = corpus.vocabulary.index([word.lower() for word in words])
        if (columns < 0).any():
            missing = words[int(np.argmax(columns < 0))]
            raise InvalidInput(f"the word {missing!r} is in fewer than two documents, or is a stop word")
        return list(word_turning_points(corpus, steps, columns))
    from driftline.local import changed_words

    tests = changed_words(corpus.counts, times=corpus.times, events=False)
    order = np.argsort(-tests.information, kind="stable")
    return list(word_turning_points(corpus, steps, tests.columns[order][tests.lasting[order]][:MOST_WORDS]))
