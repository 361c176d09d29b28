"""`driftline label`: a label for every document from a few labels, and documents to label next."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from driftline.cli.answers_file import (
    SUFFIXES,
    SUGGESTION_SUFFIXES,
    are_suggestions,
    check_suffix,
    without_marks,
)
from driftline.cli.conventions import json_option, print_facts, print_json, print_table, say
from driftline.cli.options import FILE, FOLDER, setting
from driftline.cli.source_options import SourceArguments, SourceCommand, source_options
from driftline.cli.state_folder import locked
from driftline.core.display import one_line

if TYPE_CHECKING:
    import pyarrow as pa

    from driftline.labelling.stream_labeller import LabelledFrame, Labelling, StreamLabeller
    from driftline.streams.stream import Stream

SHOWN_FRAMES = 24
"""Number of frames shown on the terminal; the JSON has all."""
SNIPPET = 90


@click.command(cls=SourceCommand)
@source_options
@click.option(
    "--every", metavar="STEP", help="Length of a frame, such as 1mo, 1w or 1d.  [default: 1mo, or that of the state]"
)
@setting(
    "-o",
    "--output",
    type=FILE,
    metavar="FILE",
    default="labels.jsonl",
    help="Where to write the labels: .jsonl, .csv or .parquet.",
)
@click.option(
    "--state",
    "folder",
    type=FOLDER,
    metavar="FOLDER",
    help="Folder for the learned state; a later run with it continues from there.",
)
@setting(
    "--suggest",
    "n_suggestions",
    type=click.IntRange(0, 10_000),
    default=10,
    help="Number of documents to suggest for labelling.",
)
@click.option(
    "--suggestions",
    "to_label",
    type=FILE,
    metavar="FILE",
    help="Write the suggestions to this file, .csv or .jsonl; with labels filled in, it is the next SOURCE.",
)
@click.option(
    "--raw-cells",
    is_flag=True,
    help="Write CSV cells unchanged, even those that a spreadsheet would evaluate as formulas (=, +, -, @).",
)
@click.option(
    "--truth", metavar="COLUMN", help="Column with the true labels: compared with the answers, not used for learning."
)
@click.option("--min-df", type=click.IntRange(1), help="Ignore words in fewer documents.  [default: 2]")
@click.option("--stop-words", type=click.Choice(["english", "none"]), help="Words to ignore.  [default: english]")
@json_option
def label(
    source: SourceArguments,
    every: str | None,
    output: Path,
    folder: Path | None,
    n_suggestions: int,
    to_label: Path | None,
    raw_cells: bool,
    truth: str | None,
    min_df: int | None,
    stop_words: str | None,
    as_json: bool,
) -> None:
    """Label every document of SOURCE from a few labels, frame by frame.

    Writes each document's label and its probability, and suggests the documents most worth labelling next. With --state
    the next file continues where this one ended: documents are identified by their ids, so a repeated document is not
    counted twice, but a label that it has received since is used. The last frame stays open until the next one begins.
    """
    from driftline.cli.answers_file import write_answers, write_suggestions
    from driftline.cli.label_state import (
        begin,
        check_answers_may_be_written,
        check_suggestions_may_be_written,
        finish,
        labeller_of,
    )
    from driftline.cli.output_path import check_output
    from driftline.compute.compilation_notice import announce_compilation

    check_suffix(output, SUFFIXES, "-o")
    check_output(output, None)
    if to_label is not None:
        check_suffix(to_label, SUGGESTION_SUFFIXES, "--suggestions")
        check_output(to_label, None, "--suggestions")
    announce_compilation()
    with _alone_in(folder):
        check_answers_may_be_written(output, source.source, folder)
        if to_label is not None:
            check_suggestions_may_be_written(to_label, source.source, folder)
        home = None if folder is None else labeller_of(folder)
        labeller = _labeller(home, every, min_df, stop_words)
        stream = source.read()
        documents = _documents(stream, source, raw_cells)
        known = None if truth is None else _truth(source, truth, documents)
        run = labeller.label(documents, n_suggestions=n_suggestions, truth=known)
        if folder is not None:
            begin(folder, output)
        n_written = write_answers(output, run, raw_cells=raw_cells)
        if folder is not None:
            # After the answers: a run interrupted before this point can simply be repeated.
            labeller.save(labeller_of(folder))
            finish(folder)
        if to_label is not None:
            # After the state: the file may be the source, and its labels were stored nowhere else until then.
            write_suggestions(to_label, run.suggestions, raw_cells=raw_cells)
    facts = _facts(stream, run, output, n_written, folder)
    if as_json:
        print_json({**facts, "labels": run.labels, "frames": run.frames, "suggestions": run.suggestions})
    else:
        _show(stream, run, facts, to_label)


def _alone_in(folder: Path | None) -> contextlib.AbstractContextManager[object]:
    """Lock the folder of the state, if there is one, for this process."""
    if folder is None:
        return contextlib.nullcontext()
    folder.mkdir(parents=True, exist_ok=True)
    return locked(folder, "label")


def _labeller(home: Path | None, every: str | None, min_df: int | None, stop_words: str | None) -> StreamLabeller:
    """Return the labeller of the state, or a new one."""
    from driftline.core.errors import InvalidInput
    from driftline.labelling.stream_labeller import StreamLabeller
    from driftline.persistence.model import is_saved_model, load
    from driftline.text.tokenise import Tokenizer

    if home is None or not is_saved_model(home):
        tokenizer = Tokenizer(stop_words=None if stop_words == "none" else "english")
        return StreamLabeller(every or "1mo", tokenizer=tokenizer, min_df=min_df or 2, n_jobs=-1)
    labeller = load(home)
    if not isinstance(labeller, StreamLabeller):
        raise InvalidInput(f"{home} contains a {type(labeller).__name__}; name another folder with --state")
    has_stop_words = labeller.tokenizer is not None and labeller.tokenizer.stop_words is not None
    kept = {"--every": labeller.every, "--min-df": labeller.min_df, "--stop-words": ("none", "english")[has_stop_words]}
    for option, given in (("--every", every), ("--min-df", min_df), ("--stop-words", stop_words)):
        if given is not None and given != kept[option]:
            raise InvalidInput(
                f"the state in {home.parent} was created with {option} {kept[option]}; omit {option} {given}, "
                f"or name another --state"
            )
    return labeller


def _documents(stream: Stream, source: SourceArguments, raw_cells: bool) -> pa.Table:
    """Return the documents in time order, each with an id that is the same in every file."""
    import pyarrow.compute as pc

    from driftline.core.errors import InvalidInput
    from driftline.labelling.known_documents import with_ids_of_their_own

    documents = stream.table()
    if not raw_cells and are_suggestions(source.source):
        documents = without_marks(documents)
    if not len(documents):
        raise InvalidInput(f"{stream.name} has no document to label; {stream.rejections.summary()}")
    if not _has_ids(stream, documents, source):
        return with_ids_of_their_own(documents)
    n_repeated = len(documents) - pc.count_distinct(documents["id"]).as_py()
    if n_repeated:
        say(
            f"{n_repeated:,} records repeat the id of another, and only the first of each is counted; if "
            f"these ids do not identify documents, name another column with --id",
            err=True,
        )
    return documents


def _has_ids(stream: Stream, documents: pa.Table, source: SourceArguments) -> bool:
    """Return whether ids come from the source, rather than from record numbers."""
    if stream.columns or "id" in source.options:
        return "id" in stream.columns or "id" in source.options
    # The columns of a source that can be read only once are unknown before reading
    ids = documents["id"].to_pylist()
    return not all(name.isdecimal() and int(name) <= stream.n_present for name in ids)


def _truth(source: SourceArguments, column: str, documents: pa.Table) -> dict[str, str]:
    """Read the source again, with the truth in place of the labels."""
    from driftline.core.errors import InvalidInput

    if source.source == "-":
        raise InvalidInput("--truth reads the source a second time, which standard input does not allow; use a file")
    try:
        again = SourceArguments(source.source, {**source.options, "label": column}).read().table()
    except InvalidInput as error:
        raise InvalidInput(str(error).replace("label=", "--truth ")) from error
    pairs = zip(documents["id"].to_pylist(), again["label"].to_pylist(), strict=True)
    return {name: label for name, label in pairs if label is not None}


def _facts(stream: Stream, run: Labelling, output: Path, n_written: int, folder: Path | None) -> dict[str, object]:
    return {
        "source": stream.name,
        "documents": run.n_new,
        "rejected": stream.rejections.count,
        "known already": run.n_repeated,
        "new labels of these": run.n_new_labels,
        "too late for their frame": run.n_late,
        "answers": n_written,
        "answers are in": str(output),
        "state is in": None if folder is None else str(folder),
    }


def _show(stream: Stream, run: Labelling, facts: dict[str, object], to_label: Path | None) -> None:
    hidden = len(run.frames) - SHOWN_FRAMES
    if hidden > 0:
        say(f"{hidden:,} earlier frames are not shown; --json has all of them.")
    has_truth = any(frame.right is not None for frame in run.frames)
    headings = ["frame", "documents", "labelled", "predicted", "expected", *(["right"] * has_truth)]
    print_table(headings, [_row(frame, has_truth) for frame in run.frames[-SHOWN_FRAMES:]])
    say()
    shown = {name: value for name, value in facts.items() if value or name in ("documents", "rejected")}
    print_facts(shown)
    if stream.rejections:
        say(stream.rejections.summary(), err=True)
    if len(run.labels) < 2:
        say(f"\n{_too_few_labels(stream, run)}")
    if run.suggestions:
        say("\nSuggested for labelling next:")
    for suggestion in run.suggestions:
        guess = "" if suggestion.label is None else f"{suggestion.label} {_percent(suggestion.probability).strip()}"
        name, guess, text = (one_line(part, longest=SNIPPET) for part in (suggestion.id, guess, suggestion.text))
        print_facts({f"  {name}": f"{guess}\n{text}"})
    if run.suggestions and to_label is not None:
        say(f"\nThey are in {to_label}: fill in the column label, then run driftline label on that file.")


def _row(frame: LabelledFrame, has_truth: bool) -> list[object]:
    start = str(frame.start)[:16].removesuffix("T00:00")
    shares = [frame.predicted, frame.expected, *([frame.right] * has_truth)]
    return [start, frame.n_documents, frame.n_labelled, *map(_percent, shares)]


def _percent(share: float | None) -> str:
    return "      –" if share is None else f"{100 * share:5.1f} %"


def _too_few_labels(stream: Stream, run: Labelling) -> str:
    column = "" if "label" in stream.columns else " (no label column was found; name it with --label)"
    if not run.labels:
        return f"No document has a label yet{column}: label some of the documents below, and run again."
    return (
        f"All labels so far are {run.labels[0]!r}, so every answer is that label{column}: label some "
        f"documents of another class."
    )
