"""`driftline fit`: fit a model to a source and save it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftline.cli.conventions import json_option, print_facts, print_json
from driftline.cli.source_options import SourceArguments, source_options

if TYPE_CHECKING:
    from driftline.base.text_model import TextModel

LANGUAGE_MODELS = ("local-multinomial", "local-ngram")
CLASSIFIERS = ("local-logistic", "local-naive-bayes")


@click.command()
@source_options
@click.option(
    "-m", "--model", "kind", type=click.Choice([*CLASSIFIERS, *LANGUAGE_MODELS]), required=True, help="Model to fit."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    metavar="FOLDER",
    help="Where to save the model.",
)
@click.option(
    "--bandwidth",
    metavar="DURATION",
    help="Bandwidth: the time span that a local fit uses, such as 30d; global uses all, cv selects it.  "
    "[default: a mixture for local-multinomial, else cv]",
)
@click.option(
    "--side",
    type=click.Choice(["both", "past"]),
    help="Use documents on both sides of a time, or only earlier ones, which suits prediction of new documents.  "
    "[default: past for classifiers, else both]",
)
@click.option("--order", type=click.IntRange(1, 8), default=3, show_default=True, help="Length of the n-grams.")
@click.option(
    "--penalty-strength",
    "C",
    metavar="C",
    default="cv",
    show_default=True,
    help="Inverse penalty of the logistic regression; cv selects it.",
)
@click.option("--min-df", type=click.IntRange(1), default=2, show_default=True, help="Ignore words in fewer documents.")
@click.option("--max-words", type=click.IntRange(1), metavar="N", help="Keep only the most frequent words.")
@json_option
def fit(
    source: SourceArguments,
    kind: str,
    output: Path,
    bandwidth: str | None,
    side: str | None,
    order: int,
    C: str,
    min_df: int,
    max_words: int | None,
    as_json: bool,
) -> None:
    """Fit a model that follows the drift of SOURCE, and save it.

    Classifiers learn from the labelled documents, language models from all documents.
    """
    from driftline.compute.compilation_notice import announce_compilation
    from driftline.core.errors import InvalidInput
    from driftline.core.progress import announce

    announce_compilation()
    stream = source.read()
    table = stream.table()
    labels = table["label"].to_numpy()
    if kind in CLASSIFIERS:
        known = table["label"].is_valid()
        table, labels = table.filter(known), labels[known.to_numpy()]
        if len(set(labels)) < 2:
            raise InvalidInput(
                f"{stream.name} has {len(set(labels))} different labels, but a classifier needs two; "
                f"name the column with --label"
            )
    model = _model(kind, bandwidth, side, order, C, min_df, max_words)
    announce(f"Fitting {kind} to {len(table):,} documents ...")
    y = {"y": labels.astype(str)} if kind in CLASSIFIERS else {}
    model.fit(table["text"], times=table["time"], **y)
    facts = {
        "model": kind,
        "documents": len(table),
        "rejected": stream.rejections.count,
        "words": len(model.vocabulary_),
        "labels": [str(label) for label in model.classes_] if kind in CLASSIFIERS else None,
        "bandwidth in days": _in_days(model.estimator_.bandwidth_),
        "predicts the next documents by": _leader(model.estimator_),
        "saved in": str(model.save(output)),
    }
    shown = {name: value for name, value in facts.items() if value is not None}
    print_json(shown) if as_json else print_facts(shown)


def _model(
    kind: str, bandwidth: str | None, side: str | None, order: int, C: str, min_df: int, max_words: int | None
) -> TextModel:
    from driftline.base.text_model import TextModel
    from driftline.local.logistic.local_logistic_regression import LocalLogisticRegression
    from driftline.local.multinomial.local_multinomial import LocalMultinomial
    from driftline.local.naive_bayes.local_naive_bayes import LocalNaiveBayes
    from driftline.local.ngram.local_ngram import LocalNGram

    default = "mix" if kind == "local-multinomial" else "cv"
    forward = "past" if kind in CLASSIFIERS else "both"
    shared: dict[str, Any] = {"bandwidth": default if bandwidth is None else bandwidth, "side": side or forward}
    estimator: Any
    if kind == "local-logistic":
        estimator = LocalLogisticRegression(C=_penalty(C), **shared)
    elif kind == "local-naive-bayes":
        estimator = LocalNaiveBayes(**shared)
    elif kind == "local-ngram":
        estimator = LocalNGram(order=order, **shared)
    else:
        estimator = LocalMultinomial(**shared)
    weighting = {"local-logistic": "tf-idf", "local-ngram": "sequences"}.get(kind, "counts")
    return TextModel(estimator, weighting=weighting, min_df=min_df, max_features=max_words)


def _penalty(given: str) -> float | str:
    if given == "cv":
        return given
    try:
        return float(given)
    except ValueError:
        raise click.BadParameter(f"{given!r} is neither a number nor cv", param_hint="--penalty-strength") from None


def _leader(estimator: Any) -> str | None:
    """Return the fit that predicts beyond the newest document, if several were compared."""
    standing = getattr(estimator, "standing_", None)
    return standing[0][0] if standing else None


def _in_days(bandwidth: Any) -> str:
    if isinstance(bandwidth, float):
        return "global" if bandwidth == float("inf") else f"{bandwidth:.4g}"
    finite = sorted({float(width) for width in bandwidth})
    return f"{finite[0]:.4g} to {finite[-1]:.4g}"
