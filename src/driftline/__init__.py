"""driftline: text that changes over time. What changed, when, and how certain that is.

>>> import driftline
>>> driftline.__version__
'0.1.0'

Names are imported on first use, so that ``import driftline`` is fast.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "Corpus": "driftline.streams.corpus",
    "EvolutionaryClassifier": "driftline.evolving.estimators.evolutionary_classifier",
    "EvolutionarySmoother": "driftline.evolving.estimators.evolutionary_smoother",
    "ManifoldClassifier": "driftline.evolving.estimators.manifold_classifier",
    "Stream": "driftline.streams.stream",
    "StreamLabeller": "driftline.labelling.stream_labeller",
    "TextModel": "driftline.base.text_model",
    "Tokenizer": "driftline.text.tokenise",
    "TwoFrameClassifier": "driftline.evolving.estimators.two_frame_classifier",
    "Vocabulary": "driftline.text.vocabulary",
    "analyse": "driftline.analysis.analyse",
    "forward_validation": "driftline.evolving.frames.forward_validation",
    "load": "driftline.persistence.model",
    "read": "driftline.readers.read",
    "simulate_newswire": "driftline.datasets.newswire",
    "write_report": "driftline.report.write",
}
__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'driftline' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
