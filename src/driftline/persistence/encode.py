"""Encoding of an estimator: a tree of JSON nodes, the tensors that it names, and vocabularies."""

from __future__ import annotations

import base64
import datetime
import json
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from driftline.core.errors import InvalidInput, ModelFileError
from driftline.persistence.arrow_tables import table_bytes
from driftline.persistence.classes import OURS, VOCABULARY, class_named, is_allowed, is_record, name_of, record_fields
from driftline.persistence.plain_nodes import (
    BUILTIN_TYPES,
    NUMPY_TYPES,
    encode_float,
    encode_generator,
    encode_moment,
    encode_scalar,
)
from driftline.persistence.tensors import Node, encode_array, encode_strings
from driftline.text.vocabulary import Vocabulary

MAX_DEPTH = 48
"""Largest nesting depth of values; anything deeper is a cycle or an attack."""
LONG_LIST = 64
"""Minimum length of a list of strings that is stored as a tensor, to keep the manifest readable."""
ROUTING, OUTPUT = "_metadata_request", "_sklearn_output_config"
"""Attributes in which scikit-learn stores the settings of `set_fit_request` and `set_output`."""


class Encoder:
    """Turns values into nodes; `tensors` and `vocabularies` collect the referenced data."""

    def __init__(self, trusted: Sequence[str] = ()) -> None:
        self.tensors: dict[str, np.ndarray] = {}
        self.vocabularies: list[Vocabulary] = []
        self._trusted = trusted

    def estimator(self, estimator: BaseEstimator, where: str, depth: int = 0) -> Node:
        """Return an estimator as a node: its class, its parameters, and its learned state.

        Our estimators keep their learned state in attributes that end in an underscore. Those of scikit-learn follow
        that less strictly, so all of their attributes are written.
        """
        name = self._class_name(type(estimator), where)
        held = dict(vars(estimator))
        routing, output = held.pop(ROUTING, None), held.pop(OUTPUT, None)
        node: Node = {"$": "estimator", "class": name}
        if name.startswith("sklearn."):
            if held.get("memory") is not None:
                raise InvalidInput(f"cannot save {where}.memory: a cache is not part of a model; set it to None")
            node["attributes"] = self._members(held, where, depth)
        else:
            node["parameters"] = self._members(estimator.get_params(deep=False), where, depth)
            learned = {key: value for key, value in held.items() if key.endswith("_")}
            node["state"] = self._members(learned, where, depth)
        if routing is not None:
            node["requests"] = _requests(routing)
        if output is not None:
            node["output"] = self.value(output, f"{where}.{OUTPUT}", depth + 1)
        return node

    def value(self, value: Any, where: str, depth: int = 0) -> object:
        """Return any value as JSON, or raise an error that names the part that cannot be saved."""
        if depth > MAX_DEPTH:
            raise InvalidInput(f"cannot save {where}: it is nested more than {MAX_DEPTH} deep, or refers to itself")
        kind = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if kind is float:
            return encode_float(value)
        if isinstance(value, np.generic):
            return encode_scalar(value, where)
        if kind in (np.ndarray, np.memmap):
            return encode_array(value, where, self._store)
        if kind in (list, tuple, set, frozenset, dict):
            return self._container(value, where, depth)
        if sp.issparse(value):
            return self._sparse(value, where)
        if isinstance(value, pa.Table):
            return {"$": "table", "tensor": self._store(where, np.frombuffer(table_bytes(value), dtype=np.uint8))}
        if name_of(kind) == VOCABULARY:
            return {"$": "vocabulary", "number": self._number_of(value)}
        if isinstance(value, BaseEstimator):
            return self.estimator(value, where, depth + 1)
        if is_record(kind):
            return {
                "$": "record",
                "class": self._class_name(kind, where),
                "fields": self._members(record_fields(value), where, depth),
            }
        return self._small(value, where)

    def _small(self, value: object, where: str) -> Node:
        if isinstance(value, complex):
            return {"$": "complex", "value": [encode_float(value.real), encode_float(value.imag)]}
        if isinstance(value, bytes):
            return {"$": "bytes", "value": base64.b64encode(value).decode("ascii")}
        if isinstance(value, datetime.date | datetime.timedelta):
            return encode_moment(value, where)
        if isinstance(value, np.random.Generator | np.random.RandomState):
            return encode_generator(value, where)
        if isinstance(value, np.dtype) and value.names is None and value.kind not in "OV":
            return {"$": "dtype", "name": value.str}
        if isinstance(value, range):
            return {"$": "range", "value": [value.start, value.stop, value.step]}
        if isinstance(value, type) and value in (*BUILTIN_TYPES.values(), *NUMPY_TYPES.values()):
            return {"$": "type", "name": value.__name__}
        what = f"the function {value.__name__}" if hasattr(value, "__name__") else f"a {name_of(type(value))}"
        raise InvalidInput(
            f"cannot save {where}: it is {what}, and a model file contains only data (numbers, strings, arrays, sparse "
            f"matrices, Arrow tables, lists, dictionaries, vocabularies and estimators of driftline and scikit-learn)"
        )

    def _container(self, value: Collection[object], where: str, depth: int) -> object:
        if isinstance(value, dict):
            if all(type(key) is str and not key.startswith("$") for key in value):
                return self._members(value, where, depth, separator="/")
            pairs = [
                [self.value(key, f"{where}/{i}/key", depth + 1), self.value(part, f"{where}/{i}", depth + 1)]
                for i, (key, part) in enumerate(value.items())
            ]
            return {"$": "dict", "items": pairs}
        if isinstance(value, list) and len(value) > LONG_LIST and all(type(part) is str for part in value):
            return encode_strings(value, where, self._store)
        parts = [self.value(part, f"{where}/{i}", depth + 1) for i, part in enumerate(value)]
        if isinstance(value, set | frozenset):
            parts.sort(key=json.dumps)
        return parts if type(value) is list else {"$": type(value).__name__, "items": parts}

    def _sparse(self, value: sp.spmatrix | sp.sparray, where: str) -> Node:
        if value.format not in ("csr", "csc", "coo") or value.ndim != 2:
            raise InvalidInput(f"cannot save {where}: a sparse {value.format} of {value.ndim} dimensions; use .tocsr()")
        names = ("data", "row", "col") if value.format == "coo" else ("data", "indices", "indptr")
        parts = {name: self.value(getattr(value, name), f"{where}.{name}") for name in names}
        kind = "array" if isinstance(value, sp.sparray) else "matrix"
        return {"$": "sparse", "format": value.format, "kind": kind, "shape": [int(n) for n in value.shape], **parts}

    def _members(self, values: dict[str, object], where: str, depth: int, separator: str = ".") -> Node:
        return {key: self.value(part, f"{where}{separator}{key}", depth + 1) for key, part in values.items()}

    def _store(self, where: str, tensor: np.ndarray) -> str:
        name, number = where, 1
        while name in self.tensors:
            number += 1
            name = f"{where}#{number}"
        self.tensors[name] = tensor
        return name

    def _number_of(self, vocabulary: Vocabulary) -> int:
        for number, known in enumerate(self.vocabularies):
            if known is vocabulary:
                return number
        self.vocabularies.append(vocabulary)
        return len(self.vocabularies) - 1

    def _class_name(self, kind: type, where: str) -> str:
        name = name_of(kind)
        if name.startswith(f"{OURS}."):
            raise InvalidInput(
                f"cannot save {where}: its class {name} has no public name; give it one in "
                f"driftline/persistence/public_names.py"
            )
        if not is_allowed(name, self._trusted):
            raise InvalidInput(
                f"cannot save {where}: its class {name} is not of driftline or scikit-learn, and could not be loaded "
                f"again; if it should be, name its package in trusted=[…] when saving and when loading"
            )
        try:
            found = class_named(name, self._trusted)
        except ModelFileError as error:
            raise InvalidInput(
                f"cannot save {where}: its class {name} cannot be imported by that name: {error}"
            ) from error
        if found is not kind:
            raise InvalidInput(f"cannot save {where}: {name} now means another class; import it again")
        return name


def _requests(routing: object) -> dict[str, dict[str, object]]:
    """Return the metadata routing requests of a model, by method."""
    asked: dict[str, dict[str, object]] = {}
    for method in vars(routing).values():
        requests = {name: wish for name, wish in getattr(method, "requests", {}).items() if wish is not None}
        if requests:
            asked[method.method] = requests
    return asked
