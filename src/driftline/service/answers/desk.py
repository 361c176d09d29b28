"""The answers of the labelling desk."""

from __future__ import annotations

from typing_extensions import TypedDict

from driftline.service.answers.screens import LabelEvent


class Suggestion(TypedDict):
    """A document to label, leased to the asker until `until`. `guess` is None before the first labels."""

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
    """GET /api/suggestions?n=2: documents worth labelling, leased for ten minutes."""

    suggestions: list[Suggestion]
    labels: list[str]


class LabelAnswer(TypedDict):
    """POST /api/labels ``{"key", "label", "lease", "undo"}``.

    `label` is None for a skipped document; with ``"undo": true`` the asker's last label of the document is withdrawn.
    """

    event: LabelEvent
    classifier: Classifier


class CalibrationBin(TypedDict):
    """Guesses with probabilities in an interval: their mean, the share that was right, and their number."""

    predicted: float
    right: float
    n: int


class Classifier(TypedDict):
    """GET /api/classifier: the labels so far, and how good the guesses are.

    `flipped` are answers for documents of the present frame that the last learning changed; `expected` is the mean
    probability of the guesses, with an interval of 90 %; `right` is the share of guesses that agreed with the label
    given afterwards, None before the first. `kappa` is Cohen's κ of documents labelled by two people.
    `pending` labels are not learned yet.
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
    """A document whose answer changed in the last learning."""

    key: str
    snippet: str
    before: str | None
    now: str | None
