"""Saved models with changed arrays and repaired hashes: refused or answered, never a crash of the process.

Every estimator of the contracts is fitted and saved; one array or number is changed, hashes are repaired, and a child
process loads the model and calls everything that can be called. The child is a fork, so a crash in compiled code is
seen by its parent and costs a few milliseconds.
"""

from __future__ import annotations

import atexit
import contextlib
import copy
import faulthandler
import functools
import json
import os
import resource
import shutil
import signal
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

import driftline
from driftline.core.errors import DriftlineError, ModelFileError
from driftline.persistence.manifest import MANIFEST, TENSORS
from tests.contracts.checks import METHODS, TRUSTED, fit, takes
from tests.contracts.estimators import ESTIMATORS, Contract
from tests.contracts.samples import KINDS
from tests.fuzz.targets import Target
from tests.persistence.holder import tamper

LONGEST = 60
"""Seconds after which a child is taken to hang."""
MOST_MEMORY = 16 * 2**30
REFUSED, ANSWERED, DECLINED, ACCIDENT, CRASH = "refused", "answered", "declined", "accident", "crash"
"""Refused by load; loaded and answered; an intended or accidental error in prediction; the process died."""


class Mutation(NamedTuple):
    """A change to one tensor or one number of a saved model."""

    contract: Contract
    where: str
    how: str
    apply: Callable[[dict[str, np.ndarray], dict[str, Any]], None]

    def __str__(self) -> str:
        return f"{self.contract.name}: {self.where}, {self.how}"


class Outcome(NamedTuple):
    """What became of a mutation, and the details of what should not have happened."""

    kind: str
    detail: str = ""


def _flip(bit: int) -> Callable[[np.ndarray, np.random.Generator], np.ndarray]:
    def flip(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        flat = array.copy().reshape(-1).view(np.uint8)
        place = int(rng.integers(array.size)) * array.itemsize + (array.itemsize - 1 if bit >= 8 else 0)
        flat[place] ^= 1 << (bit % 8)
        return flat.view(array.dtype).reshape(array.shape)

    return flip


def _put(value: float) -> Callable[[np.ndarray, np.random.Generator], np.ndarray]:
    def put(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        changed = array.copy()
        if array.dtype.kind in "iu":
            limits = np.iinfo(array.dtype)
            wanted = int(np.clip(value, limits.min, limits.max)) if np.isfinite(value) else limits.max
            changed.reshape(-1)[rng.integers(array.size)] = wanted
        else:
            changed.reshape(-1)[rng.integers(array.size)] = value
        return changed

    return put


CHANGES: dict[str, Callable[[np.ndarray, np.random.Generator], np.ndarray]] = {
    "a low bit flipped": _flip(0),
    "a high bit flipped": _flip(14),
    "the sign flipped": _flip(15),
    "a huge number": _put(2**40),
    "a large number": _put(1000),
    "minus one": _put(-1),
    "a very negative number": _put(-(2**40)),
    "NaN": _put(np.nan),
    "infinity": _put(np.inf),
    "all negative": lambda array, rng: (
        (-array.astype(np.int64) - 5).astype(array.dtype) if array.dtype.kind in "iu" else -np.abs(array) - 1
    ),
    "reversed": lambda array, rng: array[::-1].copy(),
    "shuffled": lambda array, rng: rng.permutation(array),
    "one row less": lambda array, rng: array[:-1].copy(),
    "one row more": lambda array, rng: np.concatenate([array, array[-1:]]),
    "axes swapped": lambda array, rng: array.T.copy(),
    "empty": lambda array, rng: array[:0].copy(),
    "half of the columns": lambda array, rng: array[..., : array.shape[-1] // 2].copy(),
    "as floats": lambda array, rng: array.astype(np.float64 if array.dtype != np.float64 else np.float32),
    "as narrow integers": lambda array, rng: array.astype(np.int8),
}
NUMBERS = (0, -1, 1, 2, 10**9, 10**18, -(10**18), 0.5, 1e300)


def mutations(contract: Contract, folder: Path) -> Iterator[Mutation]:
    """Yield every kind of change to every array and every number of a saved model."""
    tensors = load_file(folder / TENSORS)
    manifest = json.loads((folder / MANIFEST).read_bytes())
    for name, array in tensors.items():
        for how in CHANGES:
            if array.size and array.ndim:
                yield Mutation(contract, name, how, _array_change(name, how))
    for path in _numbers(manifest["model"], ()):
        for value in NUMBERS:
            yield Mutation(contract, "/".join(map(str, path)), f"is {value!r}", _number_change(path, value))


def _array_change(name: str, how: str) -> Callable[[dict[str, np.ndarray], dict[str, Any]], None]:
    def change(tensors: dict[str, np.ndarray], manifest: dict[str, Any]) -> None:
        rng = np.random.default_rng(len(name) + len(how))
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tensors[name] = np.ascontiguousarray(CHANGES[how](tensors[name], rng))
        for node in _nodes(manifest["model"]):
            if node.get("tensor") == name and "shape" in node:
                node["shape"] = list(tensors[name].shape)[:: -1 if node.get("order") == "F" else 1]
                node["dtype"] = tensors[name].dtype.str if node["dtype"][1] in "iufb" else node["dtype"]

    return change


def _number_change(path: tuple[Any, ...], value: Any) -> Callable[[dict[str, np.ndarray], dict[str, Any]], None]:
    def change(tensors: dict[str, np.ndarray], manifest: dict[str, Any]) -> None:
        node = manifest["model"]
        for step in path[:-1]:
            node = node[step]
        node[path[-1]] = value

    return change


def _nodes(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _nodes(part)


def _numbers(node: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    if isinstance(node, bool) or node is None or isinstance(node, str):
        return
    if isinstance(node, int | float):
        yield path
        return
    for step, part in node.items() if isinstance(node, dict) else enumerate(node[:3]):
        yield from _numbers(part, (*path, step))


class SavedModel:
    """A fitted and saved estimator, to be changed again and again."""

    def __init__(self, contract: Contract, folder: Path) -> None:
        self.contract = contract
        self.folder = folder
        self.sample = KINDS[contract.data]()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.model = fit(contract.make(), self.sample)
            self.model.save(folder / "sound", trusted=TRUSTED)
            ask(driftline.load(folder / "sound", trusted=TRUSTED), contract, self.sample)  # compiles what there is
        self.tensors = load_file(folder / "sound" / TENSORS)

    def mutations(self) -> list[Mutation]:
        """Return every kind of change to this model."""
        return list(mutations(self.contract, self.folder / "sound"))

    def try_one(self, mutation: Mutation) -> Outcome:
        """Change the model, load it and apply it; to be called where a crash does no harm."""
        changed = self.folder / "changed"
        changed.mkdir(exist_ok=True)
        for file in (self.folder / "sound").iterdir():
            (changed / file.name).write_bytes(file.read_bytes())
        tensors = dict(self.tensors)

        def change(manifest: dict[str, Any]) -> None:
            mutation.apply(tensors, manifest)
            save_file(tensors, changed / TENSORS, metadata={"format": "driftline"})

        tamper(changed, change)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model = driftline.load(changed, trusted=TRUSTED)
            except ModelFileError:
                return Outcome(REFUSED)
            except Exception:
                return Outcome(ACCIDENT, "load: " + traceback.format_exc(limit=-2))
            try:
                ask(model, self.contract, self.sample)
            except (DriftlineError, ArithmeticError, ValueError, MemoryError):
                return Outcome(DECLINED)
            except Exception:
                return Outcome(ACCIDENT, traceback.format_exc(limit=-3))
        return Outcome(ANSWERED)


def ask(model: Any, contract: Contract, sample: Any) -> None:
    """Call every method that reads, and then learns, once; all are called, whatever the others raise."""
    wrong: Exception | None = None
    for name in (*METHODS, *contract.ask, "partial_fit"):
        method = getattr(model, name, None)
        if method is None:
            continue
        arguments: dict[str, Any] = {}
        if name not in contract.ask and takes(method, "times") and sample.times is not None:
            arguments["times"] = sample.times
        if name in ("score", "partial_fit") and sample.labels is not None:
            arguments["y"] = sample.labels
        given = sample.times if name in contract.ask and sample.times is not None else sample.X
        try:
            with np.errstate(all="ignore"):
                method(given, **arguments)
        except Exception as error:
            if wrong is None or isinstance(wrong, ValueError):
                wrong = error
    with contextlib.suppress(AttributeError):
        model.update(sample.X[0] if contract.data != "labels" else sample.X[0].toarray()[0], sample.times[-1])
    if wrong is not None:
        raise wrong


def run(saved: SavedModel, chosen: list[Mutation], report: Callable[[Mutation, Outcome], None]) -> None:
    """Try mutations in a child process; when it dies, report the mutation that it died of and go on in a new one."""
    at = 0
    while at < len(chosen):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            _work(saved, chosen[at:], writer)
        os.close(writer)
        with os.fdopen(reader, "rb") as answers:
            for line in answers:
                kind, detail = json.loads(line)
                report(chosen[at], Outcome(kind, detail))
                at += 1
        _, status = os.waitpid(child, 0)
        if status and at < len(chosen):
            how = signal.Signals(status & 127).name if status & 127 else f"exit {status >> 8}"
            report(chosen[at], Outcome(CRASH, how))
            at += 1


def _work(saved: SavedModel, chosen: list[Mutation], writer: int) -> None:
    faulthandler.disable()  # the parent says what died of what
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    try:
        for mutation in chosen:
            signal.alarm(LONGEST)
            outcome = saved.try_one(mutation)
            os.write(writer, json.dumps(outcome).encode() + b"\n")
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(3)


def fuzz_saved_models(
    seconds: float, seed: int = 0, contracts: list[Contract] | None = None, share: float | None = None
) -> tuple[Counter[str], list[tuple[Mutation, Outcome]]]:
    """Try mutations of every estimator for some time; return how often what happened, and what should not have.

    Mutations are taken in random order, as many of each estimator as time allows, or a fixed `share` of all.
    """
    found: Counter[str] = Counter()
    wrong: list[tuple[Mutation, Outcome]] = []
    rng = np.random.default_rng(seed)

    def report(mutation: Mutation, outcome: Outcome) -> None:
        found[outcome.kind] += 1
        if outcome.kind in (CRASH, ACCIDENT):
            wrong.append((mutation, outcome))

    chosen = copy.copy(ESTIMATORS if contracts is None else contracts)
    until = time.monotonic() + seconds
    for number, contract in enumerate(chosen):
        with tempfile.TemporaryDirectory() as folder:
            saved = SavedModel(contract, Path(folder))
            everything = saved.mutations()
            order = rng.permutation(len(everything))
            if share is not None:
                run(saved, [everything[i] for i in order[: max(1, int(share * len(order)))]], report)
                continue
            slot = time.monotonic() + (until - time.monotonic()) / (len(chosen) - number)
            for first in range(0, len(order), 20):
                if time.monotonic() > slot:
                    break
                run(saved, [everything[i] for i in order[first : first + 20]], report)
    return found, wrong


@functools.cache
def _saved(name: str) -> tuple[SavedModel, list[Mutation]]:
    """Return the saved model of a contract, for as long as the process lives."""
    folder = tempfile.mkdtemp(prefix="driftline-fuzz-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    saved = SavedModel(next(contract for contract in ESTIMATORS if contract.name == name), Path(folder))
    return saved, saved.mutations()


def _run_case(case: Any) -> None:
    name, number = case
    saved, everything = _saved(name)
    outcome = saved.try_one(everything[number % len(everything)])
    if outcome.kind == ACCIDENT:
        raise AssertionError(f"{everything[number % len(everything)]}: {outcome.detail}")


TARGETS = [
    Target(
        "saved-models",
        st.tuples(st.sampled_from([contract.name for contract in ESTIMATORS]), st.integers(0, 9999)),
        _run_case,
        slow=True,
    )
]


def main() -> None:
    """Fuzz for a number of seconds and print what happened."""
    import sys

    counts, problems = fuzz_saved_models(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0, share=None)
    for mutation, outcome in problems:
        print(mutation, outcome.kind, outcome.detail, sep="\n  ")
    print(dict(counts))


if __name__ == "__main__":
    main()
