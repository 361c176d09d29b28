"""Methods that label a stream from few labels, all with the same words, weights and labels: ours and common ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier

from driftline.evolving.frames.tfidf import document_frequencies, tfidf


class Contender(Protocol):
    """Receives one frame after the other."""

    def step(self, counts: sp.csr_matrix, codes: np.ndarray) -> np.ndarray:
        """Learn a frame (−1 = unlabelled) and return the probability of every class for its documents."""
        ...


class Ours:
    """A classifier of driftline."""

    def __init__(self, model: Any, n_classes: int) -> None:
        self._model, self._n_classes = model, n_classes

    def step(self, counts: sp.csr_matrix, codes: np.ndarray) -> np.ndarray:
        self._model.partial_fit(counts, codes)
        result = np.zeros((counts.shape[0], self._n_classes))
        result[:, self._model.classes_] = self._model.label_distributions_
        return result


class _Remembering(ABC):
    """What the others share: tf-idf with document frequencies of the past, and the labelled documents so far."""

    def __init__(self, n_classes: int) -> None:
        self._n_classes, self._frequencies, self._n_documents = n_classes, None, 0
        self._frames: list[tuple[sp.csr_matrix, np.ndarray]] = []

    def step(self, counts: sp.csr_matrix, codes: np.ndarray) -> np.ndarray:
        seen = document_frequencies(counts)
        self._frequencies = seen if self._frequencies is None else self._frequencies + seen
        self._n_documents += counts.shape[0]
        labelled = codes >= 0
        if labelled.any():
            self._frames.append((counts[labelled], codes[labelled]))
        probabilities = self.judge(self._weighted(counts), codes)
        result = np.zeros((counts.shape[0], self._n_classes))
        result[:, probabilities[0]] = probabilities[1]
        return result

    @abstractmethod
    def judge(self, features: sp.csr_matrix, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the classes known and their probabilities."""

    def labels(self, last: int | None = None, *, without_now: bool = False) -> tuple[sp.csr_matrix, np.ndarray]:
        """Return the labelled documents of all frames, or of the last ones."""
        frames = self._frames[:-1] if without_now else self._frames
        frames = frames if last is None else frames[-last:]
        if not frames:
            return sp.csr_matrix((0, len(self._frequencies))), np.zeros(0, dtype=np.int64)
        return self._weighted(sp.vstack([f for f, _ in frames], format="csr")), np.concatenate([c for _, c in frames])

    def _weighted(self, counts: sp.csr_matrix) -> sp.csr_matrix:
        return tfidf(counts, self._frequencies, self._n_documents)


def logistic_regression(C: float) -> LogisticRegression:
    """Return scikit-learn's regression, converged (liblinear is its fastest solver on few documents of many words)."""
    return LogisticRegression(C=C, solver="liblinear", max_iter=5000)


def _one_against_all(model: LogisticRegression, labels: np.ndarray) -> Any:
    return model if len(set(labels[labels >= 0])) <= 2 else OneVsRestClassifier(model)


class Refitted(_Remembering):
    """Logistic regression on all labels so far, or on those of the last frames."""

    def __init__(self, n_classes: int, C: float, last: int | None = None) -> None:
        super().__init__(n_classes)
        self._C, self._last = C, last

    def judge(self, features: sp.csr_matrix, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        X, y = self.labels(self._last)
        if len(set(y)) < 2:
            return np.unique(y), np.ones((features.shape[0], len(set(y))))
        model = _one_against_all(logistic_regression(self._C), y).fit(X, y)
        return model.classes_, model.predict_proba(features)


class SelfTrained(_Remembering):
    """scikit-learn's self-training on all labels so far and the unlabelled documents of the frame."""

    def __init__(self, n_classes: int, C: float) -> None:
        super().__init__(n_classes)
        self._C = C

    def judge(self, features: sp.csr_matrix, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        X, y = self.labels()
        if len(set(y)) < 2:
            return np.unique(y), np.ones((features.shape[0], len(set(y))))
        unlabelled = features[codes < 0]
        X = sp.vstack([X, unlabelled], format="csr")
        y = np.concatenate([y, np.full(unlabelled.shape[0], -1)])
        model = SelfTrainingClassifier(_one_against_all(logistic_regression(self._C), y), threshold=0.9).fit(X, y)
        return model.classes_, model.predict_proba(features)


class Spread(_Remembering):
    """scikit-learn's label spreading over the frame together with all labelled documents of earlier frames."""

    def judge(self, features: sp.csr_matrix, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        X, y = self.labels(without_now=bool((codes >= 0).any()))
        together, known = sp.vstack([features, X], format="csr"), np.concatenate([codes, y])
        if len(set(known[known >= 0])) < 2:
            classes = np.unique(known[known >= 0])
            return classes, np.ones((features.shape[0], len(classes)))
        neighbours = min(10, together.shape[0] - 1)
        model = LabelSpreading(kernel="knn", n_neighbors=neighbours, max_iter=100).fit(together, known)
        return model.classes_, np.nan_to_num(model.label_distributions_[: len(codes)], nan=0.5)


class Online(_Remembering):
    """river's online logistic regression, one label after the other, once."""

    def __init__(self, n_classes: int, rate: float) -> None:
        from river import linear_model, multiclass, optim

        super().__init__(n_classes)
        model = linear_model.LogisticRegression(optimizer=optim.SGD(rate), intercept_lr=min(0.1, rate))
        self._model: Any = model if n_classes == 2 else multiclass.OneVsRestClassifier(model)

    def judge(self, features: sp.csr_matrix, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        for i in np.flatnonzero(codes >= 0):
            self._model.learn_one(_words(features, i), int(codes[i]))
        found = [self._model.predict_proba_one(_words(features, i)) for i in range(features.shape[0])]
        return np.arange(self._n_classes), np.array(
            [[one.get(c, 0.0) for c in range(self._n_classes)] for one in found], dtype=float
        ).reshape(-1, self._n_classes)


def _words(features: sp.csr_matrix, i: int) -> dict[int, float]:
    span = slice(features.indptr[i], features.indptr[i + 1])
    return dict(zip(features.indices[span].tolist(), features.data[span].tolist()))
