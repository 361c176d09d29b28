"""`driftline fit`: fit a model to a source and save it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftline.cli.conventions import json_option, print_facts, print_json, print_table, say
from driftline.cli.options import FOLDER
from driftline.cli.source_options import SourceArguments, SourceCommand, source_options

if TYPE_CHECKING:
    import numpy as np

    from driftline.base.text_model import TextModel

LANGUAGE_MODELS = ("local-multinomial", "local-ngram")
CLASSIFIERS = ("forward", "local-logistic", "local-naive-bayes")
CANDIDATES = ("all", "documents", "time", "kernel", "average")

_LOCAL = ("local-logistic", "local-naive-bayes", *LANGUAGE_MODELS)
_OPTION_OF = {
    "candidates": ("--candidates", ("forward",)),
    "origins": ("--origins", ("forward",)),
    "horizon": ("--horizon", ("forward",)),
    "memory": ("--memory", ("forward",)),
    "bandwidth": ("--bandwidth", _LOCAL),
    "side": ("--side", _LOCAL),
    "order": ("--order", ("local-ngram",)),
    "penalty": ("--penalty-strength", ("forward", "local-logistic")),
}
"""The options that only some models have."""


@click.command(cls=SourceCommand)
@source_options
@click.option(
    "-m",
    "--model",
    "kind",
    type=click.Choice([*CLASSIFIERS, *LANGUAGE_MODELS]),
    default="forward",
    show_default=True,
    help="Model to fit; forward is a classifier that learns from the part of the past that predicts best.",
)
@click.option(
    "-o",
    "--output",
    type=FOLDER,
    required=True,
    metavar="FOLDER",
    help="Where to save the model.",
)
@click.option(
    "--candidates",
    metavar="KINDS",
    help="Candidates of the forward classifier, separated by commas: all, documents (windows of the last documents), "
    "time (of the last days), kernel (weights that fall with age), average.  [default: all of these]",
)
@click.option(
    "--origins",
    type=click.IntRange(1, 100),
    help="Number of times at which candidates are fitted, and then predict later documents.  [default: 5]",
)
@click.option(
    "--horizon",
    metavar="DURATION",
    help="Time for which the model will be used without an update, such as 90d; candidates predict that far ahead.  "
    "[default: to the end]",
)
@click.option(
    "--memory", type=click.IntRange(1), metavar="N", help="Number of documents to keep for updates.  [default: 50000]"
)
@click.option(
    "--bandwidth",
    metavar="DURATION",
    help="Bandwidth of a local model: the time span that a local fit uses, such as 30d; global uses all documents, cv "
    "selects it by cross-validation.  [default: a mixture for local-multinomial, else cv]",
)
@click.option(
    "--side",
    type=click.Choice(["both", "past"]),
    help="Let a local model use documents on both sides of a time, or only earlier ones, which suits prediction of new "
    "documents.  [default: past for classifiers, else both]",
)
@click.option("--order", type=click.IntRange(1, 8), help="Length of the n-grams of local-ngram.  [default: 3]")
@click.option(
    "--penalty-strength",
    "penalty",
    metavar="C",
    help="Inverse penalty of a logistic regression; cv selects it by cross-validation.  [default: cv]",
)
@click.option("--min-df", type=click.IntRange(1), default=2, show_default=True, help="Ignore words in fewer documents.")
@click.option("--max-words", type=click.IntRange(1), metavar="N", help="Keep only the most frequent words.")
@json_option
def fit(
    source: SourceArguments,
    kind: str,
    output: Path,
    min_df: int,
    max_words: int | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Fit a model that follows the drift of SOURCE, and save it.

    Classifiers learn from the labelled documents, language models from all documents. By default a classifier is
    selected by its predictions: at several times, candidates are fitted to the earlier documents and predict the later
    ones. Their scores are printed side by side, and the best window of the past is saved, or another candidate if it is
    clearly better.
    """
    from driftline.cli.saved_classifier import require_documents
    from driftline.compute.compilation_notice import announce_compilation
    from driftline.core.errors import InvalidInput
    from driftline.core.progress import announce
    from driftline.core.results import counted

    given = {name: value for name, value in settings.items() if value is not None}
    _refuse_others(kind, given)
    model = _model(kind, given, min_df, max_words)
    announce_compilation()
    stream = source.read()
    table = stream.table()
    require_documents(table, stream.name)
    labels = table["label"].to_numpy()
    if kind in CLASSIFIERS:
        known = table["label"].is_valid()
        table, labels = table.filter(known), labels[known.to_numpy()]
        if len(set(labels)) < 2:
            found = f"every label is {labels[0]!r}" if len(labels) else "no document has a label"
            raise InvalidInput(
                f"{found} in {stream.name}, but a classifier needs two labels; name the column with --label"
            )
    announce(f"Fitting {kind} to {counted(len(table), 'document')} ...")
    y = {"y": labels.astype(str)} if kind in CLASSIFIERS else {}
    model.fit(table["text"], times=table["time"], **y)
    inner = model.estimator_
    facts = {
        "model": kind,
        "documents": len(table),
        "rejected": stream.rejections.count,
        "words": len(model.vocabulary_),
        "labels": [str(label) for label in model.classes_] if kind in CLASSIFIERS else None,
        "bandwidth in days": _in_days(inner.bandwidth_) if hasattr(inner, "bandwidth_") else None,
        "predicts the next documents by": _leader(inner),
        "best rival": _rival(inner),
        "saved in": str(model.save(output)),
    }
    shown = {name: value for name, value in facts.items() if value is not None}
    candidates = inner.candidates_ if kind == "forward" else []
    if as_json:
        print_json(shown | ({"candidates": candidates} if kind == "forward" else {}))
        return
    print_facts(shown)
    if candidates:
        say()
        print_table(*candidate_table(candidates))
        say()
        say(choice_sentence(candidates))


def choice_sentence(candidates: list[dict[str, Any]]) -> str:
    """Return a sentence on the comparison of the candidates, and on those that are more accurate than the chosen one.

    >>> choice_sentence([{"accuracy_behind": (0, 0, 0)}, {"accuracy_behind": (-0.02, -0.03, -0.01)}])
    'Candidates are compared by log-loss, not by accuracy; 1 has a higher accuracy with an interval that excludes 0.'
    """
    ahead = sum(each["accuracy_behind"][2] < 0 for each in candidates[1:])
    compared = "Candidates are compared by log-loss, not by accuracy"
    if not ahead:
        return f"{compared}; none has a higher accuracy with an interval that excludes 0."
    return f"{compared}; {ahead} {'has' if ahead == 1 else 'have'} a higher accuracy with an interval that excludes 0."


def candidate_table(candidates: list[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Return the forward scores of the candidates side by side: headings and rows."""
    headings = ["candidate", "C", "accuracy", "log-loss", "behind, points", "95 % interval", "wins"]
    rows = []
    for number, each in enumerate(candidates):
        mean, low, high = (100 * value for value in each["accuracy_behind"])
        rows.append(
            [
                each["name"],
                ", ".join(f"{C:g}" for C in sorted(set(each["C"]))),
                f"{100 * each['accuracy']:.1f} %",
                f"{each['log_loss']:.4f}",
                f"{mean:.1f}" if number else "",
                f"{low:.1f} to {high:.1f}" if number else "",
                f"{100 * each['wins']:.0f} %",
            ]
        )
    return headings, rows


def _refuse_others(kind: str, given: dict[str, object]) -> None:
    """Refuse options that the model does not have."""
    for name in given:
        option, kinds = _OPTION_OF[name]
        if kind not in kinds:
            raise click.UsageError(f"{option} is an option of {', '.join(kinds)}, not of {kind}")


def _model(kind: str, given: dict[str, Any], min_df: int, max_words: int | None) -> TextModel:
    from driftline.base.text_model import TextModel
    from driftline.local.logistic.local_logistic_regression import LocalLogisticRegression
    from driftline.local.multinomial.local_multinomial import LocalMultinomial
    from driftline.local.naive_bayes.local_naive_bayes import LocalNaiveBayes
    from driftline.local.ngram.local_ngram import LocalNGram
    from driftline.monitoring.text_classifier import TextClassifier

    if kind == "forward":
        return TextClassifier(_forward(given), min_df=min_df, max_features=max_words)
    default = "mix" if kind == "local-multinomial" else "cv"
    forward = "past" if kind in CLASSIFIERS else "both"
    shared: dict[str, Any] = {"bandwidth": given.get("bandwidth", default), "side": given.get("side", forward)}
    if kind == "local-logistic":
        C = _penalty(given.get("penalty", "cv"))
        return TextClassifier(LocalLogisticRegression(C=C, **shared), min_df=min_df, max_features=max_words)
    if kind == "local-naive-bayes":
        return TextClassifier(LocalNaiveBayes(**shared), weighting="counts", min_df=min_df, max_features=max_words)
    estimator: Any = LocalMultinomial(**shared)
    if kind == "local-ngram":
        estimator = LocalNGram(order=given.get("order", 3), **shared)
    weighting = "sequences" if kind == "local-ngram" else "counts"
    return TextModel(estimator, weighting=weighting, min_df=min_df, max_features=max_words)


def _forward(given: dict[str, Any]) -> Any:
    from driftline.local.forward.forward_classifier import ForwardClassifier

    settings: dict[str, Any] = {"verbose": True}
    if "candidates" in given:
        kinds = [name.strip() for name in given["candidates"].split(",")]
        wrong = [name for name in kinds if name not in CANDIDATES]
        if wrong or kinds == ["average"]:
            raise click.BadParameter(
                f"{given['candidates']!r} is not a list of {', '.join(CANDIDATES)}; average needs others to average",
                param_hint="--candidates",
            )
        settings["candidates"] = kinds
    C = _penalty(given.get("penalty", "cv"))
    if not isinstance(C, str):
        settings["C"] = C
    settings |= {to: given[name] for name, to in (("origins", "n_origins"), ("horizon", "horizon")) if name in given}
    return ForwardClassifier(**settings | ({"memory": given["memory"]} if "memory" in given else {}))


def _penalty(given: str) -> float | str:
    if given == "cv":
        return given
    try:
        return float(given)
    except ValueError:
        raise click.BadParameter(f"{given!r} is neither a number nor cv", param_hint="--penalty-strength") from None


def _leader(estimator: object) -> str | None:
    """Return the fit that predicts beyond the newest document, if several were compared."""
    if hasattr(estimator, "chosen_"):
        return str(estimator.chosen_)
    standing = getattr(estimator, "standing_", None)
    return standing[0][0] if standing else None


def _rival(estimator: Any) -> str | None:
    rival = getattr(estimator, "rival_", "none")
    return None if rival == "none" else f"{rival}, {estimator.lead_}"


def _in_days(bandwidth: float | np.ndarray) -> str:
    if isinstance(bandwidth, float):
        return "global" if bandwidth == float("inf") else f"{bandwidth:.4g}"
    finite = sorted({float(width) for width in bandwidth})
    return f"{finite[0]:.4g} to {finite[-1]:.4g}"
