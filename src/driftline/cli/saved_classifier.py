"""Loading a saved model for a command that needs a certain kind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from driftline.core.errors import InvalidInput

if TYPE_CHECKING:
    import pyarrow as pa

    from driftline.base.text_model import TextModel
    from driftline.monitoring.text_classifier import TextClassifier


def load_text_model(path: Path) -> TextModel:
    """Return a saved model with a vocabulary; refuse any other."""
    from driftline.base.text_model import TextModel
    from driftline.persistence.model import load

    fitted = load(path)
    if not isinstance(fitted, TextModel):
        raise InvalidInput(f"{path} is a {type(fitted).__name__} without a vocabulary; save one with 'driftline fit'")
    return fitted


def load_classifier(path: Path, command: str) -> TextClassifier:
    """Return a saved classifier that can be updated and checked; refuse any other model."""
    from driftline.monitoring.text_classifier import TextClassifier

    fitted = load_text_model(path)
    if not hasattr(fitted, "predict_proba"):
        inner = type(fitted.estimator_).__name__
        raise InvalidInput(f"{path} is a language model ({inner}); `driftline {command}` needs a classifier")
    if not isinstance(fitted, TextClassifier):
        raise InvalidInput(
            f"{path} does not record what it learned from, which `driftline {command}` needs; "
            f"fit it again with 'driftline fit'"
        )
    return fitted


def require_documents(table: pa.Table, name: str) -> None:
    """Refuse a source without documents."""
    if not len(table):
        raise InvalidInput(f"{name} has no documents; name a source with at least one")
