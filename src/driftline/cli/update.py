"""`driftline update`: let a saved classifier learn from new documents."""

from __future__ import annotations

from pathlib import Path

import click

from driftline.cli.conventions import json_option, print_facts, print_json
from driftline.cli.source_options import SourceArguments, SourceCommand, source_options
from driftline.core.errors import InvalidInput


@click.command(cls=SourceCommand)
@click.argument("model", type=click.Path(exists=True, file_okay=False, path_type=Path))
@source_options
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Where to save the updated model.  [default: in place of MODEL]",
)
@click.option(
    "--new-labels",
    type=click.Choice(["stop", "skip"]),
    default="stop",
    show_default=True,
    help="What to do with documents whose label the model has never seen.",
)
@json_option
def update(model: Path, source: SourceArguments, output: Path | None, new_labels: str, as_json: bool) -> None:
    """Let the saved classifier MODEL learn from the labelled documents of SOURCE.

    Documents that it learned from before (same text, label and time) are left out, so the command may be repeated. The
    new documents are predicted first, which shows how good the model was. The model is replaced in one step: if the
    command is interrupted, the old one is still there.
    """
    from driftline.cli.state_folder import locked_model

    # From loading to saving: of two updates at the same time, the later one would otherwise undo the earlier
    with locked_model(model if output is None else output, "update"):
        facts = _learned(model, source, output, new_labels)
    print_json(facts) if as_json else print_facts(facts)


def _learned(model: Path, source: SourceArguments, output: Path | None, new_labels: str) -> dict[str, object]:
    """Load, learn and save; return what is printed."""
    import numpy as np

    from driftline.cli.saved_classifier import load_classifier, require_documents
    from driftline.cli.score_output import in_percent
    from driftline.compute.compilation_notice import announce_compilation
    from driftline.core.progress import announce
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
    if not seen.all() and new_labels == "stop":
        names = sorted(set(labels[~seen].tolist()))
        raise InvalidInput(
            f"{(~seen).sum():,} documents of {stream.name} have labels that the model has never seen "
            f"({', '.join(names[:5])}); fit a new model, or leave them out with --new-labels skip"
        )
    table, labels = table.filter(seen), labels[seen]
    texts, times = table["text"], table["time"]
    fresh = ~fitted.is_learned(texts, labels, times)
    facts: dict[str, object] = {
        "documents": len(table),
        "learned before": int((~fresh).sum()),
        "without a label": n_unlabelled,
        "with a new label": int((~seen).sum()),
        "rejected": stream.rejections.count,
    }
    if fresh.any():
        announce(f"Learning from {int(fresh.sum()):,} documents ...")
        new = table.filter(fresh)
        n_words = len(fitted.vocabulary_)
        chances = fitted.predict_proba(new["text"], times=new["time"])
        before = classification_scores(labels[fresh], chances, fitted.classes_, times=new["time"])
        fitted.partial_fit(texts, labels, times=times)
        facts |= {
            "accuracy before learning": in_percent(before.accuracy),
            "new words": len(fitted.vocabulary_) - n_words,
        }
    facts["predicts the next documents by"] = getattr(fitted.estimator_, "chosen_", None)
    if fresh.any() or output is not None:
        fitted.save(model if output is None else output)
    facts["saved in"] = str(model if output is None else output) if fresh.any() or output is not None else "unchanged"
    return {name: value for name, value in facts.items() if value is not None}
