"""Models on disk: arrays, vocabulary and manifest, without pickle."""

from driftline.persistence.describe import ModelDescription, describe
from driftline.persistence.model import load, save_model

__all__ = ["ModelDescription", "describe", "load", "save_model"]
