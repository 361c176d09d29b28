"""Families ask an engine for its properties, never for its name: engines of other names, with the same properties."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from sklearn.utils._param_validation import StrOptions

import driftline
from driftline.coding import LocalContextSparseCoding
from driftline.core.errors import InvalidInput
from driftline.engines import choose
from driftline.engines.choose import ENGINES, engine_of, register_engine, traits_of
from driftline.engines.contract import Traits
from driftline.engines.gpu import GpuEngine
from driftline.engines.threads import Threads
from driftline.guidance import Guide
from driftline.intensity import IntensityTracker
from driftline.topics import LDA, PLSA, MixtureOfUnigrams
from tests.compute.stub_device import stub_device
from tests.topics.corpora import drawn

FAMILIES = ("local", "evolving", "intensity", "coding", "topics", "nonparametric", "sequences", "graphs")
SOURCE = Path(driftline.__file__).parent
NAME = "abacus"
TIMES = np.linspace(0, 100, 60)


@pytest.fixture(scope="module")
def X():
    return drawn(60, 40, 3, 30)[0]


@pytest.fixture
def named(monkeypatch):
    """Return a function that registers an engine under a name that no family can know."""

    def register(traits, make):
        monkeypatch.setattr(choose, "_kinds", dict(choose._kinds))
        register_engine(NAME, traits, make)
        for family in (LDA, PLSA, MixtureOfUnigrams, IntensityTracker, LocalContextSparseCoding):
            monkeypatch.setitem(family._parameter_constraints, "engine", [StrOptions({*ENGINES, NAME})])

    return register


@pytest.fixture
def device(named):
    """Register an engine with the properties of the graphics processor, on a stub device; give the stub."""
    with stub_device() as stub:
        named(GpuEngine.traits, lambda n_jobs: GpuEngine(device=stub.name))
        yield stub


def text_of(X):
    return np.log(np.asarray(X[:, :5].todense()) + 0.5)


def sequences(X):
    return [np.repeat(row.indices, row.data.astype(int)) for row in X[:8]]


FITS = {
    "LDA": (lambda X: LDA(3, max_epochs=2, random_state=0, engine=NAME).fit(X), "lda_epochs."),
    "PLSA": (lambda X: PLSA(3, max_steps=2, random_state=0, engine=NAME).fit(X), "plsa."),
    "MixtureOfUnigrams": (lambda X: MixtureOfUnigrams(3, random_state=0, engine=NAME).fit(X), "unigrams."),
    "IntensityTracker": (
        lambda X: IntensityTracker(n_levels=4, engine=NAME).fit(text_of(X), times=TIMES),
        "intensity_ep.",
    ),
    "LocalContextSparseCoding": (
        lambda X: LocalContextSparseCoding(3, max_iter=2, random_state=0, engine=NAME).fit_transform(sequences(X)),
        "local_contexts.",
    ),
}


@pytest.mark.parametrize("family", FITS)
def test_a_family_runs_on_a_device_that_it_does_not_know(X, device, family):
    fit, kernels = FITS[family]
    fit(X)
    assert any(call.startswith(kernels) for call in device.calls)


def own_priors(X):
    return np.full((X.shape[0], 3), 0.1)


REFUSED = {
    "LDA, sampled": lambda X: LDA(3, inference="gibbs", engine=NAME).fit(X),
    "LDA, variational": lambda X: LDA(3, inference="vb", engine=NAME).fit(X),
    "LDA, in parts": lambda X: LDA(3, n_partitions=2, engine=NAME).fit(X),
    "LDA, own priors": lambda X: LDA(3, engine=NAME).fit(X, document_prior=own_priors(X)),
    "PLSA": lambda X: PLSA(3, engine=NAME).fit(X, document_prior=own_priors(X)),
    "MixtureOfUnigrams": lambda X: MixtureOfUnigrams(3, engine=NAME, guide=Guide().topic("first", [1])).fit(X),
    "IntensityTracker": lambda X: IntensityTracker(inference="exact", engine=NAME).fit(text_of(X), times=TIMES),
    "LocalContextSparseCoding": lambda X: LocalContextSparseCoding(3, loss="hellinger", engine=NAME).fit_transform(
        sequences(X)
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_such_a_device_has_no_kernels_for_is_refused(X, device, case):
    with pytest.raises(InvalidInput, match=f"engine='{NAME}' (takes|learns|supports)"):
        REFUSED[case](X)


class Far(Threads):
    """Threads that say that they do not share memory."""

    traits = Traits(one_memory=False)
    made = 0

    def __init__(self, n_jobs=None):
        type(self).made += 1
        super().__init__(2)


def test_documents_are_divided_where_workers_do_not_share_memory(X, named):
    named(Far.traits, Far)
    Far.made = 0
    model = LDA(3, max_epochs=2, random_state=0, engine=NAME).fit(X)
    assert Far.made == 1
    expected = LDA(3, max_epochs=2, random_state=0, n_partitions=2).fit(X)
    assert model.components_.tobytes() == expected.components_.tobytes()
    model.transform(X)
    assert Far.made == 1  # known topics: the data would have to travel


def test_the_traits_of_a_name_are_those_of_the_engine():
    assert {name: traits_of(name) for name in ENGINES} == {
        "threads": Threads.traits,
        "dask": Traits(one_memory=False),
        "gpu": GpuEngine.traits,
        "auto": Threads.traits,
    }
    assert engine_of("threads").traits is Threads.traits
    with pytest.raises(InvalidInput, match="no engine 'abacus'; the engines are 'threads', 'dask', 'gpu'"):
        engine_of(NAME)


def engine_names_in(text: str) -> set[int]:
    """Return the lines that compare something with the name of an engine, or contain that of a device or a cluster."""
    lines = set()
    for node in ast.walk(ast.parse(text)):
        strings = {each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and type(each.value) is str}
        if isinstance(node, ast.Compare) and strings & (set(ENGINES) - {"auto"}):
            lines.add(node.lineno)
        if isinstance(node, ast.Constant) and node.value in ("cpu", "gpu", "dask"):
            lines.add(node.lineno)
    return lines


def test_no_family_compares_the_name_of_an_engine():
    text = 'a == "threads"\n"""gpu and others"""\nb = "gpu"\nc in ("dask", 1)\nd == "auto"'
    assert engine_names_in(text) == {1, 3, 4}
    folders = (*FAMILIES, "base", "inference", "guidance")
    texts = {path: path.read_text() for folder in folders for path in (SOURCE / folder).rglob("*.py")}
    assert len(texts) > 200
    assert {
        str(path.relative_to(SOURCE)): lines for path, text in texts.items() if (lines := engine_names_in(text))
    } == {}
