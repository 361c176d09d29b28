"""`driftline predict`: apply a saved model to every document of a source."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftline.cli.conventions import say
from driftline.cli.source_options import SourceArguments, source_options
from driftline.core.display import safe_json

if TYPE_CHECKING:
    import pyarrow as pa

    from driftline.base.text_model import TextModel


@click.command()
@click.argument("model", type=click.Path(exists=True, file_okay=False, path_type=Path))
@source_options
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Where to write the predictions.  [default: standard output]",
)
def predict(model: Path, source: SourceArguments, output: Path | None) -> None:
    """Apply the saved MODEL to every document of SOURCE.

    Prints one line of JSON per document: the label and its probability for a classifier, the log-likelihood in total
    and per word for a language model. Documents are read and scored in batches.
    """
    from driftline.base.text_model import TextModel
    from driftline.cli.output_path import check_output
    from driftline.core.errors import InvalidInput
    from driftline.core.progress import track
    from driftline.persistence.files import replaced_text_file
    from driftline.persistence.model import load

    if output is not None:
        check_output(output, source.source)
    fitted = load(model)
    if not isinstance(fitted, TextModel):
        raise InvalidInput(f"{model} is a {type(fitted).__name__} without a vocabulary; save one with 'driftline fit'")
    stream = source.read()
    written = 0
    with replaced_text_file(output) if output is not None else _standard_output() as target:
        for batch in track(stream.batches(), f"predicting {stream.name}"):
            for answer in _answers(fitted, batch):
                target.write(safe_json(json.dumps(answer, ensure_ascii=False)) + "\n")
                written += 1
    rejected = f", {stream.rejections.count:,} rejected" if stream.rejections.count else ""
    where = f" to {output}" if output is not None else ""
    say(f"{written:,} documents predicted{where}{rejected}.", err=True)


def _answers(model: TextModel, batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    import numpy as np

    texts, times = batch["text"], batch["time"]
    stamps = [time.isoformat() for time in times.to_pylist()]
    if hasattr(model, "predict_proba"):
        probabilities = model.predict_proba(texts, times=times)
        best = probabilities.argmax(axis=1)
        for i, (name, stamp) in enumerate(zip(batch["id"].to_pylist(), stamps)):
            label = str(model.classes_[best[i]])
            yield {"id": name, "time": stamp, "label": label, "probability": round(float(probabilities[i, best[i]]), 6)}
        return
    inputs = model.transform_texts(texts)
    lengths = inputs.lengths() if hasattr(inputs, "lengths") else np.asarray(inputs.sum(axis=1)).ravel()
    likelihoods = model.score_samples(texts, times=times)
    for i, (name, stamp) in enumerate(zip(batch["id"].to_pylist(), stamps)):
        per_word = float(likelihoods[i] / lengths[i]) if lengths[i] else None
        yield {"id": name, "time": stamp, "log_likelihood": float(likelihoods[i]), "per_word": per_word}


def _standard_output() -> Any:
    import contextlib

    return contextlib.nullcontext(sys.stdout)
