"""A session of `driftline watch`: lines in, results out, and the state kept between runs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import driftline
from driftline.cli.conventions import say
from driftline.cli.output_file import OutputFile
from driftline.cli.place_file import BEGINNING, damaged, read_place, write_place
from driftline.cli.state_folder import locked
from driftline.core.display import one_line, safe_json
from driftline.core.errors import DriftlineError, InvalidInput
from driftline.readers.line_follower import FileMark, Line, LineFollower

if TYPE_CHECKING:
    from driftline.base.text_model import TextModel
    from driftline.intensity.bursts.burst_watcher import WatchedDocument
    from driftline.streams.schema import Document


class WatchedLine(NamedTuple):
    """A line and its document, or the reason why there is none (both None: the line is empty)."""

    line: Line
    document: Document | None
    fault: str | None


class WatchSession:
    """Process lines, write results, and save the position.

    Results are written first, then state and position are replaced atomically. With an output file, text that a killed
    process wrote after the last saved state is truncated on resumption, since it will be written again.
    """

    def __init__(
        self,
        folder: Path,
        model: TextModel,
        source: str,
        *,
        output: Path | None,
        as_json: bool,
        options: dict[str, Any],
    ) -> None:
        self.folder = folder
        self.model = model
        self.as_json = as_json
        self.options = options
        self.output: OutputFile | None = None
        self._lock = locked(folder, "watch")
        try:
            self.place = self._resumed(source)
            if output is not None:
                self.output = self._opened(output)
        except BaseException:
            self._lock.close()
            raise
        self._is_kept = True

    def _resumed(self, source: str) -> dict[str, Any]:
        path = self.folder / "place.json"
        place = read_place(path)
        if place is None:
            return {**BEGINNING, "source": source}
        try:
            self.model.estimator_.resume(place.pop("live"))
        except InvalidInput as error:
            raise damaged(path, str(error)) from error
        if place["source"] != source:
            raise InvalidInput(f"{self.folder} follows {place['source']}, not {source}; name another --state")
        return place

    def _opened(self, path: Path) -> OutputFile:
        """Open the output where this state left it, and record that it is open."""
        if path.exists() and os.path.realpath(path) == os.path.realpath(self.place["source"]):
            raise InvalidInput(f"{path} is the file that is followed; name another --output")
        place, name = self.place, str(path.absolute())
        own = place["output"] == name
        file = OutputFile(
            path,
            written=place["written"] if own else 0,
            fingerprint=place["fingerprint"] if own else "",
            closed=place["closed"] if own else True,
        )
        self.output = file
        place["output"] = name
        try:
            self._keep()
        except BaseException:
            file.close()
            raise
        return file

    def __enter__(self) -> WatchSession:
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            if self.output is not None and self._is_kept:
                self._keep(closed=True)
        finally:
            if self.output is not None:
                self.output.close()
            self._lock.close()
        if self.place["rejected"]:
            say(f"{self.place['rejected']:,} lines were rejected since this state was created", err=True)

    def follower(self, path: Path) -> LineFollower:
        """Return a reader of the file that continues at the saved position."""
        place = self.place
        mark = None if place["mark"] is None else FileMark(*place["mark"])
        return LineFollower(path, offset=place["offset"], number=place["number"], mark=mark, ended=place["ended"])

    def take(self, lines: Iterable[Line]) -> None:
        """Process some lines, write the results, and save the position.

        An interruption leaves the position of the last batch; an error for a rejected line leaves that before the line.
        """
        read = [self._read(line) for line in lines]
        if not read:
            return
        documents = [each.document for each in read if each.document is not None]
        evidence = iter(())
        if documents:
            rows = self.model.transform_texts([document.text for document in documents])
            evidence = iter(self.model.estimator_.classifier_.log_likelihood(rows))
        self._is_kept = False
        for line, document, fault in read:
            if document is not None:
                self._show(line.number, document, self.model.estimator_.advance(next(evidence), document.time))
            elif fault is not None:
                self._reject(line.number, fault)
            self.place.update(offset=line.end, number=line.number, mark=line.mark, ended=line.ended)
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
            return WatchedLine(line, None, "not a JSON object with a time and a text")
        try:
            # One by one, so that the result does not depend on the grouping of lines on arrival
            stream = driftline.read([record], **self.options)
            documents = list(stream)
        except DriftlineError as error:
            return WatchedLine(line, None, str(error))
        return WatchedLine(line, *((documents[0], None) if documents else (None, stream.rejections.summary())))

    def _show(self, number: int, document: Document, found: WatchedDocument) -> None:
        when = str(document.time)
        if self.as_json:
            events = [{**event._asdict(), "since": str(event.since)} for event in found.events]
            facts = {"line": number, "time": when, "topic": found.label, "probability": round(found.probability, 4)}
            self._write(safe_json(json.dumps({**facts, "bursts": events}, ensure_ascii=False)))
            return
        # Nothing in a document or a label may control the terminal
        text = one_line(document.text, longest=60)
        self._write(f"{when[:19]}  {one_line(str(found.label))}  {100 * found.probability:.0f} %  {text}")
        for event in found.events:
            rate = f"{event.rate:.3g} per day, {100 * event.probability:.0f} % certain"
            since = "" if event.kind == "begins" else f", since {str(event.since)[:19]}"
            self._write(f"{when[:19]}  *** {one_line(str(event.label))}: a burst {event.kind} ({rate}{since})")

    def _write(self, line: str) -> None:
        if self.output is None:
            sys.stdout.write(line + "\n")
        else:
            self.output.write(line + "\n")

    def _reject(self, number: int, reason: str) -> None:
        if self.options.get("on_error") == "raise":
            self._keep()
            raise InvalidInput(f"line {number}: {reason}")
        self.place["rejected"] += 1
        say(f"line {number}: {reason}; rejected", err=True)

    def _keep(self, *, closed: bool = False) -> None:
        """Flush the output, then replace the saved position atomically: a crash leaves the old or the new one."""
        if self.output is None:
            sys.stdout.flush()
        else:
            written, fingerprint = self.output.flush()
            self.place.update(written=written, fingerprint=fingerprint, closed=closed)
        write_place(self.folder / "place.json", {**self.place, "live": self.model.estimator_.live_state()})
        self._is_kept = True
