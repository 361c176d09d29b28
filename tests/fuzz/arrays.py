"""Targets that fit: matrices, times and labels of every kind into every estimator."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from driftline.local.changed_words.discovery import changed_words
from tests.contracts.checks import answers, fit
from tests.contracts.comparing import finite_or_refused
from tests.contracts.estimators import ESTIMATORS
from tests.contracts.samples import KINDS, N_WORDS, Sample
from tests.fuzz.targets import Target

ORDINARY = [0.0, 0.0, 0.0, 1.0, 2.0, 0.5, 7.0]
EXTREME = [1e-300, 1e-9, 1e9, 1e15]
WRONG = [2e15, 1e300, -1.0, float("nan"), float("inf")]
TIMES = [0.0, 1.0, 1.0, 2.5, -1.0, 1e-12, 1e9]
WRONG_TIMES = [1e15, 1e300, -1e300, float("nan"), float("inf")]
BY_NAME = {contract.name: contract for contract in ESTIMATORS}

_ordinary = st.sampled_from(ORDINARY)
_with_extremes = _ordinary | st.sampled_from(EXTREME)
_with_wrong = _with_extremes | st.sampled_from(WRONG)
# Most matrices contain no invalid value, or all would be refused at once
matrices = st.sampled_from([_ordinary, _ordinary, _with_extremes, _with_extremes, _with_wrong]).flatmap(
    lambda values: st.lists(st.lists(values, min_size=4, max_size=4), min_size=0, max_size=8)
)
_times = st.lists(st.sampled_from(TIMES), max_size=8)
times = st.none() | _times | _times | st.lists(st.sampled_from(TIMES + WRONG_TIMES), max_size=8)
labels = st.lists(st.sampled_from([-1, 0, 1, 1, 0, 2]), min_size=0, max_size=8)
damage = (
    st.none()
    | st.none()
    | st.tuples(
        st.sampled_from(["indices", "indptr", "data"]),
        st.integers(0, 9),
        st.sampled_from([-1, 0, 1, 5, 99, 2**31 - 1, -(2**31)]),
    )
)
layouts = st.sampled_from(["csr", "csc", "coo", "dense", "dense F", "array"])
asked = st.booleans()


def matrix_of(rows: list[list[float]], layout: str, harm: Any) -> Any:
    """Return the matrix, as wide as those of the samples, in a layout; its parts damaged if requested."""
    dense = np.zeros((len(rows), N_WORDS))
    dense[:, ::3] = np.array(rows, dtype=np.float64).reshape(-1, 4)
    if layout.startswith("dense"):
        return np.asfortranarray(dense) if layout.endswith("F") else dense
    made = {"csr": sp.csr_matrix, "csc": sp.csc_matrix, "coo": sp.coo_matrix, "array": sp.csr_array}[layout](dense)
    if harm is not None:
        name, place, value = harm
        name = {"indices": "col", "indptr": "row"}.get(name, name) if layout == "coo" else name
        part = getattr(made, name).copy()
        if len(part):
            part[place % len(part)] = value
            setattr(made, name, part)
    return made


def _sample(kind: str, case: Any) -> Sample:
    rows, layout, harm, moments, known = case
    n = len(rows)
    when = None if moments is None else np.array((moments + [0.0] * n)[:n])
    if kind in ("counts", "labels"):
        X = matrix_of(rows, layout, harm)
        y = np.array((known + [0, 1] * n)[:n], dtype=np.int64) if kind == "labels" else None
        return Sample(X, when, y)
    if kind == "sequences":
        return Sample([np.array(row) for row in rows], when)
    if kind == "tags":
        tagged = np.empty(n, dtype=object)
        tagged[:] = [["B-N" if value > 1 else "O" for value in row] for row in rows]
        return Sample([[str(value) for value in row] for row in rows], when, tagged)
    if kind == "log-likelihoods":
        return Sample(np.array(rows, dtype=np.float64).reshape(-1, 4)[:, :3], when)
    return Sample(np.array([value for row in rows for value in row]))


def run_estimator(case: Any) -> None:
    """Fit, answer, learn a part more: finite answers or a clear error, and never a crash."""
    name, *rest, learn_plainly = case
    contract = BY_NAME[name]
    sample = _sample(contract.data, rest)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        first = KINDS[contract.data]() if learn_plainly else sample
        estimator = finite_or_refused(lambda: fit(contract.make(), first), "fit")
        if estimator is None:
            return
        if not learn_plainly or contract.data != "times":
            finite_or_refused(lambda: answers(estimator, sample, contract.ask), "answers")
        if hasattr(estimator, "partial_fit"):
            finite_or_refused(lambda: fit(estimator, sample, "partial_fit"), "partial_fit")
            finite_or_refused(lambda: answers(estimator, sample, contract.ask), "answers after partial_fit")


def run_changed_words(case: Any) -> None:
    """The same for the function that takes counts."""
    rows, layout, harm, moments, _ = case
    when = None if moments is None else np.array((moments + [0.0] * len(rows))[: len(rows)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        finite_or_refused(
            lambda: {"p": changed_words(matrix_of(rows, layout, harm), times=when, random_state=1).p_value},
            "changed_words",
        )


_data = (matrices, layouts, damage, times, labels)
TARGETS = [
    Target("estimators", st.tuples(st.sampled_from(sorted(BY_NAME)), *_data, asked), run_estimator, slow=True),
    Target("changed-words", st.tuples(*_data), run_changed_words, slow=True),
]
