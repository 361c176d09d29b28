"""The classes that a saved model may name, and their lookup by name.

A class of driftline is named by its public name, which `public_names` turns into a module. Any other class is named by
its module path; loading imports that module, so only scikit-learn and the packages that the caller trusts are allowed.
"""

from __future__ import annotations

import dataclasses
import importlib
import re
from collections.abc import Sequence
from typing import Any

from sklearn.base import BaseEstimator

from driftline.core.errors import ModelFileError
from driftline.persistence.public_names import home_of, public_name

VOCABULARY = "Vocabulary"
OURS = "driftline"
FOREIGN_PACKAGES = ("sklearn",)
"""Packages whose classes are loaded by module path without being trusted by the caller."""
_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+", re.ASCII)
_NEVER_IMPORTED = re.compile(r"__.*|tests?|conftest|externals|experimental")


def name_of(kind: type) -> str:
    """Return the public name of a class of driftline, and the module path of any other class.

    >>> from fractions import Fraction
    >>> from driftline.text.tokenise import Tokenizer
    >>> name_of(Tokenizer), name_of(Fraction)
    ('Tokenizer', 'fractions.Fraction')
    """
    return public_name(kind) or f"{kind.__module__}.{kind.__qualname__}"


def is_allowed(name: str, trusted: Sequence[str] = ()) -> bool:
    """Return whether a class of this name may be imported.

    >>> is_allowed("Tokenizer"), is_allowed("driftline.text.tokenise.Tokenizer"), is_allowed("os.system")
    (True, False, False)
    """
    if home_of(name) is not None:
        return True
    package, *rest = name.split(".")
    if not _PATH.fullmatch(name) or package == OURS:
        return False
    if any(name.startswith(f"{package}.") for package in trusted):
        return True
    return package in FOREIGN_PACKAGES and not any(_NEVER_IMPORTED.fullmatch(part) for part in rest)


def class_named(name: object, trusted: Sequence[str] = ()) -> type:
    """Import the class of this name, if it is allowed and exists."""
    if not isinstance(name, str) or not is_allowed(name, trusted):
        raise ModelFileError(
            f"the model names the class {name!r}, which is not of driftline or scikit-learn; if you trust its package, "
            f"name that package in trusted=[…]"
        )
    home = home_of(name)
    module_name, class_name = home or (name.rpartition(".")[0], name.rpartition(".")[2])
    try:
        found = vars(importlib.import_module(module_name)).get(class_name)
    except Exception as error:
        raise ModelFileError(
            f"the model needs {name}, which cannot be imported here: {error}; install the versions it was made with"
        ) from error
    if not isinstance(found, type) or (found.__module__, found.__qualname__) != (module_name, class_name):
        raise ModelFileError(
            f"the model needs the class {name}, which does not exist; install the versions it was made with"
        )
    return found


def estimator_class(name: object, trusted: Sequence[str] = ()) -> type[BaseEstimator]:
    """Return the class of this name, which must be an estimator."""
    found = class_named(name, trusted)
    if not issubclass(found, BaseEstimator):
        raise ModelFileError(f"the model names {name} as an estimator, which it is not; the file was tampered with")
    return found


def record_class(name: object, trusted: Sequence[str] = ()) -> type:
    """Return the class of this name, which must be a data class or a named tuple."""
    found = class_named(name, trusted)
    if not is_record(found):
        raise ModelFileError(f"the model names {name} as a plain record, which it is not; the file was tampered with")
    return found


def is_record(kind: type) -> bool:
    """Return whether a class is a data class or a named tuple: a type that consists only of its fields."""
    return dataclasses.is_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))


def record_fields(record: Any) -> dict[str, object]:
    """Return the fields of a data class or named tuple that its constructor takes, by name."""
    if isinstance(record, tuple):
        found: dict[str, object] = record._asdict()  # type: ignore[attr-defined]
        return found
    return {field.name: getattr(record, field.name) for field in dataclasses.fields(record) if field.init}
