"""What `driftline watch` has reached: lines in, results out, and the state that is kept between runs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import click

import driftline
from driftline.cli.following import FileMark, Line, LineFollower
from driftline.cli.state_folder import locked
from driftline.core.errors import DriftlineError, InvalidInput


class WatchedLine(NamedTuple):
    """A line, and the document in it; or why there is none (both None: the line is empty)."""

    line: Line
    document: Any
    fault: str | None


class WatchSession:
    """Work through lines, hand results over, and keep the place.

    Results go out first, then state and place are replaced in one step. With an output file, what was written after the
    last saved state is cut off when one goes on, since it will be written again.
    """

    def __init__(
        self, folder: Path, model: Any, source: str, *, output: Path | None, as_json: bool, options: dict[str, Any]
    ) -> None:
        self.folder = folder
        self.model = model
        self.as_json = as_json
        self.options = options
        self.place: dict[str, Any] = {"offset": 0, "number": 0, "mark": None, "written": 0, "rejected": 0}
        self._lock = locked(folder, "watch")
        try:
            self._resume(source)
        except Exception:
            self._lock.close()
            raise
        self.to_file = output is not None
        self.target: TextIO = sys.stdout
        if output is not None:
            self._open(output)

    def _resume(self, source: str) -> None:
        path = self.folder / "place.json"
        if path.exists():
            self.place = json.loads(path.read_text(encoding="utf-8"))
            self.model.estimator_.resume(self.place.pop("live"))
        if self.place.setdefault("source", source) != source:
            raise InvalidInput(f"{self.folder} follows {self.place['source']}, not {source}; name another --state")

    def _open(self, output: Path) -> None:
        """Open the output where this state left it; what is in a file that it has not written to stays."""
        self.target = open(output, "a", encoding="utf-8", errors="replace", newline="\n")  # noqa: SIM115 (see __exit__)
        name = str(output.absolute())
        if self.place.get("output") != name:
            self.place.update(output=name, written=self.target.tell())
            self._keep()
        elif self.target.tell() > self.place["written"]:
            self.target.truncate(self.place["written"])
            self.target.seek(self.place["written"])

    def __enter__(self) -> WatchSession:
        return self

    def __exit__(self, *exception: Any) -> None:
        if self.to_file:
            self.target.close()
        self._lock.close()
        if self.place["rejected"]:
            click.echo(f"{self.place['rejected']:,} lines were left out since this state began", err=True)

    def follower(self, path: Path) -> LineFollower:
        """Return a reader of the file that goes on at the place."""
        mark = None if self.place["mark"] is None else FileMark(*self.place["mark"])
        return LineFollower(path, offset=self.place["offset"], number=self.place["number"], mark=mark)

    def take(self, lines: Iterable[Line]) -> None:
        """Work through some lines, hand the results over, and keep the place."""
        read = [self._read(line) for line in lines]
        if not read:
            return
        documents = [each.document for each in read if each.document is not None]
        evidence = iter(())
        if documents:
            rows = self.model.transform_texts([document.text for document in documents])
            evidence = iter(self.model.estimator_.classifier_.log_likelihood(rows))
        try:
            for line, document, fault in read:
                if document is not None:
                    self._show(line.number, document, self.model.estimator_.advance(next(evidence), document.time))
                elif fault is not None:
                    self._reject(line.number, fault)
                self.place.update(offset=line.end, number=line.number, mark=line.mark)
        finally:
            self._keep()

    def _read(self, line: Line) -> WatchedLine:
        if line.content is None:
            return WatchedLine(line, None, "the line is too long")
        if not line.content.strip():
            return WatchedLine(line, None, None)
        try:
            record = json.loads(line.content)
        except (ValueError, RecursionError) as error:
            return WatchedLine(line, None, f"broken JSON: {error}")
        if not isinstance(record, dict) or not record:
            return WatchedLine(line, None, "no JSON object with a time and a text")
        try:
            # One by one, so that what is read does not depend on which lines happened to come together
            stream = driftline.read([record], **self.options)
            documents = list(stream)
        except DriftlineError as error:
            return WatchedLine(line, None, str(error))
        return WatchedLine(line, *((documents[0], None) if documents else (None, stream.rejections.summary())))

    def _show(self, number: int, document: Any, found: Any) -> None:
        when = str(document.time)
        if self.as_json:
            events = [{**event._asdict(), "since": str(event.since)} for event in found.events]
            facts = {"line": number, "time": when, "topic": found.label, "probability": round(found.probability, 4)}
            self._write(json.dumps({**facts, "bursts": events}, ensure_ascii=False))
            return
        from driftline.figures.escaping import visible

        # Nothing in a document or a label may steer the terminal
        text = visible(" ".join(document.text.split()))[:60]
        self._write(f"{when[:19]}  {visible(str(found.label))}  {100 * found.probability:.0f} %  {text}")
        for event in found.events:
            rate = f"{event.rate:.3g} a day, {100 * event.probability:.0f} % sure"
            since = "" if event.kind == "begins" else f", since {str(event.since)[:19]}"
            self._write(f"{when[:19]}  *** {visible(str(event.label))}: a burst {event.kind} ({rate}{since})")

    def _write(self, line: str) -> None:
        self.target.write(line + "\n")

    def _reject(self, number: int, reason: str) -> None:
        if self.options.get("on_error") == "raise":
            raise InvalidInput(f"line {number}: {reason}")
        self.place["rejected"] += 1
        click.echo(f"line {number}: {reason}; left out", err=True)

    def _keep(self) -> None:
        """Hand over what was written, then replace the saved place in one step: a crash leaves the old or the new."""
        self.target.flush()
        if self.to_file:
            os.fsync(self.target.fileno())
            self.place["written"] = self.target.tell()
        path, draft = self.folder / "place.json", self.folder / "place.json.new"
        with open(draft, "w", encoding="utf-8") as file:
            json.dump({**self.place, "live": self.model.estimator_.live_state()}, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
