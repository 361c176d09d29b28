"""Real streams: classifiers corrected by intensities, beside the simpler methods that explain part of the gain.

    python -m benchmarks.intensity.real [chosen] [reported] [paper]

The first quarter of each stream is for training. The methods that `IntensityClassifier` combines, and the decision to
combine rather than select them, were chosen on the streams *chosen on*; nothing was chosen on those *reported on*. When
something simpler takes their place is another question (`benchmarks.intensity.guard`); here they are always combined.
Rows are averages over streams of the relative change in errors, against the classifier alone. A stream is *worse* if
McNemar's exact test says so at 5 % divided by the number of streams (Bonferroni). Both bases are given because the gain
depends on them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.signal import lfilter
from scipy.special import softmax
from scipy.stats import binomtest
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import FunctionTransformer

from benchmarks.intensity.streams import CHOSEN_ON, REPORTED_ON, Split, Streams, mail, news_pairs
from benchmarks.measure import print_table
from driftline.intensity import IntensityClassifier

HALF_LIFE = 10
WINDOW = 3
DEFAULT = "the three combined"
PICKED = "selected by forward validation"
SHUFFLED = "the same, order shuffled"
RIVALS = {
    "calibration alone": ("calibration",),
    "re-estimated shares (Saerens)": ("shares",),
    "tracker alone": ("tracker",),
    "sticky chain alone": ("chain",),
    "neighbours alone, half-life 3": ("neighbours",),
}
CANDIDATES = [("calibration",), ("shares",), ("tracker",), ("chain",), ("tracker", "chain", "neighbours")]
BASES: dict[str, Callable[[], Any]] = {
    "logistic regression": lambda: LogisticRegression(max_iter=1000),
    "class-balanced, C = 10": lambda: LogisticRegression(max_iter=1000, C=10, class_weight="balanced"),
}
SETS: dict[str, tuple[str, Streams]] = {
    "chosen": ("Streams chosen on", CHOSEN_ON),
    "reported": ("Streams reported on", REPORTED_ON),
}

Found = list[tuple[str, Any, dict[str, Any]]]
"""For every stream: its collection, the true labels, and every method's predictions."""


def main() -> None:
    for name in sys.argv[1:] or [*SETS, "paper"]:
        if name == "paper":
            as_in_the_paper()
            continue
        title, streams = SETS[name]
        for base in BASES:
            found = [
                (collection, split.y_test, predictions(split, BASES[base]))
                for collection, splits in streams.items()
                for split in splits()
            ]
            report(title, base, found)


def predictions(split: Split, base: Callable[[], Any]) -> dict[str, Any]:
    """Return every method's labels of one stream; the first are the classifier's own."""
    model = IntensityClassifier(base(), methods=CANDIDATES[-1], refit=True).fit(
        split.train, split.y_train, times=split.times_train
    )
    model.set_params(refit=False)
    found = {"the classifier alone": model.estimator_.predict(split.test)}
    for name, methods in RIVALS.items():
        model.methods_ = list(methods)
        found[name] = model.predict(split.test, times=split.times_test)
    likelihood = model.log_likelihood(split.test)
    found[f"weighted prior, half-life {HALF_LIFE}"] = model.classes_[weighted_prior(likelihood).argmax(axis=1)]
    shares = softmax(likelihood + model.log_prior_, axis=1)
    found[f"majority in a window of {WINDOW}"] = model.classes_[majority(shares).argmax(axis=1)]
    model.methods_ = list(picked(split, base))
    found[PICKED] = model.predict(split.test, times=split.times_test)
    model.methods_ = list(CANDIDATES[-1])
    found[DEFAULT] = model.predict(split.test, times=split.times_test)
    order = np.random.default_rng(0).permutation(len(split.y_test))
    found[SHUFFLED] = model.predict(split.test, times=split.times_test[order])
    model.set_params(time="operational")
    found["the same, operational time"] = model.predict(split.test, times=split.times_test)
    model.set_params(time="gap", refit=True)
    found["the same, refitted"] = model.predict(split.test, times=split.times_test)
    return found


def picked(split: Split, base: Callable[[], Any]) -> tuple[str, ...]:
    """Return the methods that err least on the second half of the training part, learned from the first."""
    half = len(split.y_train) // 2
    known, y, when = split.train[:half], split.y_train[:half], split.times_train[:half]
    if set(y) != set(split.y_train):
        return CANDIDATES[-1]
    model = IntensityClassifier(base(), methods=CANDIDATES[-1]).fit(known, y, times=when)
    scores = []
    for methods in CANDIDATES:
        model.methods_ = list(methods)
        scores.append(model.score(split.train[half:], split.y_train[half:], times=split.times_train[half:]))
    best = [methods for methods, score in zip(CANDIDATES, scores) if score == max(scores)]
    return best[-1]


def report(title: str, base: str, found: Found) -> None:
    methods = list(found[0][2])
    wrong = {method: [labels[method] != y for _, y, labels in found] for method in methods}
    own = np.array([errors.sum() for errors in wrong[methods[0]]])
    sizes = np.array([len(y) for _, y, _ in found])
    rows = []
    for method in methods[1:]:
        errors = np.array([one.sum() for one in wrong[method]])
        against = [compared(one, other) for one, other in zip(wrong[method], wrong[methods[0]])]
        beaten = [compared(one, other) for one, other in zip(wrong[DEFAULT], wrong[method])]
        rows.append(
            (
                method,
                f"{100 * relative(errors, own).mean():+.1f} %",
                f"{100 * (errors.sum() / own.sum() - 1):+.1f} %",
                int((errors < own).sum()),
                int((errors > own).sum()),
                worse(against, len(found)),
                "" if method == DEFAULT else worse(beaten, len(found)),
                "" if method == DEFAULT else worse([(b, a) for a, b in beaten], len(found)),
            )
        )
    print_table(
        f"{title}: {len(found)} streams, {sizes.sum():,} documents, base {base} "
        f"(its own error {100 * own.sum() / sizes.sum():.1f} %)",
        [
            "method",
            "change in errors, mean",
            "pooled",
            "fewer",
            "more",
            "worse than the base",
            "default worse than it",
            "default better",
        ],
        rows,
    )
    by_collection(title, base, found, wrong)


def by_collection(title: str, base: str, found: Found, wrong: dict[str, Any]) -> None:
    """Print the mean change of every method, collection by collection."""
    methods = list(wrong)
    collections = list(dict.fromkeys(name for name, _, _ in found))
    rows = []
    for collection in collections:
        inside = [i for i, (name, _, _) in enumerate(found) if name == collection]
        errors = {method: np.array([wrong[method][i].sum() for i in inside]) for method in methods}
        own = errors[methods[0]]
        n = sum(len(found[i][1]) for i in inside)
        changes = (f"{100 * relative(errors[method], own).mean():+.0f} %" for method in methods[1:])
        rows.append((collection, len(inside), f"{100 * own.sum() / n:.1f} %", *changes))
    print_table(
        f"{title}, base {base}, by collection", ["collection", "streams", "error of the base", *methods[1:]], rows
    )


def relative(errors: Any, own: Any) -> Any:
    return (errors - own) / np.maximum(own, 1)


def compared(one: Any, other: Any) -> tuple[int, int]:
    """Return on how many documents only the one errs, and only the other."""
    return int((one & ~other).sum()), int((other & ~one).sum())


def worse(counts: list[tuple[int, int]], n_streams: int) -> int:
    """Return on how many streams the one errs significantly more, after Bonferroni's correction."""
    return sum(a > b and binomtest(b, a + b).pvalue < 0.05 / n_streams for a, b in counts)


def weighted_prior(likelihood: Any, n_steps: int = 20) -> Any:
    """Take the posteriors of the neighbours, before and after, weighted by their distance, for the prior."""
    keep = 0.5 ** (1 / HALF_LIFE)
    posterior = softmax(likelihood, axis=1)
    for _ in range(n_steps):
        before = lfilter([0.0, keep], [1.0, -keep], posterior, axis=0)
        after = lfilter([0.0, keep], [1.0, -keep], posterior[::-1], axis=0)[::-1]
        prior = 0.5 + before + after
        posterior = softmax(likelihood + np.log(prior / prior.sum(axis=1, keepdims=True)), axis=1)
    return posterior


def majority(posterior: Any) -> Any:
    """Count the votes of a window; the posteriors decide ties."""
    votes = np.eye(posterior.shape[1])[posterior.argmax(axis=1)]
    return np.apply_along_axis(np.convolve, 0, votes, np.ones(WINDOW), mode="same") + 0.1 * posterior


def as_in_the_paper() -> None:
    """Gaussian naive Bayes on eight latent dimensions, as in the paper, on pairs of newsgroups and of mailing lists."""
    rows = []
    for name, splits in (("newsgroups", news_pairs), ("mailing lists", mail)):
        errors: dict[tuple[str, ...], list[int]] = {}
        for split in splits():
            dense = FunctionTransformer(TruncatedSVD(8, random_state=0).fit(split.train).transform)
            model = IntensityClassifier(GaussianNB(), methods=CANDIDATES[-1])
            model.fit(dense.transform(split.train), split.y_train, times=split.times_train)
            points = dense.transform(split.test)
            errors.setdefault((), []).append((model.estimator_.predict(points) != split.y_test).sum())
            for methods in (("calibration",), ("tracker",), CANDIDATES[-1]):
                model.methods_ = list(methods)
                errors.setdefault(methods, []).append(
                    (model.predict(points, times=split.times_test) != split.y_test).sum()
                )
        own, *others = (np.array(found) for found in errors.values())
        rows.append((name, len(own), *(f"{100 * relative(found, own).mean():+.0f} %" for found in others)))
    print_table(
        "Gaussian naive Bayes on eight latent dimensions (the paper, on other data: -32 %, -45 %, -22 %)",
        ["streams", "how many", "calibration alone", "tracker alone", DEFAULT],
        rows,
    )


if __name__ == "__main__":
    main()
