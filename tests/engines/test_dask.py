"""On a real local cluster of two worker processes, one of which is killed in the middle of a fit."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings

import numpy as np
import pytest

from driftline.topics import LDA, PLSA, MixtureOfUnigrams
from tests.topics.corpora import drawn

distributed = pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture(scope="module")
def client():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
        )
        with cluster, distributed.Client(cluster) as client:
            yield client


@pytest.fixture(scope="module")
def corpus():
    return drawn(300, 80, 4, 50)[0]


@pytest.mark.parametrize(
    "parameters",
    [
        {"inference": "online", "max_epochs": 3},
        {"inference": "vb", "max_epochs": 3},
        {"inference": "gibbs", "max_epochs": 2, "burn_in": 2, "n_samples": 2},
        {"inference": "gibbs", "max_epochs": 2, "burn_in": 2, "n_samples": 2, "synchronisation": "hierarchical"},
        {"inference": "gibbs", "max_epochs": 5, "burn_in": 1, "n_samples": 1, "doc_topic_prior": "learned"},
    ],
    ids=lambda parameters: "-".join(str(value) for value in parameters.values()),
)
def test_two_workers_equal_two_partitions_in_threads(client, corpus, parameters):
    on_workers = LDA(4, engine="dask", n_partitions=2, random_state=0, **parameters).fit(corpus)
    in_threads = LDA(4, engine="threads", n_partitions=2, random_state=0, **parameters).fit(corpus)
    assert on_workers._word_topic_.tobytes() == in_threads._word_topic_.tobytes()


def test_plsa_too(client, corpus):
    on_workers, in_threads = (
        PLSA(4, engine=engine, n_partitions=2, random_state=0, max_steps=4).fit(corpus)
        for engine in ("dask", "threads")
    )
    assert on_workers.components_.tobytes() == in_threads.components_.tobytes()


def test_a_mixture_of_unigrams_too(client, corpus):
    on_workers, in_threads = (
        MixtureOfUnigrams(4, engine=engine, random_state=0, max_steps=4).fit(corpus) for engine in ("dask", "threads")
    )
    assert on_workers.components_.tobytes() == in_threads.components_.tobytes()


def test_without_a_number_there_is_one_partition_per_worker(client, corpus):
    on_workers = LDA(4, engine="dask", random_state=0, max_epochs=2).fit(corpus)
    in_threads = LDA(4, n_partitions=2, random_state=0, max_epochs=2).fit(corpus)
    np.testing.assert_array_equal(on_workers.components_, in_threads.components_)


def test_a_killed_worker_does_not_change_the_answer(client, corpus):
    parameters = {"inference": "gibbs", "max_epochs": 3, "burn_in": 150, "n_samples": 5, "n_partitions": 2}
    expected = LDA(4, random_state=0, **parameters).fit(corpus)
    before = {worker["id"]: client.run(os.getpid) for worker in client.scheduler_info(n_workers=-1)["workers"].values()}
    assert before
    victim = next(iter(client.run(os.getpid).values()))
    killed = []

    def kill():
        time.sleep(0.5)
        os.kill(victim, signal.SIGKILL)
        killed.append(time.monotonic())

    killer = threading.Thread(target=kill)
    killer.start()
    model = LDA(4, engine="dask", random_state=0, **parameters).fit(corpus)
    finished = time.monotonic()
    killer.join()
    assert killed[0] < finished, "the worker died while the fit was going on"
    assert victim not in client.run(os.getpid).values()
    assert model._word_topic_.tobytes() == expected._word_topic_.tobytes()
