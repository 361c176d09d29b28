"""Output of a classifier's scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftline.cli.conventions import print_facts, print_json, print_table, say

if TYPE_CHECKING:
    from driftline.evaluation.classification_scores import ClassificationScores
    from driftline.smoothing.unit_mean import Interval


def show_scores(scores: ClassificationScores, *, as_json: bool) -> None:
    """Print scores as facts and tables, or as JSON."""
    if as_json:
        print_json(scores)
        return
    from driftline.core.results import counted

    unseen = ", ".join(scores.unseen_labels[:5]) + (", …" if len(scores.unseen_labels) > 5 else "")
    facts = {
        "documents scored": f"{scores.n_documents:,}",
        "accuracy": in_percent(scores.accuracy),
        "most frequent label alone": f"{100 * scores.baseline:.1f} %",
        "log-loss": _plain(scores.log_loss),
        "Brier score": _plain(scores.brier),
        "calibration error": None if scores.calibration_error is None else f"{scores.calibration_error:.3f}",
        "labels never seen by the model": f"{counted(scores.n_unseen, 'document')}: {unseen}"
        if scores.n_unseen
        else None,
    }
    print_facts({name: value for name, value in facts.items() if value is not None})
    say()
    print_table(
        ["label", "documents", "predicted", "precision", "recall", "F1"],
        [
            [each.label, each.n_documents, each.n_predicted, *map(_share, (each.precision, each.recall, each.f1))]
            for each in scores.classes
        ],
    )
    say()
    print_table(
        ["period", "documents", "accuracy", "95 % interval"],
        [
            [
                _days(each.first, each.last),
                each.n_documents,
                f"{100 * each.accuracy:.1f} %",
                f"{100 * each.low:.1f} to {100 * each.high:.1f} %",
            ]
            for each in scores.periods
        ],
    )
    say()
    print_table(
        ["probability", "documents", "mean probability", "accuracy"],
        [
            [
                f"{each.low:.1f} to {each.high:.1f}",
                each.n_documents,
                f"{each.mean_probability:.3f}",
                f"{each.accuracy:.3f}",
            ]
            for each in scores.calibration
        ],
    )


def in_percent(interval: Interval) -> str:
    """Return a share with its interval in percent."""
    return f"{100 * interval.mean:.1f} % ({100 * interval.low:.1f} to {100 * interval.high:.1f})"


def _plain(interval: Interval | None) -> str | None:
    return None if interval is None else f"{interval.mean:.3f} ({interval.low:.3f} to {interval.high:.3f})"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _days(first: object, last: object) -> str:
    """Return the days of a period; one of them is written once.

    >>> _days("2017-03-27T08:00", "2017-03-27T09:00"), _days("2017-03-27", "2017-03-29")
    ('2017-03-27', '2017-03-27 to 2017-03-29')
    """
    start, end = str(first)[:10], str(last)[:10]
    return start if start == end else f"{start} to {end}"
