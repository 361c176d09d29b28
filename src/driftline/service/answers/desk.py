"""The answers of the labelling desk."""

from __future__ import annotations

from typing_extensions import TypedDict

from driftline.service.answers.screens import LabelEvent


class Suggestion(TypedDict):
    """A document to label, leased to this person until `until`. `guess` is None before the first labels."""

    key: str
    id: str | None
    time: float
    source: str
    text: str
    guess: str | None
    probability: float | None
    probabilities: dict[str, float]
    lease: str
    until: float
    second_opinion: bool


class SuggestionList(TypedDict):
    """GET /api/suggestions?n=2: the documents most useful to label, leased for ten minutes."""

    suggestions: list[Suggestion]
    labels: list[str]


class LabelAnswer(TypedDict):
    """POST /api/labels ``{"key", "label", "lease", "undo"}``.

    `label` is None for a skipped document; ``"undo": true`` withdraws this person's last label of the document.
    """

    event: LabelEvent
    classifier: Classifier


class CalibrationBin(TypedDict):
    """Guesses with probabilities in an interval: mean probability, share of correct guesses, and number of guesses."""

    predicted: float
    right: float
    n: int


class Classifier(TypedDict):
    """GET /api/classifier: the labels so far, and the accuracy of the guesses.

    `flipped` is the number of documents of the current frame whose guess changed in the last update. `expected` is the
    mean probability of the guesses, with an interval of 90 %. `right` is the share of guesses that agreed with the
    label given afterwards, None before the first. `kappa` is Cohen's κ of documents labelled by two people. `pending`
    is the number of labels that are not learned yet.
    """

    labels: list[str]
    counts: list[int]
    n_labels: int
    pending: int
    n_frame: int
    flipped: int
    expected: float | None
    expected_low: float | None
    expected_high: float | None
    right: float | None
    n_tested: int
    calibration: list[CalibrationBin]
    kappa: float | None
    n_double: int
    examples: list[FlippedAnswer]


class FlippedAnswer(TypedDict):
    """A document whose guess changed in the last update."""

    key: str
    snippet: str
    before: str | None
    now: str | None
