"""Saving and loading of models: arrays, vocabulary and manifest, without pickle."""

from driftline.persistence.model import load, save_model
from driftline.persistence.model_description import ModelDescription, describe

__all__ = ["ModelDescription", "describe", "load", "save_model"]
