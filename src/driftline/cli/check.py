"""`driftline check`: test whether new documents have drifted from those that a classifier learned from."""

from __future__ import annotations

from pathlib import Path

import click

from driftline.cli.conventions import FAILED_CHECK, json_option, print_json, print_table, say
from driftline.cli.options import FILE, saved_model
from driftline.cli.source_options import SourceArguments, SourceCommand, source_options

_POINTS = click.FloatRange(0, 100)


@click.command(cls=SourceCommand)
@saved_model
@source_options
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.01,
    show_default=True,
    help="Probability of any false alarm.",
)
@click.option(
    "--unknown-rise",
    type=_POINTS,
    default=1.0,
    show_default=True,
    metavar="POINTS",
    help="Tolerated rise of the share of unknown words, in points.",
)
@click.option(
    "--divergence",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    metavar="BITS",
    help="Tolerated divergence of the words, beyond that of randomly permuted days.",
)
@click.option(
    "--share-change",
    type=_POINTS,
    default=5.0,
    show_default=True,
    metavar="POINTS",
    help="Tolerated change of the mean probabilities of the labels, in points.",
)
@click.option(
    "--error-rise",
    type=_POINTS,
    default=2.0,
    show_default=True,
    metavar="POINTS",
    help="Tolerated rise of the share of errors, in points.",
)
@click.option(
    "--words", "n_words", type=click.IntRange(0), default=20, show_default=True, help="Number of changed words to list."
)
@click.option(
    "--false-discovery-rate",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="False discovery rate of the changed words.",
)
@click.option(
    "--permutations",
    type=click.IntRange(99),
    default=999,
    show_default=True,
    help="Number of random permutations of the days.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the permutations.")
@click.option("-o", "--output", type=FILE, metavar="FILE", help="Also write an HTML page.")
@json_option
@click.pass_context
def check(
    ctx: click.Context,
    model: Path,
    source: SourceArguments,
    alpha: float,
    unknown_rise: float,
    divergence: float,
    share_change: float,
    error_rise: float,
    n_words: int,
    false_discovery_rate: float,
    permutations: int,
    seed: int,
    output: Path | None,
    as_json: bool,
) -> None:
    """Test whether SOURCE has drifted from the documents that MODEL learned from.

    The words, the predictions and, if SOURCE has labels, the errors are tested. A part fails if its change is
    significant and larger than tolerated. The exit code is 3 if a part fails, and 0 otherwise.
    """
    from driftline.cli.output_path import check_output
    from driftline.cli.saved_classifier import load_classifier, require_documents
    from driftline.monitoring.drift_check import Thresholds, check_drift
    from driftline.report.check_page import part_sentence, word_row, write_check_page

    if output is not None:
        check_output(output, source.source)
    fitted = load_classifier(model, "check")
    stream = source.read()
    table = stream.table()
    require_documents(table, stream.name)
    found = check_drift(
        fitted,
        table["text"],
        table["label"].to_pylist(),
        times=table["time"],
        thresholds=Thresholds(alpha, unknown_rise / 100, divergence, share_change / 100, error_rise / 100),
        false_discovery_rate=false_discovery_rate,
        n_words=n_words,
        n_permutations=permutations,
        random_state=seed,
    )
    if output is not None:
        write_check_page(found, output, f"{model.name} on {stream.name}")
    if as_json:
        print_json(found)
    else:
        for part in found.parts:
            say(part_sentence(part))
        if found.words:
            say()
            print_table(
                ["word", "before", "now", "ratio", "95 % interval", "to the model"], list(map(word_row, found.words))
            )
        say()
        say("The check failed." if not found.passed else "The check passed.")
    if not found.passed:
        ctx.exit(FAILED_CHECK)
