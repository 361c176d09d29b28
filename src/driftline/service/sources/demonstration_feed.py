"""The demonstration: the simulated newswire, a day per second, with a storm that rises at second 40."""

from __future__ import annotations

import itertools
import re
import time

import numpy as np

from driftline.datasets.newswire import simulate_newswire
from driftline.service.json_records import Record, digest_of
from driftline.service.sources.threaded import ThreadedSource
from driftline.service.store.keys import DAY
from driftline.service.submissions import Intake, Place, Submission

PER_DAY = 100
STEPS = 10
"""Number of parts in which the stories of a day are sent."""
NAMED = {re.compile(r"\bPetra\b"): "Storm Petra"}
"""Full names, so that readers of the guide find the storm under the name given there."""


def with_full_names(text: str) -> str:
    """Return a story with the full names of the demonstration.

    >>> with_full_names("Late Petra closed roads.")
    'Late Storm Petra closed roads.'
    """
    for name, full in NAMED.items():
        text = name.sub(full, text)
    return text


class NewswireSource(ThreadedSource):
    """The stories of a simulated year, sent at `seconds_per_day`."""

    kind = "newswire"

    def __init__(self, seconds_per_day: float = 1.0, n_documents: int = 365 * PER_DAY, seed: int = 0) -> None:
        super().__init__("newswire")
        self.unit = "stories"
        self._pace, self._n, self._seed = seconds_per_day, n_documents, seed

    def read(self, writer: Intake) -> None:
        """Send the stories of each tenth of a day at its time; a restart continues after the last stored story."""
        wire = simulate_newswire(self._n, random_state=self._seed)
        times = wire.times.astype("datetime64[us]").astype(np.int64)
        steps = (times - int(wire.start.astype("datetime64[us]").astype(np.int64))) * STEPS // DAY
        place = self.place(writer)
        first = 0 if place is None else place.place
        if first >= len(times):
            self.lag = 0.0
            return
        begin = time.time() - steps[first] * self._pace / STEPS
        edges = [*np.flatnonzero(np.diff(steps, prepend=-1)).tolist(), len(times)]
        for begins, end in itertools.pairwise(edges):
            if end <= first:
                continue
            if not self.wait_until(begin + (steps[begins] + 1) * self._pace / STEPS):
                return
            start = max(begins, first)
            records = [
                Record(
                    int(times[i]),
                    with_full_names(wire.texts[i]),
                    wire.ids[i],
                    None,
                    digest_of(b"i" + wire.ids[i].encode(), writer.secret),
                )
                for i in range(start, end)
            ]
            self.hand_over(writer, Submission(self.name, records, Place("", end)))
            self.lag = float(len(times) - end)
        self.finish()
