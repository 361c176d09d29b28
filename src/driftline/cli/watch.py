"""`driftline watch`: follow a growing file or standard input."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time as clock
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftline.cli.conventions import say
from driftline.cli.options import FILE, FOLDER
from driftline.cli.source_options import SourceArguments, SourceCommand, source_options

if TYPE_CHECKING:
    from driftline.cli.watch_session import WatchSession
    from driftline.readers.line_follower import Line, LineFollower

BETWEEN_LOOKS = 0.2
"""Polling interval in seconds."""
AT_A_TIME = 200
"""Number of lines between two saved states; it is small, so that a line does not wait long for earlier ones."""
OF_WHOLE_SOURCES = ("encoding", "file_time", "drop_quotes", "reorder_within", "sheet", "table")
"""Options that do not apply when lines are read one at a time."""


@click.command(cls=SourceCommand)
@source_options
@click.option(
    "--train",
    "training",
    metavar="SOURCE",
    help="Labelled source from which to learn the topics; needed once, then kept in the state.",
)
@click.option(
    "--topics",
    "n_topics",
    type=click.IntRange(2, 255),
    help="Number of topics to find in the --train source, labelled or not; each is named by its top words.",
)
@click.option(
    "--state",
    "folder",
    type=FOLDER,
    required=True,
    metavar="FOLDER",
    help="Folder for the model and the position between runs.",
)
@click.option(
    "--output",
    type=FILE,
    metavar="FILE",
    help="Append the lines to this file instead of printing them; even a crash then neither loses nor repeats one.",
)
@click.option("--once", is_flag=True, help="Stop at the current end of the file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
def watch(
    source: SourceArguments,
    training: str | None,
    n_topics: int | None,
    folder: Path,
    output: Path | None,
    once: bool,
    as_json: bool,
) -> None:
    """Follow SOURCE as it grows: topics of documents, starts and ends of bursts.

    SOURCE is a file of JSON lines, or - for standard input. The position is saved in the state's folder after every
    batch, so that the next run continues there. Ctrl-C stops between two documents.
    """
    from driftline.cli.watch_model import model_for_watching
    from driftline.cli.watch_session import WatchSession

    options = _line_options(source.options)
    if once and source.source == "-":
        raise click.UsageError("--once does not apply to standard input, which is read to its end")
    name = source.source if source.source == "-" else str(Path(source.source).absolute())
    begun = os.path.lexists(folder / "place.json")  # then the file may be missing while it is being replaced
    if source.source != "-" and not begun and not Path(source.source).is_file():
        raise click.UsageError(
            f"{source.source} is not a file that can be followed; create it first, or pass - for a pipe"
        )
    model = model_for_watching(source.options, training, n_topics, folder)
    stop = _StopSwitch()
    session = WatchSession(folder, model, name, output=output, as_json=as_json, options=options)
    with stop, session:
        if source.source == "-":
            batches = _from_standard_input(session.place["number"], stop)
        else:
            batches = _from_file(Path(source.source), session, stop, once)
        for batch in batches:
            session.take(batch)


def _line_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options for reading one line; refuse those that do not apply."""
    for name in OF_WHOLE_SOURCES:
        if name in options:
            raise click.UsageError(f"--{name.replace('_', '-')} does not apply to lines that are read as they arrive")
    if options.get("format", "jsonl") != "jsonl":
        raise click.UsageError("only JSON lines can be followed")
    return {name: value for name, value in options.items() if name != "format"}


class _StopSwitch:
    """On a signal, request a stop instead of stopping at once."""

    def __init__(self) -> None:
        self.asked = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> _StopSwitch:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._ask)
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _ask(self, number: int, frame: object) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


def _from_file(path: Path, session: WatchSession, stop: _StopSwitch, once: bool) -> Iterator[list[Line]]:
    """Yield the lines that are present, then those that arrive, a few at a time."""
    follower = session.follower(path)
    while True:
        batch: list[Line] = []
        for line in follower.new_lines():
            batch.append(line)
            if len(batch) >= AT_A_TIME:
                yield batch
                batch = []
                if stop.asked:
                    return
        while follower.notices:
            say(follower.notices.pop(0), err=True)
        if once:
            batch += _last_line(follower, path)
        yield batch
        if once or stop.asked:
            return
        clock.sleep(BETWEEN_LOOKS)


def _last_line(follower: LineFollower, path: Path) -> list[Line]:
    """Return the last line if only its line end is missing; report it if it may be incomplete."""
    last = follower.unended()
    if last is None:
        return []
    try:
        is_whole = isinstance(json.loads(last.content or b""), dict)
    except (ValueError, RecursionError):
        is_whole = False
    if not is_whole:
        say(f"line {last.number} of {path} has no line end yet; it is left for the next run", err=True)
    return [last] if is_whole else []


def _from_standard_input(number: int, stop: _StopSwitch) -> Iterator[list[Line]]:
    """Yield every line as it arrives; line numbers continue from an earlier run, whose lines are gone from the pipe.

    Since nothing can be read twice, all lines taken from the pipe are processed before the command stops.
    """
    from driftline.readers.line_follower import Line, LineCutter

    cutter = LineCutter()
    while not stop.asked:
        chunk = _chunk_of_standard_input()
        if chunk is None:
            continue
        contents = [content for content, _ in cutter.cut(chunk)]
        last = cutter.rest()
        if not chunk and last is not None:
            contents.append(last[0])
        for first in range(0, len(contents), AT_A_TIME):
            part = contents[first : first + AT_A_TIME]
            yield [Line(number + i, content, 0) for i, content in enumerate(part, start=1)]
            number += len(part)
        if not chunk:
            return


def _chunk_of_standard_input() -> bytes | None:
    """Return the bytes in the pipe, empty at its end, or None if none have arrived for a while."""
    from driftline.readers.line_follower import CHUNK

    try:
        pipe = sys.stdin.buffer.fileno()
    except OSError:  # not a pipe but a memory buffer, which needs no waiting
        return sys.stdin.buffer.read(CHUNK)
    if not select.select([pipe], [], [], BETWEEN_LOOKS)[0]:
        return None
    return os.read(pipe, CHUNK)
