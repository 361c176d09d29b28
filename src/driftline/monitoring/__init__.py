"""Classifiers in use: trained on raw text, updated, scored, and checked for drift."""

from driftline.monitoring.drift_check import DriftCheck, Thresholds, check_drift
from driftline.monitoring.text_classifier import TextClassifier

__all__ = ["DriftCheck", "TextClassifier", "Thresholds", "check_drift"]
