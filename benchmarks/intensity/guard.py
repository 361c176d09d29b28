"""Whether validation on the training documents protects `IntensityClassifier` where the stream cannot help.

    python -m benchmarks.intensity.guard [chosen] [faint] [speeches] [reported] [mail] [fresh] [plain] [strong]

By default the classifier combines models of the stream only where that makes clearly fewer errors than its own answer,
calibrated or not, when later training documents are predicted from earlier ones, and only while the models overrule
that answer not much more often than they did then; and it answers alone where it predicts held-out training documents
hardly better than the class shares do. This default is compared with always combining three models, on the streams of
`benchmarks.intensity.real` and others. The rule was chosen by `benchmarks.intensity.guard_rules`, on newsgroups, git
logs, mailing lists, speeches by party, commits by author, posts by client and simulated streams. Losses are the streams
with more errors than the classifier alone; *significantly* is McNemar's exact test at 5 % divided by the number of
streams.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.intensity.real import BASES, compared, relative, worse
from benchmarks.intensity.streams import CHOSEN_ON, FAINT, FRESH, REPORTED_ON, SPEECHES, Split, Streams, mail
from benchmarks.measure import print_table
from driftline.intensity import IntensityClassifier
from driftline.intensity.classification.forward_choice import COMBINED

ALWAYS = "always combined"
DEFAULT = "IntensityClassifier"
WORST = 3
SETS: dict[str, tuple[str, Streams]] = {
    "chosen": ("Newsgroups and git logs", CHOSEN_ON),
    "faint": ("Simulated, hardly any signal", FAINT),
    "speeches": ("Speeches by party", SPEECHES),
    "reported": ("Six other kinds", {name: splits for name, splits in REPORTED_ON.items() if splits is not mail}),
    "mail": ("Mailing lists", {"mailing lists": mail}),
    "fresh": ("Four further kinds", FRESH),
}
KINDS = dict(zip(("plain", "strong"), BASES))


class Outcome(NamedTuple):
    """Which documents of a stream each way gets wrong, and the methods that were used."""

    name: str
    alone: Any
    wrong: dict[str, Any]
    methods: tuple[str, ...]


def main() -> None:
    asked = sys.argv[1:]
    for name in [name for name in asked if name in SETS] or SETS:
        for kind in [name for name in asked if name in KINDS] or KINDS:
            title, streams = SETS[name]
            found = {
                collection: [outcome(split, BASES[KINDS[kind]]) for split in splits()]
                for collection, splits in streams.items()
            }
            report(f"{title}, base {KINDS[kind]}", found)


def outcome(split: Split, base: Callable[[], Any]) -> Outcome:
    model = IntensityClassifier(base()).fit(split.train, split.y_train, times=split.times_train)
    used = tuple(model.methods_used(split.test, times=split.times_test))
    model.simpler_ = None
    wrong = {}
    for name, methods in ((ALWAYS, COMBINED), (DEFAULT, used)):
        model.methods_ = list(methods)
        wrong[name] = model.predict(split.test, times=split.times_test) != split.y_test
    return Outcome(split.name, model.estimator_.predict(split.test) != split.y_test, wrong, used)


def report(title: str, found: dict[str, list[Outcome]]) -> None:
    """Print each collection and all together, then the streams with the largest losses of either way."""
    together = [one for outcomes in found.values() for one in outcomes]
    groups = {"all": together, **(found if len(found) > 1 else {})}
    print_table(
        title,
        [
            "streams",
            "how many",
            "method",
            "change in errors, mean",
            "more errors than the classifier alone",
            "significantly",
            "sum of the losses",
            "used instead of the three",
        ],
        [row(group, outcomes, name) for group, outcomes in groups.items() for name in (ALWAYS, DEFAULT)],
    )
    largest = {one.name: one for name in (ALWAYS, DEFAULT) for one in by_loss(together, name)[:WORST]}
    print_table(
        f"{title}: the {WORST} streams where either way loses most",
        ["stream", "documents", "error of the classifier alone", ALWAYS, DEFAULT, "used"],
        [
            (
                one.name,
                len(one.alone),
                *(f"{100 * errors.mean():.1f} %" for errors in (one.alone, *one.wrong.values())),
                ", ".join(one.methods),
            )
            for one in largest.values()
        ],
    )


def row(group: str, outcomes: list[Outcome], name: str) -> tuple[Any, ...]:
    changes = change(outcomes, name)
    instead = Counter(one.methods[0] for one in outcomes if one.methods != COMBINED)
    return (
        group,
        len(outcomes),
        name,
        f"{100 * changes.mean():+.1f} %",
        int((changes > 0).sum()),
        worse([compared(one.wrong[name], one.alone) for one in outcomes], len(outcomes)),
        f"{100 * changes.clip(0).sum():.0f} %",
        ", ".join(f"{method} {n}" for method, n in instead.most_common()) if name == DEFAULT else "",
    )


def change(outcomes: list[Outcome], name: str) -> Any:
    """Return the relative change in errors, stream by stream."""
    own = np.array([one.alone.sum() for one in outcomes])
    return relative(np.array([one.wrong[name].sum() for one in outcomes]), own)


def by_loss(outcomes: list[Outcome], name: str) -> list[Outcome]:
    """Return the streams, those first on which the share of errors rises most."""
    return sorted(outcomes, key=lambda one: one.alone.mean() - one.wrong[name].mean())


if __name__ == "__main__":
    main()
