"""A classifier of texts, frame by frame, with a growing vocabulary."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from driftline.base.estimator import DriftEstimator
from driftline.base.state_layout import Anything, Array, Layout, Number, Part
from driftline.core.arrays import Counts, Floats, Ints
from driftline.core.errors import ModelFileError
from driftline.evolving import EvolutionaryClassifier
from driftline.streams.corpus import DEFAULT_TOKENIZER
from driftline.text.counts import WordCounter
from driftline.text.rows import Texts
from driftline.text.tokenise import Tokenizer
from driftline.text.vocabulary import Vocabulary

NO_WORD = ""
"""Word of the first column, which occurs in no text, so that even a frame without known words can be learned."""


class FrameLearner(DriftEstimator):
    """Learn from texts frame by frame (time step by time step); only some of them have labels.

    The vocabulary grows as words occur: a word that has been in `min_df` documents, over all frames, gets a column.
    Rarer words do not connect documents, and would only enlarge the model.

    Parameters
    ----------
    tokenizer : Tokenizer, optional
        The rules for splitting text into words; by default lower-case words of at least two letters without English
        stop words.
    min_df : int
        Minimum number of documents with a word.
    n_jobs : int or None
        Number of threads of the neighbour search; the result does not depend on it.

    >>> learner = FrameLearner().begin()
    >>> learner.learn(["rain and wind", "goal and match", "wind", "match"], ["weather", "sport", None, None], 0.0)
    >>> learner.labels, learner.classifier_.transduction_.tolist()
    (['sport', 'weather'], ['weather', 'sport', 'weather', 'sport'])
    """

    _state_layout: ClassVar[Layout | None] = {
        "vocabulary_": Anything(),
        "documents_with_": Array("known", kind="i", least=0),
        "columns_": Array("words", kind="i", below="known"),
        "classifier_": Part(EvolutionaryClassifier),
        "n_frames_": Number(least=0, whole=True),
    }

    def _check_state(self) -> dict[str, int]:
        sizes = super()._check_state()
        if sizes and len(self.vocabulary_) != sizes["known"]:
            raise ModelFileError(
                f"the model counts {sizes['known']} words and knows {len(self.vocabulary_)}; it is damaged"
            )
        return sizes

    def __init__(self, *, tokenizer: Tokenizer | None = None, min_df: int = 2, n_jobs: int | None = None) -> None:
        self.tokenizer = tokenizer
        self.min_df = min_df
        self.n_jobs = n_jobs

    def begin(self) -> FrameLearner:
        """Reset the learner."""
        self.vocabulary_ = Vocabulary([NO_WORD])
        """All words that have occurred."""
        self.documents_with_: Ints = np.zeros(1, dtype=np.int64)
        """Number of documents with each of them."""
        self.columns_: Ints = np.zeros(1, dtype=np.int64)
        """The words that the classifier knows, in the order of its columns."""
        self.classifier_ = EvolutionaryClassifier(vocabulary=self.vocabulary_, n_jobs=self.n_jobs)
        self.n_frames_ = 0
        return self

    @property
    def labels(self) -> list[str]:
        """The labels seen so far, in the order of the classifier's classes."""
        return [str(label) for label in self.classifier_.classes_] if self.n_frames_ else []

    def learn(self, texts: Texts, labels: list[str | None], start: object) -> None:
        """Learn the next frame, which begins at `start`; None is a text without a label."""
        X = self._counts(texts)
        if self.n_frames_:
            self.classifier_.grow_vocabulary(self._known_words())
        else:
            self.classifier_.set_params(vocabulary=self._known_words())
        self.classifier_.partial_fit(X, np.array(labels, dtype=object), times=np.full(X.shape[0], start))
        self.n_frames_ += 1

    def probabilities(self, texts: Texts) -> Floats:
        """Return the probability of every label for texts outside the current frame, from their words alone."""
        counter = WordCounter(self._tokenizer, vocabulary=self.vocabulary_)
        counter.add(texts)
        return self.classifier_.predict_proba(counter.finish()[0][:, self.columns_])

    @property
    def _tokenizer(self) -> Tokenizer:
        return self.tokenizer if self.tokenizer is not None else DEFAULT_TOKENIZER

    def _counts(self, texts: Texts) -> Counts:
        """Count the texts of a new frame, add new words, and return the columns that the classifier knows."""
        counter = WordCounter(self._tokenizer, vocabulary=self.vocabulary_, grow=True)
        counter.add(texts)
        counts, self.vocabulary_ = counter.finish()
        documents_with = np.bincount(counts.indices, minlength=len(self.vocabulary_))
        documents_with[: len(self.documents_with_)] += self.documents_with_
        self.documents_with_ = documents_with
        is_new = documents_with >= self.min_df
        is_new[self.columns_] = False
        self.columns_ = np.concatenate([self.columns_, np.flatnonzero(is_new)])
        return counts[:, self.columns_]

    def _known_words(self) -> Vocabulary:
        return Vocabulary(self.vocabulary_.words[self.columns_])
