"""Selection of the next document to label, by expected information gain."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.core.pictures import Bars, Picture
from driftline.core.progress import track
from driftline.core.results import Columns, Result, counted
from driftline.intensity.tracking.implicit_model import IntensityModel, IntensityPosterior

LEAST_CHANCE = 1e-3


class _SuggestionsFields(NamedTuple):
    """The fields of `Suggestions`."""

    documents: Ints
    gains: Floats


class Suggestions(Result, _SuggestionsFields):
    """Documents worth labelling, best first, and the expected information gain of each, in nats."""

    __slots__ = ()

    def _columns(self) -> Columns:
        return {"document": self.documents, "gain": self.gains}

    def _summary(self) -> str:
        return f"{counted(len(self.documents), 'document')} to label"

    def _picture(self) -> Picture:
        return Bars([f"document {each}" for each in self.documents], self.gains, "expected information gain")


def expected_gain(
    model: IntensityModel, infer: Callable[[IntensityModel], IntensityPosterior], document: int, window: int
) -> float:
    r"""Return the expected reduction by a document's label of the uncertainty about the topics around it.

    .. math:: \sum_s H(c_s) - \sum_k p(c_t = k) \sum_s H(c_s \mid c_t = k)

    over the documents s at most `window` places from t (1). One part is the document's own entropy, the rest is the
    information about its neighbours. With a window as long as the stream this is the gain under the model as a whole.
    """
    n = len(model.gaps)
    first, last = max(0, document - window), min(n, document + window + 1)
    part = model._replace(text=model.text[first:last], gaps=model.gaps[first:last])
    plain = infer(part).topic_proba
    gain = _entropy(plain)
    at = document - first
    for k in np.flatnonzero(plain[at] > LEAST_CHANCE):
        answered = part.text.copy()
        answered[at] = np.arange(part.text.shape[1]) == k
        gain -= float(plain[at, k]) * _entropy(infer(part._replace(text=answered)).topic_proba)
    return gain


def most_informative(
    model: IntensityModel,
    infer: Callable[[IntensityModel], IntensityPosterior],
    topic_proba: Floats,
    known: Ints,
    *,
    n: int,
    window: int,
    n_candidates: int,
) -> Suggestions:
    """Return the documents with the largest expected gain, among the most uncertain ones whose topic is unknown."""
    entropy = -np.where(topic_proba > 0, topic_proba * np.log(np.maximum(topic_proba, 1e-300)), 0.0).sum(axis=1)
    entropy = np.where(known >= 0, -1.0, entropy)
    candidates = np.argsort(-entropy, kind="stable")[: max(n, n_candidates)]
    candidates = candidates[entropy[candidates] >= 0]
    gains = np.array(
        [expected_gain(model, infer, int(t), window) for t in track(candidates, "Expected information gain")],
        dtype=np.float64,
    )
    best = np.argsort(-gains, kind="stable")[:n]
    return Suggestions(candidates[best], gains[best])


def _entropy(proba: Floats) -> float:
    return float(-np.where(proba > 0, proba * np.log(np.maximum(proba, 1e-300)), 0.0).sum())
