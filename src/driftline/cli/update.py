"""`driftline update`: update a saved classifier with new documents."""

from __future__ import annotations

from pathlib import Path

import click

from driftline.cli.conventions import json_option, print_facts, print_json
from driftline.cli.options import FOLDER, saved_model
from driftline.cli.source_options import SourceArguments, SourceCommand, source_options
from driftline.core.errors import InvalidInput


@click.command(cls=SourceCommand)
@saved_model
@source_options
@click.option(
    "-o",
    "--output",
    type=FOLDER,
    metavar="FOLDER",
    help="Where to save the updated model.  [default: in place of MODEL]",
)
@click.option(
    "--new-labels",
    type=click.Choice(["stop", "learn", "skip"]),
    default="stop",
    show_default=True,
    help="What to do if documents have labels that the model has never seen: change nothing, learn the labels, or "
    "leave these documents out.",
)
@json_option
def update(model: Path, source: SourceArguments, output: Path | None, new_labels: str, as_json: bool) -> None:
    """Update the saved classifier MODEL with the labelled documents of SOURCE.

    Documents that it has already learned from (same text, label and time) are left out, so the command may be repeated.
    The new documents are predicted first, which shows the accuracy of the model before the update. The model is
    replaced in one step: if the command is interrupted, the old one is kept.
    """
    from driftline.cli.state_folder import locked_model

    # Locked from loading to saving: otherwise the later of two simultaneous updates would undo the earlier one
    with locked_model(model if output is None else output, "update"):
        facts = _learned(model, source, output, new_labels)
    print_json(facts) if as_json else print_facts(facts)


def _learned(model: Path, source: SourceArguments, output: Path | None, new_labels: str) -> dict[str, object]:
    """Load, update and save the classifier; return the facts to print."""
    import numpy as np

    from driftline.cli.saved_classifier import load_classifier, require_documents
    from driftline.cli.score_output import in_percent
    from driftline.compute.compilation_notice import announce_compilation
    from driftline.core.progress import announce
    from driftline.core.results import counted
    from driftline.evaluation.classification_scores import classification_scores

    fitted = load_classifier(model, "update")
    if not hasattr(fitted, "partial_fit"):
        raise InvalidInput(f"{model} was fitted with --side both, which cannot be updated; fit it with --side past")
    announce_compilation()
    stream = source.read()
    table = stream.table()
    require_documents(table, stream.name)
    labelled = table["label"].is_valid()
    n_unlabelled = len(table) - int(labelled.to_numpy().sum())
    table = table.filter(labelled)
    if not len(table):
        raise InvalidInput(f"no document of {stream.name} has a label to learn from; name the column with --label")
    labels = table["label"].to_numpy().astype(str)
    seen = np.isin(labels, [str(label) for label in fitted.classes_])
    names = sorted(set(labels[~seen].tolist()))
    n_new = int((~seen).sum())
    if names and new_labels == "stop":
        raise InvalidInput(
            f"{counted(n_new, 'document')} of {stream.name} {'has a label' if n_new == 1 else 'have labels'} that the "
            f"model has never seen ({', '.join(names[:5])}); nothing was learned. Learn these labels with "
            "--new-labels learn, or leave the documents out with --new-labels skip"
        )
    if names and new_labels == "learn" and not getattr(fitted.estimator_, "learns_new_classes", False):
        raise InvalidInput(f"{model} cannot learn the new labels {', '.join(names[:5])}; fit a new model")
    kept = seen if new_labels == "skip" else np.ones(len(labels), dtype=bool)
    table, labels, seen = table.filter(kept), labels[kept], seen[kept]
    texts, times = table["text"], table["time"]
    fresh = ~fitted.is_learned(texts, labels, times)
    facts: dict[str, object] = {
        "documents": len(table),
        "learned before": int((~fresh).sum()),
        "without a label": n_unlabelled,
        "with a new label": n_new,
        "rejected": stream.rejections.count,
    }
    if fresh.any():
        announce(f"Learning from {counted(int(fresh.sum()), 'document')} ...")
        scored = fresh & seen
        n_words = len(fitted.vocabulary_)
        if scored.any():
            old = table.filter(scored)
            chances = fitted.predict_proba(old["text"], times=old["time"])
            before = classification_scores(labels[scored], chances, fitted.classes_, times=old["time"])
            facts["accuracy before learning"] = in_percent(before.accuracy)
        fitted.partial_fit(
            texts, labels, times=times, **({"classes": names} if new_labels == "learn" and names else {})
        )
        facts["new words"] = len(fitted.vocabulary_) - n_words
        facts["labels learned"] = names if new_labels == "learn" and names else None
    facts["predicts the next documents by"] = getattr(fitted.estimator_, "chosen_", None)
    if fresh.any() or output is not None:
        fitted.save(model if output is None else output)
    facts["saved in"] = str(model if output is None else output) if fresh.any() or output is not None else "unchanged"
    return {name: value for name, value in facts.items() if value is not None}
