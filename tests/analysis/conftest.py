"""One small newswire and its findings, made once for all tests of the analysis."""

from __future__ import annotations

import pytest

from driftline.analysis.analyse import analyse
from driftline.datasets.newswire import simulate_newswire
from driftline.streams.corpus import Corpus
from driftline.streams.stream import Stream
from driftline.text.tokenise import Tokenizer


def stream_of(wire):
    return Stream.from_documents(list(zip(wire.ids, wire.times, wire.texts, wire.labels.tolist())))


@pytest.fixture
def unlabelled():
    """A few stories without labels: quick to analyse."""
    wire = simulate_newswire(600, random_state=1)
    return Stream.from_documents(list(zip(wire.ids, wire.times, wire.texts)))


@pytest.fixture(scope="session")
def wire():
    return simulate_newswire(3000, random_state=3)


@pytest.fixture(scope="session")
def corpus(wire):
    return Corpus.from_stream(stream_of(wire), tokenizer=Tokenizer(stop_words="english"), min_df=2)


@pytest.fixture(scope="session")
def findings(wire):
    return analyse(stream_of(wire), truth=wire)
