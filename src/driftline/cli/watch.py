"""`driftline watch`: follow a growing file or standard input."""

from __future__ import annotations

import json
import os
import signal
import sys
import time as clock
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import click

from driftline.cli.following import Line, LineFollower
from driftline.cli.source_options import SourceArguments, source_options

BETWEEN_LOOKS = 0.2
"""Seconds between two looks at the file."""
AT_A_TIME = 500
"""Lines between two saved states."""


@click.command()
@source_options
@click.option(
    "--train",
    "training",
    metavar="LABELLED",
    help="A source with labels to learn the topics from; needed once, then kept in the state.",
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
    source: SourceArguments, training: str | None, folder: Path, output: Path | None, once: bool, as_json: bool
) -> None:
    """Follow SOURCE as it grows: topics of documents, bursts that begin or end.

    SOURCE is a file of JSON lines, or - for standard input. What was reached is kept in the state's folder after every
    batch, so that the next run goes on there. Ctrl-C stops between two documents.
    """
    model = _model(source, training, folder)
    session = _Session.open(folder, model, output, as_json)
    lines = _from_standard_input(session) if source.source == "-" else _from_file(Path(source.source), session, once)
    stop = _StopSwitch()
    with stop, session:
        for batch in lines:
            session.take(batch, source.options, stop)
            if stop.asked:
                break


def _model(source: SourceArguments, training: str | None, folder: Path) -> Any:
    """Return the saved model, or learn one."""
    import driftline
    from driftline.core.errors import InvalidInput
    from driftline.core.progress import announce

    home = folder / "model"
    if (home / "manifest.json").exists():
        if training is not None:
            raise InvalidInput(f"{home} already holds a model; leave --train out, or name another --state")
        return driftline.load(home)
    if training is None:
        raise InvalidInput(f"{home} holds no model yet; name labelled documents to learn the topics from with --train")
    from driftline.base.text_model import TextModel
    from driftline.compute.first_use import announce_compilation
    from driftline.intensity.watcher import IntensityWatcher

    announce_compilation()
    options = {name: value for name, value in source.options.items() if name not in ("format", "reorder_within")}
    table = driftline.read(training, **options).table()
    known = table["label"].is_valid()
    table = table.filter(known)
    labels = table["label"].to_numpy().astype(str)
    if len(set(labels)) < 2:
        raise InvalidInput(f"{training} has {len(set(labels))} different labels; name the column with --label")
    announce(f"Learning {len(set(labels))} topics from {len(table):,} documents ...")
    model = TextModel(IntensityWatcher(), weighting="tf-idf").fit(table["text"], labels, times=table["time"])
    folder.mkdir(parents=True, exist_ok=True)
    model.save(home)
    return model


@dataclass
class _Session:
    """What has been reached, and where results go."""

    folder: Path
    model: Any
    as_json: bool
    target: TextIO
    to_file: bool
    place: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: Path, model: Any, output: Path | None, as_json: bool) -> _Session:
        path = folder / "place.json"
        place: dict[str, Any] = {"offset": 0, "number": 0, "identity": None, "written": 0, "rejected": 0}
        if path.exists():
            place = json.loads(path.read_text(encoding="utf-8"))
            model.estimator_.resume(place.pop("live"))
        if output is None:
            return cls(folder, model, as_json, sys.stdout, False, place)
        target = open(output, "a", encoding="utf-8", newline="\n")  # noqa: SIM115 (closed by __exit__)
        if target.tell() > place["written"]:
            # Written after the last saved state: it will be written again
            target.truncate(place["written"])
            target.seek(place["written"])
        return cls(folder, model, as_json, target, True, place)

    def __enter__(self) -> _Session:
        return self

    def __exit__(self, *exception: Any) -> None:
        if self.to_file:
            self.target.close()

    def take(self, lines: Iterable[Line], options: dict[str, Any], stop: _StopSwitch) -> None:
        """Work through some lines, hand the results over, and keep the place."""
        before = dict(self.place)
        for line in lines:
            self._one(line, options)
            self.place.update(offset=line.end, number=line.number)
            if stop.asked:
                break
        if self.place == before:
            return
        self.target.flush()
        if self.to_file:
            os.fsync(self.target.fileno())
            self.place["written"] = self.target.tell()
        self._save()

    def _one(self, line: Line, options: dict[str, Any]) -> None:
        if line.content is None:
            self._reject(line.number, "the line is too long")
            return
        if not line.content.strip():
            return
        try:
            record = json.loads(line.content)
        except ValueError as error:
            self._reject(line.number, f"broken JSON: {error}")
            return
        if not isinstance(record, dict):
            self._reject(line.number, "no JSON object")
            return
        import driftline
        from driftline.core.errors import DriftlineError

        try:
            stream = driftline.read([record], **{k: v for k, v in options.items() if k != "format"})
            documents = list(stream)
        except DriftlineError as error:
            if options.get("on_error") == "raise":
                raise
            self._reject(line.number, str(error))
            return
        if not documents:
            self._reject(line.number, stream.rejections.summary())
            return
        document = documents[0]
        row = self.model.transform_texts([document.text])
        found = self.model.estimator_.update(row, document.time)
        self._show(line.number, document, found)

    def _show(self, number: int, document: Any, found: Any) -> None:
        when = str(document.time)
        if self.as_json:
            events = [{**event._asdict(), "since": str(event.since)} for event in found.events]
            facts = {"line": number, "time": when, "topic": found.label, "probability": round(found.probability, 4)}
            self._write(json.dumps({**facts, "bursts": events}, ensure_ascii=False))
            return
        text = " ".join(document.text.split())[:60]
        self._write(f"{when[:19]}  {found.label}  {100 * found.probability:.0f} %  {text}")
        for event in found.events:
            rate = f"{event.rate:.3g} a day, {100 * event.probability:.0f} % sure"
            since = "" if event.kind == "begins" else f", since {str(event.since)[:19]}"
            self._write(f"{when[:19]}  *** {event.label}: a burst {event.kind} ({rate}{since})")

    def _write(self, line: str) -> None:
        self.target.write(line + "\n")

    def _reject(self, number: int, reason: str) -> None:
        self.place["rejected"] += 1
        click.echo(f"line {number}: {reason}; left out", err=True)

    def _save(self) -> None:
        """Replace the saved place in one step, so that a crash leaves the old or the new one."""
        path, draft = self.folder / "place.json", self.folder / "place.json.new"
        draft.write_text(json.dumps({**self.place, "live": self.model.estimator_.live_state()}), encoding="utf-8")
        with open(draft, "rb") as file:
            os.fsync(file.fileno())
        os.replace(draft, path)


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

    def _ask(self, number: int, frame: Any) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


def _from_file(path: Path, session: _Session, once: bool) -> Iterator[list[Line]]:
    place = session.place
    follower = LineFollower(path, offset=place["offset"], number=place["number"], identity=place["identity"])
    while True:
        batch: list[Line] = []
        for line in follower.new_lines():
            batch.append(line)
            if len(batch) >= AT_A_TIME:
                place["identity"] = follower.identity
                yield batch
                batch = []
        if follower.restarted:
            click.echo(f"{path} was replaced or cut short; reading it from its beginning", err=True)
            follower.restarted = False
        place["identity"] = follower.identity
        yield batch
        if once:
            return
        clock.sleep(BETWEEN_LOOKS)


def _from_standard_input(session: _Session) -> Iterator[list[Line]]:
    """Hand every line over as it comes; what was read before a restart is gone from the pipe and counted on."""
    number = session.place["number"]
    for content in sys.stdin.buffer:
        number += 1
        yield [Line(number, content.rstrip(b"\n"), 0)]
