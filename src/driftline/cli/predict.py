"""`driftline predict`: apply a saved model to every document of a source."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from driftline.cli.conventions import json_option, say
from driftline.cli.options import FILE, saved_model
from driftline.cli.source_options import SourceArguments, SourceCommand, source_options
from driftline.core.display import safe_json
from driftline.core.errors import InvalidInput

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from driftline.base.text_model import TextModel
    from driftline.core.arrays import Floats


@click.command(cls=SourceCommand)
@saved_model
@source_options
@click.option(
    "-o",
    "--output",
    type=FILE,
    metavar="FILE",
    help="Where to write the predictions.  [default: standard output; with --truth, nowhere]",
)
@click.option(
    "--truth",
    metavar="COLUMN",
    help="Column with the true labels: print the scores of the predictions, by label and over time.",
)
@json_option
def predict(model: Path, source: SourceArguments, output: Path | None, truth: str | None, as_json: bool) -> None:
    """Apply the saved MODEL to every document of SOURCE.

    Prints one line of JSON per document: the label and its probability for a classifier, the log-likelihood in total
    and per word for a language model. Documents are read and predicted in batches. With --truth, scores are printed
    instead: accuracy, log-loss and Brier score with intervals that treat days as independent, calibration, and the
    scores by label and over time.
    """
    from driftline.cli.output_path import check_output
    from driftline.cli.saved_classifier import load_text_model
    from driftline.core.progress import track
    from driftline.core.results import counted
    from driftline.persistence.atomic_file import replaced_text_file

    if as_json and truth is None:
        raise click.UsageError("--json prints the scores of --truth as JSON; predictions are always JSON")
    if output is not None:
        check_output(output, source.source)
    fitted = load_text_model(model)
    if truth is not None:
        if not hasattr(fitted, "predict_proba"):
            raise InvalidInput(f"{model} is a language model, which predicts no labels; omit --truth")
        source = _with_truth(source, truth)
    stream = source.read()
    scored = Scored(fitted)
    newest = getattr(fitted.estimator_, "newest_", None)
    printed = None if truth is not None else sys.stdout
    target: contextlib.AbstractContextManager[TextIO | None] = contextlib.nullcontext(printed)
    with replaced_text_file(output) if output is not None else target as file:
        for batch in track(stream.batches(), f"predicting {stream.name}"):
            for answer in _answers(fitted, batch, scored):
                if file is not None:
                    file.write(safe_json(json.dumps(answer, ensure_ascii=False)) + "\n")
    rejected = f", {stream.rejections.count:,} rejected" if stream.rejections.count else ""
    where = f" to {output}" if output is not None else ""
    say(f"{counted(scored.n_documents, 'document')} predicted{where}{rejected}.", err=True)
    n_older = scored.older_than(newest)
    if n_older:
        say(
            f"Warning: {n_older:,} of them are not newer than the newest document that the model learned from "
            f"({_dated(newest)}); predictions for the past are those of the latest fit",
            err=True,
        )
    if truth is not None:
        scored.show(stream.name, truth, as_json=as_json)


class Scored:
    """The times, true labels and probabilities of the documents that were predicted."""

    def __init__(self, model: TextModel) -> None:
        self._model = model
        self._times: list[np.ndarray] = []
        self._labels: list[str | None] = []
        self._chances: list[Floats] = []
        self.n_documents = 0

    def add(self, batch: pa.RecordBatch, chances: Floats | None) -> None:
        """Add the documents of a batch."""
        self.n_documents += len(batch["text"])
        if chances is not None:
            self._times.append(batch["time"].to_numpy(zero_copy_only=False))
            self._labels += batch["label"].to_pylist()
            self._chances.append(chances)

    def older_than(self, newest: object) -> int:
        """Return the number of documents that are not newer than a time."""
        if newest is None or not self._times:
            return 0
        return int(sum((times <= newest).sum() for times in self._times))

    def show(self, name: str, column: str, *, as_json: bool) -> None:
        """Print the scores of the documents that have a label."""
        import numpy as np

        from driftline.cli.score_output import show_scores
        from driftline.evaluation.classification_scores import classification_scores

        known = np.array([label is not None for label in self._labels], dtype=bool)
        if not known.any():
            raise InvalidInput(f"no document of {name} has a label in {column!r}; name another column with --truth")
        scores = classification_scores(
            [label for label in self._labels if label is not None],
            np.concatenate(self._chances)[known],
            self._model.classes_,
            times=np.concatenate(self._times)[known],
        )
        show_scores(scores, as_json=as_json)


def _with_truth(source: SourceArguments, column: str) -> SourceArguments:
    """Return the source with the truth in place of the labels."""
    named = source.options.get("label")
    if named is not None and named != column:
        raise click.UsageError(f"--truth {column} and --label {named} name different columns; omit --label")
    return SourceArguments(source.source, {**source.options, "label": column})


def _answers(model: TextModel, batch: pa.RecordBatch, scored: Scored) -> Iterator[dict[str, object]]:
    import numpy as np

    from driftline.text.sequences import TokenSequences

    texts, times = batch["text"], batch["time"]
    stamps = [time.isoformat() for time in times.to_pylist()]
    if hasattr(model, "predict_proba"):
        probabilities = model.predict_proba(texts, times=times)
        scored.add(batch, probabilities)
        best = probabilities.argmax(axis=1)
        for i, (name, stamp) in enumerate(zip(batch["id"].to_pylist(), stamps)):
            label = str(model.classes_[best[i]])
            yield {"id": name, "time": stamp, "label": label, "probability": round(float(probabilities[i, best[i]]), 6)}
        return
    scored.add(batch, None)
    inputs = model.transform_texts(texts)
    lengths = inputs.lengths() if isinstance(inputs, TokenSequences) else np.asarray(inputs.sum(axis=1)).ravel()
    likelihoods = model.score_samples(texts, times=times)
    for i, (name, stamp) in enumerate(zip(batch["id"].to_pylist(), stamps)):
        per_word = float(likelihoods[i] / lengths[i]) if lengths[i] else None
        yield {"id": name, "time": stamp, "log_likelihood": float(likelihoods[i]), "per_word": per_word}


def _dated(time: object) -> str:
    """Return a date, with the time of day if it is known.

    >>> import numpy as np
    >>> _dated(np.datetime64("2017-03-17T00:00:00.000000")), _dated(np.datetime64("2017-03-17T08:05:00")), _dated(3.5)
    ('2017-03-17', '2017-03-17 08:05', '3.5')
    """
    day, _, clock = str(time).partition("T")
    return day if clock[:5] in ("", "00:00") else f"{day} {clock[:5]}"
