"""Families run on whatever device their engine has: here on a stub that records the calls and pads topics otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.coding import SparseTopicalCoding
from driftline.compute import current_device, on_device
from driftline.compute.cpu import lda_memory
from driftline.engines import Threads, engine_of
from driftline.evolving.frames.neighbour_graph import cosine_neighbours
from driftline.intensity import IntensityTracker, WordBursts
from driftline.local import LocalLogisticRegression
from driftline.topics import LDA
from tests.compute.stub_device import stub_device
from tests.topics.corpora import drawn

TIMES = np.linspace(0, 100, 120)


@pytest.fixture(scope="module")
def X():
    return drawn(120, 40, 3, 30)[0]


def lda(X, n_jobs):
    return LDA(3, inference="gibbs", max_epochs=2, burn_in=2, n_samples=2, random_state=0, n_jobs=n_jobs).fit(X)


def online_lda(X, n_jobs):
    model = LDA(3, max_epochs=2, random_state=0, n_jobs=n_jobs).fit(X)
    return np.hstack([model.components_.ravel(), model.transform(X).ravel()])


def logistic(X, n_jobs):
    y = np.arange(X.shape[0]) % 2
    model = LocalLogisticRegression(bandwidth=30.0, C=1.0, n_jobs=n_jobs).fit(X, y, times=TIMES)
    return model.predict_proba(X, times=TIMES)


def tracker(X, n_jobs):
    text = np.log(np.asarray(X[:, :5].todense()) + 0.5)
    return IntensityTracker(inference="ep", n_levels=4, n_jobs=n_jobs).fit(text, times=TIMES).intensity_


FAMILIES = {
    "LDA": (lambda X, n: lda(X, n).components_, {"lda_gibbs.sweep_tokens", "lda_memory.pad_columns"}),
    "LDA, online": (online_lda, {"lda_online.learn_pairs", "document_completion.settle"}),
    "LocalLogisticRegression": (logistic, {"logistic.newton", "logistic_path.scores_by_group"}),
    "IntensityTracker": (tracker, {"intensity_ep.sweep", "intensity_ep.mix"}),
    "WordBursts": (
        lambda X, n: WordBursts(every=10, n_jobs=n).fit(X, times=TIMES).bursts_["weight"].to_numpy(),
        {"burst.word_bursts"},
    ),
    "SparseTopicalCoding": (
        lambda X, n: SparseTopicalCoding(3, max_iter=2, random_state=0, n_jobs=n).fit_transform(X),
        {"topical_coding.code_counts"},
    ),
    "neighbours": (lambda X, n: cosine_neighbours(X, 3, n_jobs=n).data, {"neighbours.nearest_rows"}),
}


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_runs_on_the_device_of_its_engine(X, family, n_jobs):
    answer, expected = FAMILIES[family]
    on_processor = np.asarray(answer(X, n_jobs))
    with stub_device() as stub, on_device(stub.name):
        on_stub = np.asarray(answer(X, n_jobs))
    assert expected <= set(stub.calls)
    assert on_stub.tobytes() == on_processor.tobytes()


def test_the_layout_of_topics_belongs_to_the_device(X):
    """A device that pads to other widths serves the same models."""

    def wide(n_topics):
        return 64 + lda_memory.padded(n_topics)

    expected = lda(X, 2)
    with stub_device(lda_memory={"padded": wide}) as stub, on_device(stub.name):
        model = lda(X, 2)
        shares = model.transform(X)
    assert "lda_memory.padded" in stub.calls
    np.testing.assert_allclose(model.components_, expected.components_, rtol=1e-4)
    np.testing.assert_allclose(shares, expected.transform(X), rtol=1e-3, atol=1e-5)


def test_tasks_and_the_block_have_the_device_of_the_engine():
    with stub_device() as stub:
        for n_jobs in (1, 2):
            engine = Threads(n_jobs, stub.name)
            assert engine.map(current_device, [(), ()]) == [stub.name] * 2
            with engine:
                assert current_device() == stub.name
                assert engine.map(current_device, [(), ()]) == [stub.name] * 2
                assert engine.derive(current_device, [()]) == [stub.name]
            assert current_device() == "cpu"
        with on_device(stub.name):
            made = engine_of("threads", 2)
        assert made.device == stub.name
