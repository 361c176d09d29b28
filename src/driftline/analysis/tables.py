"""The findings as tables, for Parquet and data frames: one row per word, and all curves in one long table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.by_label import LABELS
from driftline.analysis.findings.drift import DRIFT
from driftline.analysis.findings.topics import TOPICS
from driftline.analysis.findings.volume import VOLUME
from driftline.analysis.findings.words import CHANGED_WORDS, ChangedWord
from driftline.analysis.serialise import to_json
from driftline.core.errors import InvalidInput, NotWritten
from driftline.persistence.atomic_file import write_text
from driftline.smoothing.curve import Curve

_CURVES = pa.schema(
    [
        ("kind", pa.string()),
        ("label", pa.string()),
        ("name", pa.string()),
        ("time", pa.timestamp("ms", "UTC")),
        ("value", pa.float64()),
        ("lower", pa.float64()),
        ("upper", pa.float64()),
    ]
)
_WORDS = pa.schema(
    [
        ("label", pa.string()),
        ("word", pa.string()),
        ("pattern", pa.string()),
        ("kind", pa.string()),
        ("n_documents", pa.int64()),
        ("n_uses", pa.int64()),
        ("p_value", pa.float64()),
        ("q_value", pa.float64()),
        ("information", pa.float64()),
        ("mean_rate", pa.float64()),
        ("peak_rate", pa.float64()),
        ("bandwidth_days", pa.float64()),
        ("ratio", pa.float64()),
        ("ratio_lower", pa.float64()),
        ("ratio_upper", pa.float64()),
        ("direction", pa.string()),
        ("start", pa.string()),
        ("end", pa.string()),
    ]
)


def findings_tables(findings: Findings) -> dict[str, pa.Table]:
    """Return the tables `words` (changed words, of the stream and of each label) and `curves`.

    `curves` has the volume, the speed of drift, the changed words and the shares of topics, with their bands; `label`
    is null for the whole stream.
    """
    words = [_word_row(word, label) for label, word in _words(findings)]
    return {
        "words": pa.Table.from_pylist(words, schema=_WORDS),
        "curves": pa.concat_tables([_CURVES.empty_table(), *_curves(findings)]),
    }


def write_data(findings: Findings, folder: str | Path) -> list[Path]:
    """Write ``findings.json``, ``words.parquet`` and ``curves.parquet`` into a folder, and return their paths."""
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise InvalidInput(f"{folder} is not a folder; name a folder to write the findings to")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NotWritten(folder, error) from error
    paths = [folder / "findings.json"]
    write_text(paths[0], to_json(findings, indent=2))
    for name, table in findings_tables(findings).items():
        paths.append(folder / f"{name}.parquet")
        try:
            pq.write_table(table, paths[-1], compression="zstd")
        except OSError as error:
            raise NotWritten(paths[-1], error) from error
    return paths


def _words(findings: Findings) -> Iterator[tuple[str | None, ChangedWord]]:
    yield from ((None, word) for word in CHANGED_WORDS.of(findings))
    for label in LABELS.of(findings):
        yield from ((label.label, word) for word in label.changed_words)


def _stored(text: str | None) -> str | None:
    """Return text that UTF-8 can represent: a lone surrogate becomes a question mark."""
    return None if text is None else text.encode("utf-8", "replace").decode()


def _word_row(word: ChangedWord, label: str | None) -> dict[str, object]:
    change = word.change
    own = {name: getattr(word, name) for name in _WORDS.names if hasattr(word, name)}
    own["word"], label = _stored(word.word), _stored(label)
    if change is None:
        return {**own, "label": label}
    measured = {"ratio": change.ratio, "ratio_lower": change.lower, "ratio_upper": change.upper}
    return {**own, **measured, "label": label, "direction": change.direction, "start": change.start, "end": change.end}


def _curves(findings: Findings) -> Iterator[pa.Table]:
    yield _curve_table("volume", None, "documents per day", VOLUME.of(findings))
    yield _curve_table("drift", None, "speed of drift", DRIFT.of(findings).curve)
    for label, word in _words(findings):
        yield _curve_table("word", label, word.word, word.curve)
    for number, topic in enumerate(TOPICS.of(findings), 1):
        yield _curve_table("topic", None, f"{number}: {', '.join(topic.words[:3])}", topic.curve)


def _curve_table(kind: str, label: str | None, name: str | None, curve: Curve) -> pa.Table:
    n, label, name = len(curve.times), _stored(label), _stored(name)
    parts = [pa.array(np.asarray(part, dtype=np.float64), from_pandas=True) for part in curve[1:4]]
    times = pa.array(np.asarray(curve.times, dtype="datetime64[ms]").astype(np.int64))
    columns = [
        pa.array([kind] * n, pa.string()),
        *(pa.array([each] * n, pa.string()) for each in (label, name)),
        times,
        *parts,
    ]
    return pa.Table.from_arrays([column.cast(field.type) for column, field in zip(columns, _CURVES)], schema=_CURVES)
