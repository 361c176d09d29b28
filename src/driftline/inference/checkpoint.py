"""Checkpoints of long runs, from which they can be resumed: named arrays, without pickle.

The loop only needs an object with `every`, `load` and `save`; `FileCheckpoint` uses a file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import numpy as np

from driftline.core.errors import InvalidInput
from driftline.inference.plain_values import Arrays

GENERATORS: dict[str, type[np.random.BitGenerator]] = {
    "MT19937": np.random.MT19937,
    "PCG64": np.random.PCG64,
    "PCG64DXSM": np.random.PCG64DXSM,
    "Philox": np.random.Philox,
    "SFC64": np.random.SFC64,
}
"""NumPy's bit generators by name."""


class Checkpoint(Protocol):
    """Storage for the arrays of a run; the loop saves at regular intervals and when it ends."""

    @property
    def every(self) -> int:
        """The number of steps between two saves."""
        ...

    def load(self) -> Mapping[str, np.ndarray] | None:
        """Return the last saved arrays, or None."""
        ...

    def save(self, arrays: Arrays) -> None:
        """Replace what was saved before."""
        ...


class FileCheckpoint:
    """A checkpoint in one safetensors file, which is replaced atomically: a crash leaves the old one or the new one.

    Its indices are not checked against the problem, so a checkpoint must be as trusted as the program itself.

    Parameters
    ----------
    path : str or Path
        The file.
    every : int
        The number of steps between two saves.
    """

    def __init__(self, path: str | os.PathLike[str], every: int = 10) -> None:
        if every < 1:
            raise InvalidInput(f"a checkpoint is saved every 1 or more steps, not {every}")
        self._path, self.every = Path(path), every

    def load(self) -> Mapping[str, np.ndarray] | None:
        """Return the last saved arrays, or None if there is no file."""
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            return load(self._path.read_bytes())
        except FileNotFoundError:
            return None
        except SafetensorError as error:
            raise InvalidInput(f"{self._path} is not a checkpoint ({error}); remove it to start again") from None

    def save(self, arrays: Arrays) -> None:
        """Write a new file beside the old one, flush it, and replace the old one."""
        from safetensors.numpy import save

        draft = self._path.with_name(f"{self._path.name}.{os.getpid()}.draft")
        try:
            with draft.open("wb") as file:
                file.write(save({name: np.asarray(array, order="C") for name, array in arrays.items()}))
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self._path)
        finally:
            draft.unlink(missing_ok=True)


def generator_state(rng: np.random.Generator) -> np.ndarray:
    """Return the state of a generator, as an array of bytes.

    >>> rng = np.random.default_rng(0)
    >>> written = generator_state(rng)
    >>> rng.random() == restored_generator(written).random()
    True
    """
    state = json.dumps(rng.bit_generator.state, default=lambda value: value.tolist())
    return np.frombuffer(state.encode(), dtype=np.uint8)


def restored_generator(written: object) -> np.random.Generator:
    """Return a generator that continues from the state of `generator_state`."""
    state = json.loads(bytes(np.asarray(written, dtype=np.uint8)).decode())
    name = state.get("bit_generator")
    if name not in GENERATORS:
        raise InvalidInput(f"the checkpoint names the random generator {name!r}, which is unknown")
    generator = np.random.Generator(GENERATORS[name]())
    generator.bit_generator.state = state
    return generator
