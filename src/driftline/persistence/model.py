"""Save and load a model: a folder with arrays, vocabulary and manifest, without pickle.

    model/
      manifest.json         class, versions, parameters, the structure of the state, the hashes of the other files
      model.safetensors     every array
      vocabulary.arrow      the words, if the model has any

Loading runs no code from the folder and imports only driftline and scikit-learn.
"""

from __future__ import annotations

import os
import platform
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file
from sklearn.base import BaseEstimator

import driftline
from driftline.core.errors import InvalidInput, ModelFileError
from driftline.persistence.arrow_tables import table_bytes, table_from_bytes
from driftline.persistence.classes import VOCABULARY, class_named
from driftline.persistence.decode import Decoder
from driftline.persistence.encode import Encoder
from driftline.persistence.manifest import (
    MANIFEST,
    TENSORS,
    is_model_file,
    opened_model,
    read_manifest,
    vocabulary_file,
    write_manifest,
)
from driftline.persistence.migrations import migrated
from driftline.persistence.model_folder import replaced_folder, standing_folder
from driftline.persistence.open_model import OpenFolder

_DOES_NOT_FIT = (
    SafetensorError,
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    TypeError,
    ValueError,
)
"""Exceptions of decoding if the parts of a model are inconsistent."""
_SYSTEM_ERROR = re.compile(r"(?:os error|Os \{ code:) (\d+)")


def save_model(estimator: BaseEstimator, path: str | Path, *, trusted: Sequence[str] = ()) -> Path:
    """Write an estimator, fitted or not, to the folder `path` and return the path.

    An existing model is replaced atomically; any other existing file or folder is kept, and an error is raised. The
    packages of estimators other than those of driftline and scikit-learn must be named in `trusted`, both here and in
    `load`.
    """
    if not isinstance(estimator, BaseEstimator):
        raise InvalidInput(f"only estimators can be saved, not {type(estimator).__name__}")
    encoder = Encoder(trusted)
    tree = encoder.estimator(estimator, type(estimator).__name__)
    target = Path(path).resolve()
    with replaced_folder(target, _must_be_a_model) as folder:
        _write_tensors(encoder.tensors, folder / TENSORS)
        for number, vocabulary in enumerate(encoder.vocabularies):
            (folder / vocabulary_file(number)).write_bytes(table_bytes(vocabulary.to_arrow()))
        write_manifest(
            folder,
            {
                "class": tree["class"],
                "driftline_version": driftline.__version__,
                "made_with": {
                    "python": platform.python_version(),
                    "numpy": np.__version__,
                    "scikit-learn": sklearn.__version__,
                },
                "model": tree,
            },
        )
    return Path(path)


def load(path: str | Path, *, trusted: Sequence[str] = ()) -> Any:
    """Read a model written by `save`.

    Every file is checked against its hash first. A damaged, truncated, foreign or newer model is refused with a
    `ModelFileError` that says what to do. Classes are imported from driftline and scikit-learn only, and from the
    packages named in `trusted`.
    """
    with opened_model(path) as folder:
        checked = read_manifest(folder)
        try:
            manifest = migrated(checked)
            vocabularies = _vocabularies(folder, manifest["files"])
            with safe_open(folder.path_of(TENSORS), framework="numpy") as tensors:
                decoder = Decoder(_once(tensors), vocabularies, trusted)
                model = decoder.estimator(manifest["model"])
                made_with = manifest["made_with"]["scikit-learn"]
        except ModelFileError as error:
            raise ModelFileError(f"cannot load {path}: {error}") from error
        except _DOES_NOT_FIT as error:
            raise ModelFileError(
                f"cannot load {path}: its content is inconsistent ({type(error).__name__}: {error}); "
                f"restore the model from a copy, or fit it again"
            ) from error
    _compare_versions(path, decoder.classes, made_with)
    return model


def is_saved_model(path: Path) -> bool:
    """Return whether `path` is a saved model, possibly a damaged one."""
    return standing_folder(path).exists()


def _vocabularies(folder: OpenFolder, files: Mapping[str, object]) -> list[object]:
    names = [vocabulary_file(number) for number in range(len(files) - 1)]
    if set(files) != {TENSORS, *names}:
        raise ModelFileError(f"its manifest names the files {', '.join(sorted(files))}; it was tampered with")
    tables = [table_from_bytes(folder.file(name).read(), name) for name in names]
    return [class_named(VOCABULARY).from_arrow(table) for table in tables]  # type: ignore[attr-defined]


def _write_tensors(tensors: dict[str, np.ndarray], file: Path) -> None:
    try:
        save_file(tensors, file, metadata={"format": "driftline"})
    except SafetensorError as error:
        number = _SYSTEM_ERROR.search(str(error))
        if number is None:
            raise
        raise OSError(int(number[1]), os.strerror(int(number[1]))) from error


def _once(tensors: Any) -> Callable[[object], np.ndarray]:
    """Return a function that returns every tensor only once: a small file must not expand by a million references."""
    left = set(tensors.keys())

    def fetch(name: object) -> np.ndarray:
        if not isinstance(name, str) or name not in left:
            raise ModelFileError(f"the array {name!r} is missing from {TENSORS}, or used twice; the model is damaged")
        left.discard(name)
        found: np.ndarray = tensors.get_tensor(name)
        return found

    return fetch


def _must_be_a_model(target: Path) -> None:
    """Refuse to replace anything that is not a saved model."""
    names = {file.name for file in target.iterdir()} if target.is_dir() else set()
    if MANIFEST not in names or not all(map(is_model_file, names)):
        raise InvalidInput(f"{target} exists and is not a saved model; choose another path, or remove it")


def _compare_versions(path: str | Path, classes: set[str], made_with: object) -> None:
    """Warn if the model contains estimators of another version of scikit-learn."""
    if made_with != sklearn.__version__ and any(name.startswith("sklearn.") for name in classes):
        warnings.warn(
            f"{path} contains estimators of scikit-learn {made_with}, and this is {sklearn.__version__}; "
            f"if results look wrong, install that version or fit the model again",
            UserWarning,
            stacklevel=3,
        )
