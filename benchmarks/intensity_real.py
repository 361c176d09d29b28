"""Real streams: classifiers corrected by intensities, beside everything that explains part of the gain.

    python -m benchmarks.intensity_real [news] [mail] [git] [twenty] [paper]

The first 25 % of each stream is for training. Rows are averages over pairs of classes of the relative change in errors;
a pair is *worse* if McNemar's test says so at 5 % and *over the limit* if it has more than max(2 %, 2 documents) more
errors.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
from scipy.special import softmax
from scipy.stats import binomtest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import FunctionTransformer

from benchmarks.measure import print_table, real_data
from driftline.intensity import IntensityClassifier
from driftline.intensity.calibration import VectorScaling

HALF_LIFE = 10
SHUFFLES = 3
BASES: dict[str, Callable[[], Any]] = {
    "logistic regression": lambda: LogisticRegression(max_iter=1000),
    "class-balanced, C = 10": lambda: LogisticRegression(max_iter=1000, C=10, class_weight="balanced"),
}


class Split(NamedTuple):
    """One stream of some classes, in time order: vectors of the training part and of the rest."""

    name: str
    train: Any
    test: Any
    y_train: Any
    y_test: Any
    times_train: Any
    times_test: Any


def main() -> None:
    wanted = sys.argv[1:] or ["news", "mail", "git", "twenty", "paper"]
    for name in wanted:
        if name == "paper":
            as_in_the_paper()
            continue
        for base in BASES:
            report(name, base)


def report(name: str, base: str) -> None:
    found: dict[str, list[tuple[int, int, int, float]]] = {}
    for split in {"news": news, "mail": mail, "git": git, "twenty": twenty}[name]():
        for method, errors in judged(split, BASES[base]).items():
            found.setdefault(method, []).append(errors)
    rows = []
    for method, pairs in found.items():
        own, errors, sizes, p_values = (np.array(column) for column in zip(*pairs))
        change = (errors - own) / np.maximum(own, 1)
        rows.append(
            (
                method,
                f"{100 * change.mean():+.0f} %",
                f"{100 * (errors.sum() / own.sum() - 1):+.0f} %",
                int((errors < own).sum()),
                int(((errors > own) & (p_values < 0.05)).sum()),
                int((errors - own > np.maximum(0.02 * sizes, 2)).sum()),
            )
        )
    n_pairs = len(next(iter(found.values())))
    own = sum(pair[0] for pair in next(iter(found.values())))
    total = sum(pair[2] for pair in next(iter(found.values())))
    print_table(
        f"{name}: {n_pairs} streams, base {base} (its own error {100 * own / total:.1f} %)",
        ["method", "change in errors, mean", "pooled", "better", "significantly worse", "over the limit"],
        rows,
    )


def judged(split: Split, base: Callable[[], Any]) -> dict[str, tuple[int, int, int, float]]:
    model = IntensityClassifier(base()).fit(split.train, split.y_train, times=split.times_train)
    own = model.estimator_.predict(split.test)
    scores = VectorScaling(model.scale_, model.bias_).scores(model.estimator_.predict_log_proba(split.test))
    likelihood = scores - model.log_prior_
    predictions = {
        "calibration alone": scores.argmax(axis=1),
        "re-estimated priors (Saerens)": saerens(likelihood, np.exp(model.log_prior_)).argmax(axis=1),
        f"two-sided weighted prior, half-life {HALF_LIFE}": weighted_prior(likelihood).argmax(axis=1),
    }
    named = {method: model.classes_[columns] for method, columns in predictions.items()}
    for margin in (0.75, 0.5):
        model.set_params(margin=margin)
        named[f"IntensityClassifier, margin {margin}"] = model.predict(split.test, times=split.times_test)
    model.set_params(margin=0.5)
    rng = np.random.default_rng(0)
    shuffled = []
    for _ in range(SHUFFLES):
        order = rng.permutation(len(split.y_test))
        shuffled.append(model.predict(split.test, times=split.times_test[order]))
    refitted = IntensityClassifier(base(), refit=True)
    refitted.fit(split.train, split.y_train, times=split.times_train)
    named["with refit, margin 0.75"] = refitted.predict(split.test, times=split.times_test)
    answers = {method: compared(own, labels, split.y_test) for method, labels in named.items()}
    wrong = np.mean([(labels != split.y_test).sum() for labels in shuffled])
    answers["margin 0.5, times shuffled"] = (int((own != split.y_test).sum()), wrong, len(own), 1.0)
    return answers


def compared(own: Any, other: Any, y: Any) -> tuple[int, int, int, float]:
    """Return the errors of both, the number of documents, and McNemar's exact p-value."""
    lost, won = int(((own == y) & (other != y)).sum()), int(((own != y) & (other == y)).sum())
    p_value = binomtest(min(lost, won), lost + won).pvalue if lost + won else 1.0
    return int((own != y).sum()), int((other != y).sum()), len(y), float(p_value)


def saerens(likelihood: Any, prior: Any, n_steps: int = 100) -> Any:
    """Re-estimate the class shares of the stream by EM."""
    for _ in range(n_steps):
        prior = softmax(likelihood + np.log(prior), axis=1).mean(axis=0)
    return softmax(likelihood + np.log(prior), axis=1)


def weighted_prior(likelihood: Any, n_steps: int = 20) -> Any:
    """Take the posteriors of the neighbours, before and after, weighted by their distance, for the prior."""
    n, n_classes = likelihood.shape
    keep = 0.5 ** (1 / HALF_LIFE)
    posterior = softmax(likelihood, axis=1)
    for _ in range(n_steps):
        prior = np.full((n, n_classes), 0.5)
        for rows in (range(n), range(n - 1, -1, -1)):
            before = np.zeros(n_classes)
            for t in rows:
                prior[t] += before
                before = keep * (before + posterior[t])
        posterior = softmax(likelihood + np.log(prior / prior.sum(axis=1, keepdims=True)), axis=1)
    return posterior


def split_of(name: str, texts: Any, labels: Any, times: Any, rows: Any) -> Split | None:
    rows = rows[np.argsort(times[rows], kind="stable")]
    n = len(rows) // 4
    y = labels[rows]
    if min((y[:n] == label).sum() for label in np.unique(y)) < 5:
        return None
    vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=2, stop_words="english")
    train = vectorizer.fit_transform(texts[rows[:n]])
    test = vectorizer.transform(texts[rows[n:]])
    return Split(name, train, test, y[:n], y[n:], times[rows[:n]], times[rows[n:]])


def read(name: str, *columns: str) -> tuple[Any, Any, Any]:
    table = pq.read_table(real_data(name), columns=["time", "label", *columns])
    parts = [table[column].to_pylist() for column in columns]
    texts = np.array([" ".join(part or "" for part in row) for row in zip(*parts)], dtype=object)
    return texts, np.array(table["label"].to_pylist()), table["time"].to_numpy()


def news() -> Iterator[Split]:
    texts, labels, times = read("20news_bydate", "subject", "text")
    for group in ("comp.", "rec.", "sci.", "talk."):
        inside = [label for label in np.unique(labels) if label.startswith(group)]
        for pair in itertools.combinations(inside, 2):
            split = split_of("/".join(pair), texts, labels, times, np.flatnonzero(np.isin(labels, pair)))
            if split:
                yield split


def mail() -> Iterator[Split]:
    texts, labels, times = read("maillists_2019_2026", "subject", "text")
    year = times.astype("datetime64[Y]").astype(int) + 1970
    for pair, one in itertools.product(itertools.combinations(np.unique(labels), 2), range(2020, 2026)):
        rows = np.flatnonzero(np.isin(labels, pair) & (year == one))
        split = split_of(f"{'/'.join(pair)} {one}", texts, labels, times, rows)
        if split:
            yield split


def git() -> Iterator[Split]:
    texts, labels, times = read("gitlog_2003_2008", "text")
    for pair in itertools.combinations(np.unique(labels), 2):
        split = split_of("/".join(pair), texts, labels, times, np.flatnonzero(np.isin(labels, pair)))
        if split:
            yield split


def twenty() -> Iterator[Split]:
    texts, labels, times = read("20news_bydate", "subject", "text")
    split = split_of("all twenty", texts, labels, times, np.arange(len(labels)))
    if split:
        yield split


def as_in_the_paper() -> None:
    """Gaussian naive Bayes on eight latent dimensions, as in the paper, on pairs of newsgroups and of mailing lists."""
    rows = []
    for name, splits in (("news", news), ("mail", mail)):
        own_errors, errors, calibrated = [], [], []
        for split in splits():
            reduction = TruncatedSVD(8, random_state=0).fit(split.train)
            dense = FunctionTransformer(reduction.transform)
            model = IntensityClassifier(GaussianNB(), margin=0.5)
            model.fit(dense.transform(split.train), split.y_train, times=split.times_train)
            points = dense.transform(split.test)
            own = model.estimator_.predict(points)
            scores = VectorScaling(model.scale_, model.bias_).scores(model.estimator_.predict_log_proba(points))
            own_errors.append((own != split.y_test).sum())
            calibrated.append((model.classes_[scores.argmax(axis=1)] != split.y_test).sum())
            errors.append((model.predict(points, times=split.times_test) != split.y_test).sum())
        own_sum = np.array(own_errors)
        rows.append(
            (
                name,
                len(own_errors),
                *(
                    f"{100 * np.mean((np.array(found) - own_sum) / np.maximum(own_sum, 1)):+.0f} %"
                    for found in (calibrated, errors)
                ),
            )
        )
    print_table(
        "Gaussian naive Bayes on eight latent dimensions (the paper, on other data: -32 %, -45 %, -22 %)",
        ["streams", "how many", "calibration alone", "IntensityClassifier, margin 0.5"],
        rows,
    )


if __name__ == "__main__":
    main()
