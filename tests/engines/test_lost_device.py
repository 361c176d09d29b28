"""A device that is lost in the middle of a run: the error says so, and the run is resumed on the processor."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.compute.cpu import lda_epochs as cpu_epochs
from driftline.compute.gpu.memory import explained
from driftline.core.errors import DeviceUnavailable
from driftline.engines.gpu import GpuEngine
from driftline.engines.threads import Threads
from driftline.inference.checkpoint import FileCheckpoint
from driftline.inference.lda_online import OnlineProblem
from driftline.inference.learned_priors import NONE_LEARNED
from driftline.inference.pairs import Pairs
from driftline.inference.run import run
from driftline.inference.stopping import Stop
from driftline.inference.topic_counts import TopicCounts
from driftline.topics import lda_epochs
from tests.compute.stub_device import stub_device
from tests.topics.corpora import drawn

N_TOPICS, N_STEPS = 3, 6


class CudaAPIError(Exception):
    """As the driver's error is called."""


class Fragile:
    """A kernel that works some times, and then finds that the device is gone."""

    def __init__(self, kernel, n_calls):
        self.kernel, self.left = kernel, n_calls

    def __call__(self, *arguments):
        self.left -= 1
        if self.left < 0:
            raise CudaAPIError("[719] Call to cuMemcpyDtoH results in\n CUDA_ERROR_LAUNCH_FAILED")
        return self.kernel(*arguments)


@pytest.fixture(scope="module")
def X():
    return drawn(60, 40, N_TOPICS, 30)[0]


@pytest.fixture(autouse=True)
def few_steps(monkeypatch):
    small = {"PASSES": 2, "FROM_NOISE": lda_epochs.Schedule(2, 2, 2), "CHUNKS": 3, "SAMPLED_FROM": np.inf}
    for name, value in small.items():
        monkeypatch.setattr(lda_epochs, name, value)


def lda(engine, X, checkpoint):
    rng, pairs = np.random.default_rng(1), Pairs.of(X)
    start = np.random.default_rng(0).gamma(1.0, 1.0, (X.shape[1], N_TOPICS)).astype(np.float32)
    topics = TopicCounts.starting(start, np.full(N_TOPICS, 0.1), 0.01)
    with engine:
        parts = lda_epochs.random_parts(pairs, N_TOPICS, rng)
        method = lda_epochs.epochs_method(engine, parts, N_TOPICS, NONE_LEARNED, deterministic=True)
        problem = OnlineProblem(pairs, topics.state(), N_TOPICS, {})
        return np.array(run(method, problem, stop=Stop(N_STEPS), rng=rng, checkpoint=checkpoint).result.counts)


KERNELS = {"learn_documents": 11, "word_shares": 7}
"""Kernels during whose calls the device is lost, and how many calls are done before."""


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_run_on_a_lost_device_is_resumed_on_the_processor(X, kernel, tmp_path):
    expected = lda(Threads(1), X, None)
    fragile = Fragile(getattr(cpu_epochs, kernel), KERNELS[kernel])
    checkpoint = FileCheckpoint(tmp_path / "run", every=1)
    of_it = {"explained": explained, "clear": Fragile(None, 0)}
    said = pytest.raises(DeviceUnavailable, match=r"lost \(\[719\] .*LAUNCH_FAILED\).*a checkpoint can be resumed")
    with stub_device(lda_epochs={kernel: fragile}, memory=of_it) as stub, said:
        lda(GpuEngine(device=stub.name), X, checkpoint)
    assert fragile.left < 0
    assert checkpoint.load() is not None, "a step was saved before the device was lost"
    np.testing.assert_array_equal(lda(Threads(1), X, checkpoint), expected)


def test_other_errors_stay_what_they_are():
    raised = pytest.raises(ZeroDivisionError)
    with stub_device(memory={"explained": explained}) as stub, raised, GpuEngine(device=stub.name):
        _ = 1 // 0
