"""The loop label → fit → suggest → label with simulated answers: how right is it, for so many labels a frame?"""

from __future__ import annotations

import numpy as np

from driftline.analysis.labelling import StreamLabeller
from driftline.datasets.newswire import SimulatedNewswire
from driftline.streams.stream import Stream


def accuracy_of_the_loop(wire: SimulatedNewswire, *, n_labels: int, suggested: bool, seed: int = 0) -> float:
    """Return the share of documents nobody labelled that are right, over the year, with `n_labels` answers a month."""
    rng = np.random.default_rng(seed)
    truth = dict(zip(wire.ids, wire.true_labels.tolist()))
    labeller = StreamLabeller(every="1mo")
    months = wire.times.astype("datetime64[M]")
    right: list[bool] = []
    for month in np.unique(months):
        rows = np.flatnonzero(months == month)
        documents = [(wire.ids[i], wire.times[i], wire.texts[i]) for i in rows]
        first = labeller.label(Stream.from_documents(documents).table(), n_suggestions=n_labels)
        asked = [each.id for each in first.suggestions]
        if not suggested:
            asked = [wire.ids[i] for i in rng.choice(rows, len(asked), replace=False)]
        answered = [(*document, truth[document[0]]) for document in documents if document[0] in asked]
        answers = labeller.label(Stream.from_documents(answered).table()).answers
        own = {wire.ids[i] for i in rows} - set(asked)
        right += [
            truth[name] == label
            for name, label in zip(answers["id"].to_pylist(), answers["label"].to_pylist())
            if name in own
        ]
    return float(np.mean(right))
