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
from driftline.cli.source_options import SourceArguments, source_options
from driftline.cli.tail import PIECE, Line, LineCutter, LineFollower

if TYPE_CHECKING:
    from driftline.cli.watch_session import WatchSession

BETWEEN_LOOKS = 0.2
"""Polling interval in seconds."""
AT_A_TIME = 200
"""Lines between two saved states: few enough that a line does not wait long for those before it."""
OF_WHOLE_SOURCES = ("encoding", "file_time", "drop_quotes", "reorder_within")
"""Options that do not apply to lines read one at a time."""


@click.command()
@source_options
@click.option(
    "--train",
    "training",
    metavar="SOURCE",
    help="A source to learn the topics from, by its labels; needed once, then kept in the state.",
)
@click.option(
    "--topics",
    "n_topics",
    type=click.IntRange(2, 255),
    help="Number of topics to find in the --train source, labelled or not; they are named by their words.",
)
@click.option(
    "--state",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    metavar="FOLDER",
    help="Where the model and the place reached are kept between runs.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Append the lines there instead of printing them; then not even a crash loses or repeats one.",
)
@click.option("--once", is_flag=True, help="Stop at the end of what is there now.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def watch(
    source: SourceArguments,
    training: str | None,
    n_topics: int | None,
    folder: Path,
    output: Path | None,
    once: bool,
    as_json: bool,
) -> None:
    """Follow SOURCE as it grows: topics of documents, bursts that begin or end.

    SOURCE is a file of JSON lines, or - for standard input. What was reached is kept in the state's folder after every
    batch, so that the next run goes on there. Ctrl-C stops between two documents.
    """
    from driftline.cli.watch_model import model_for_watching
    from driftline.cli.watch_session import WatchSession

    options = _line_options(source.options)
    if once and source.source == "-":
        raise click.UsageError("--once does not apply to standard input, which is read to its end")
    name = source.source if source.source == "-" else str(Path(source.source).absolute())
    begun = os.path.lexists(folder / "place.json")  # then the file may be missing while another takes its place
    if source.source != "-" and not begun and not Path(source.source).is_file():
        raise click.UsageError(
            f"{source.source} is no file that can be followed; create it first, or pass - for a pipe"
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
    """Return the options that say how one line is read; refuse those that do not apply."""
    for name in OF_WHOLE_SOURCES:
        if name in options:
            raise click.UsageError(f"--{name.replace('_', '-')} does not apply to lines that are taken as they come")
    if options.get("format", "jsonl") != "jsonl":
        raise click.UsageError("only JSON lines can be followed")
    return {name: value for name, value in options.items() if name != "format"}


class _StopSwitch:
    """Ask to stop, rather than stop at once, when a signal says so."""

    def __init__(self) -> None:
        self.asked = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> _StopSwitch:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._ask)
        return self

    def __exit__(self, *exception: Any) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _ask(self, number: int, frame: object) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


def _from_file(path: Path, session: WatchSession, stop: _StopSwitch, once: bool) -> Iterator[list[Line]]:
    """Yield the lines that are there, then those that come, a few at a time."""
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
    """Return the last line if it only lacks its end; one that may still be being written is reported."""
    last = follower.unended()
    if last is None:
        return []
    try:
        is_whole = isinstance(json.loads(last.content or b""), dict)
    except (ValueError, RecursionError):
        is_whole = False
    if not is_whole:
        say(f"line {last.number} of {path} has no end yet; it is left for the next run", err=True)
    return [last] if is_whole else []


def _from_standard_input(number: int, stop: _StopSwitch) -> Iterator[list[Line]]:
    """Yield every line as it comes; what was read before a restart is gone from the pipe, and counted on.

    Since nothing can be read twice, all lines that were taken out of the pipe are worked through before it stops.
    """
    cutter = LineCutter()
    while not stop.asked:
        piece = _piece_of_standard_input()
        if piece is None:
            continue
        contents = [content for content, _ in cutter.cut(piece)]
        last = cutter.rest()
        if not piece and last is not None:
            contents.append(last[0])
        for first in range(0, len(contents), AT_A_TIME):
            part = contents[first : first + AT_A_TIME]
            yield [Line(number + i, content, 0) for i, content in enumerate(part, start=1)]
            number += len(part)
        if not piece:
            return


def _piece_of_standard_input() -> bytes | None:
    """Return what is in the pipe, nothing at its end, or None if nothing has come for a while."""
    try:
        pipe = sys.stdin.buffer.fileno()
    except OSError:  # not a pipe but a buffer in memory, which need not be waited for
        return sys.stdin.buffer.read(PIECE)
    if not select.select([pipe], [], [], BETWEEN_LOOKS)[0]:
        return None
    return os.read(pipe, PIECE)
