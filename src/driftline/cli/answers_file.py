"""The output file of `driftline label`: one answer per document, as JSON lines, CSV or Parquet, replaced atomically."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from driftline.core.display import cell_text, spreadsheet_cell
from driftline.core.errors import InvalidInput

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from driftline.labelling.stream_labeller import Labelling, SuggestedDocument

SUFFIXES = (".jsonl", ".csv", ".parquet")
SUGGESTION_SUFFIXES = (".jsonl", ".csv")
SUGGESTION_NAMES = ["id", "time", "label", "guess", "probability", "text"]


def check_suffix(path: Path, suffixes: tuple[str, ...], option: str) -> None:
    """Refuse a file whose suffix is not a known format."""
    if path.suffix not in suffixes:
        raise InvalidInput(f"{path} does not end in one of {', '.join(suffixes)}; name another file with {option}")


def write_answers(path: Path, run: Labelling, *, raw_cells: bool = False) -> int:
    """Write the answers of a run after those of earlier frames in the same file; return the number in the file.

    Answers of the last run for a frame that was still open are replaced, so no document is in the file twice. CSV cells
    that a spreadsheet would evaluate as formulas are marked as text, unless `raw_cells`.
    """
    import pyarrow as pa

    table = run.answers
    if run.since is not None and path.exists():
        table = pa.concat_tables(
            [_with_labels(_earlier(path, run.since, run.n_before, raw_cells), run.late_labels), table]
        )
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        from driftline.persistence.atomic_file import replaced_file

        with replaced_file(path) as file:
            pq.write_table(table, file)
    else:
        _write_rows(path, table.schema.names, _rows(table), raw_cells)
    return len(table)


def write_suggestions(path: Path, suggestions: Iterable[SuggestedDocument], *, raw_cells: bool = False) -> None:
    """Write documents to be labelled: fill in the column `label`, and the file is a source for `driftline label`."""
    rows = [
        {
            "id": each.id,
            "time": each.time.isoformat(),
            "label": None,
            "guess": each.label,
            "probability": each.probability,
            "text": each.text,
        }
        for each in suggestions
    ]
    _write_rows(path, SUGGESTION_NAMES, rows, raw_cells)


def holds_answers(path: Path) -> bool:
    """Return whether a file looks like output of `write_answers`; an empty file does."""
    import pyarrow as pa

    from driftline.labelling.stream_labeller import ANSWERS

    if not path.stat().st_size:
        return True
    try:
        if path.suffix == ".parquet":
            import pyarrow.parquet as pq

            return bool(pq.read_schema(path).names == ANSWERS.names)
        return bool(_first_names(path) == ANSWERS.names)
    except (OSError, ValueError, pa.ArrowException):
        return False


def holds_no_labels(path: Path) -> bool:
    """Return whether `write_suggestions` wrote a file and no label has been filled in."""
    if not path.stat().st_size:
        return True
    try:
        if _first_names(path) != SUGGESTION_NAMES:
            return False
        with open(path, encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file) if path.suffix == ".csv" else map(json.loads, file)
            return all(row.get("label") in (None, "") for row in rows)
    except (AttributeError, ValueError, csv.Error):
        return False


def _first_names(path: Path) -> list[str]:
    """Return the column names of a CSV file, or the keys of the first JSON line."""
    with open(path, encoding="utf-8", newline="") as file:
        if path.suffix == ".csv":
            return next(csv.reader(file), [])
        return list(json.loads(file.readline(2**24)))


def are_suggestions(source: str) -> bool:
    """Return whether a source is a CSV file of suggestions, whose cells may be marked as text."""
    path = Path(source)
    if path.suffix != ".csv" or not path.is_file():
        return False
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        # A spreadsheet may have quoted the names or changed the delimiter
        return re.split("[,;\t]", file.readline(1000).replace('"', "").strip()) == SUGGESTION_NAMES


def without_marks(documents: pa.Table) -> pa.Table:
    """Return documents from a CSV file of suggestions with the text marks removed."""
    import pyarrow as pa

    for name in ("id", "label", "text"):
        column = [None if cell is None else cell_text(cell) for cell in documents[name].to_pylist()]
        place = documents.schema.get_field_index(name)
        documents = documents.set_column(place, name, pa.array(column, documents.schema.field(name).type))
    return documents


def _earlier(path: Path, since: np.datetime64, n_before: int, raw_cells: bool) -> pa.Table:
    """Return the answers for frames before `since` that are in the file."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from driftline.labelling.stream_labeller import ANSWERS

    try:
        table = _read(path, raw_cells).cast(ANSWERS)
    except (KeyError, TypeError, ValueError, pa.ArrowException) as error:
        raise InvalidInput(
            f"{path} exists, but was not written by an earlier run ({error}); name another file with -o"
        ) from error
    kept = table.filter(pc.less(table["frame"], pa.scalar(since.item(), ANSWERS.field("frame").type)))
    if len(kept) not in (0, n_before):
        raise InvalidInput(
            f"{path} has {len(kept):,} documents of earlier frames, but this state answered {n_before:,}; "
            f"name the file of the last run with -o, or a new one"
        )
    return kept


def _read(path: Path, raw_cells: bool) -> pa.Table:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    if path.suffix == ".parquet":
        return pq.read_table(path)
    with open(path, encoding="utf-8", newline="") as file:
        rows = _csv_rows(file, raw_cells) if path.suffix == ".csv" else [json.loads(line) for line in file]
    moments = {
        name: pa.array(np.array([row[name].removesuffix("Z") for row in rows], dtype="datetime64[us]"))
        for name in ("time", "frame")
    }
    columns = {
        "id": [row["id"] for row in rows],
        **{name: moment.cast(pa.timestamp("us", "UTC")) for name, moment in moments.items()},
        "label": [row["label"] or None for row in rows],
        "probability": [float(row["probability"]) if row["probability"] not in (None, "") else None for row in rows],
        "given": [row["given"] in (True, "true") for row in rows],
    }
    return pa.table({name: pa.array(values) for name, values in columns.items()})


def _csv_rows(file: TextIO, raw_cells: bool) -> list[dict[str, str]]:
    from driftline.labelling.stream_labeller import ANSWERS

    reader = csv.DictReader(file)
    if reader.fieldnames != ANSWERS.names:
        raise ValueError(f"its columns are not {', '.join(ANSWERS.names)}")
    if raw_cells:
        return list(reader)
    return [{name: cell_text(cell or "") for name, cell in row.items() if name is not None} for row in reader]


def _with_labels(table: pa.Table, labels: Mapping[str, str]) -> pa.Table:
    """Return the answers, updated with the labels given since."""
    import pyarrow as pa

    known = [labels.get(name) for name in table["id"].to_pylist()]
    if not any(label is not None for label in known):
        return table
    rows = [
        row if label is None else {**row, "label": label, "probability": 1.0, "given": True}
        for row, label in zip(table.to_pylist(), known)
    ]
    return pa.Table.from_pylist(rows, schema=table.schema)


def _rows(table: pa.Table) -> list[dict[str, object]]:
    """Return the rows with times in ISO 8601, UTC, to the second."""
    from driftline.core.times import isos

    columns = {name: table[name].to_pylist() for name in table.schema.names}
    for name in ("time", "frame"):
        columns[name] = isos(table[name].to_numpy())
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def _write_rows(path: Path, names: list[str], rows: Iterable[Mapping[str, object]], raw_cells: bool) -> None:
    from driftline.persistence.atomic_file import replaced_text_file

    with replaced_text_file(path) as file:
        _write_csv(file, names, rows, raw_cells) if path.suffix == ".csv" else _write_jsonl(file, rows)


def _write_jsonl(file: TextIO, rows: Iterable[Mapping[str, object]]) -> None:
    file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _write_csv(file: TextIO, names: list[str], rows: Iterable[Mapping[str, object]], raw_cells: bool) -> None:
    writer = csv.DictWriter(file, names, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(value, raw_cells) for name, value in row.items()})


def _cell(value: object, raw: bool) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return spreadsheet_cell(value) if isinstance(value, str) and not raw else value
