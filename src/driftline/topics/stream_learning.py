"""From a stream of texts to topics in bounded memory: fit or transform batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol, Self, TypeVar

import pyarrow as pa

from driftline.core.arrays import Counts, Floats, Matrix
from driftline.core.errors import InvalidInput
from driftline.core.fitted_models import FittedTopicModel
from driftline.core.pictures import Bars, Picture
from driftline.core.progress import track
from driftline.core.results import Columns, Result, counted
from driftline.streams.stream import Stream
from driftline.text.counts import WordCounter
from driftline.text.tokenise import Tokenizer
from driftline.text.vocabulary import Vocabulary, WordList

TOKENIZER = Tokenizer(stop_words="english")


class _TopicBatchFields(NamedTuple):
    """The fields of `TopicBatch`."""

    ids: pa.Array
    times: pa.Array
    shares: Floats


class TopicBatch(Result, _TopicBatchFields):
    """The topic shares of some documents (documents × topics) with their ids and times, as Arrow arrays."""

    __slots__ = ()

    def _columns(self) -> Columns:
        shares = {f"topic_{k}": self.shares[:, k] for k in range(self.shares.shape[1])}
        return {"id": self.ids, "time": self.times, **shares}

    def _summary(self) -> str:
        return f"{counted(len(self.ids), 'document')}, {counted(self.shares.shape[1], 'topic')}"

    def _picture(self) -> Picture:
        names = [f"topic {k}" for k in range(self.shares.shape[1])]
        return Bars(names, self.shares.mean(axis=0), "mean share")


class LearnsTopics(FittedTopicModel, Protocol):
    """A topic model that learns incrementally."""

    vocabulary: WordList

    def set_params(self, **parameters: object) -> Self:
        """Set parameters."""

    def partial_fit(self, X: Matrix, /) -> Self:
        """Learn from documents."""


M = TypeVar("M", bound=LearnsTopics)


def learn_from_stream(model: M, stream: Stream, vocabulary: WordList, *, tokenizer: Tokenizer = TOKENIZER) -> M:
    """Fit a model to all documents of a stream by `partial_fit`; only one batch is in memory at a time.

    Words that are not in the vocabulary are ignored. Returns the model, which then has the vocabulary.
    """
    model.set_params(vocabulary=Vocabulary.of(vocabulary))
    for batch in track(stream.batches(), "learning topics"):
        model.partial_fit(_counted(batch, model.vocabulary, tokenizer))
    return model


def topic_flow(model: LearnsTopics, stream: Stream, *, tokenizer: Tokenizer = TOKENIZER) -> Iterator[TopicBatch]:
    """Yield the topic shares of the documents of a stream, batch by batch; only one batch is in memory at a time.

    >>> from driftline.streams.stream import Stream
    >>> from driftline.topics import LDA
    >>> stream = Stream.from_documents([("a", "2003-03-20", "war in iraq", None), ("b", "2003-04-02", "sars", None)])
    >>> model = learn_from_stream(LDA(n_topics=2, random_state=0), stream, ["war", "iraq", "sars"])
    >>> [batch.shares.shape for batch in topic_flow(model, stream)]
    [(2, 2)]
    """
    if getattr(model, "vocabulary", None) is None:
        raise InvalidInput("texts are counted with the model's vocabulary, and it has none; fit it with vocabulary=")
    for batch in track(stream.batches(), "inferring topics"):
        yield TopicBatch(
            batch["id"], batch["time"], model.transform(_counted(batch, Vocabulary.of(model.vocabulary), tokenizer))
        )


def _counted(batch: pa.RecordBatch, vocabulary: WordList | None, tokenizer: Tokenizer) -> Counts:
    counter = WordCounter(tokenizer, vocabulary=vocabulary)
    counter.add(batch["text"])
    return counter.finish()[0]
