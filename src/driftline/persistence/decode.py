"""Decoding of a saved model to an estimator; everything is checked before it is used."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn
from sklearn.base import BaseEstimator

from driftline.core.errors import ModelFileError
from driftline.persistence.arrow_tables import table_from_bytes
from driftline.persistence.classes import estimator_class, record_class
from driftline.persistence.encode import MAX_DEPTH, OUTPUT
from driftline.persistence.plain_nodes import SIMPLE_NODES
from driftline.persistence.tensors import Node, decode_array, decode_records, decode_strings

_STATE_NAME = re.compile(r"_?[A-Za-z]\w*(?<!_)_", re.ASCII)
_ATTRIBUTE_NAME = re.compile(r"_?[A-Za-z]\w*", re.ASCII)
_METHOD_NAME = re.compile(r"[a-z]+(_[a-z]+)*", re.ASCII)


class Decoder:
    """Turns nodes into values; `fetch` returns a tensor by its name, `vocabularies` are those of the model.

    `classes` collects the names of the created estimators.
    """

    def __init__(
        self, fetch: Callable[[object], np.ndarray], vocabularies: Sequence[object], trusted: Sequence[str] = ()
    ) -> None:
        self._fetch = fetch
        self._vocabularies = vocabularies
        self._trusted = trusted
        self.classes: set[str] = set()
        self._kinds: dict[str, Callable[[Node, int], object]] = {
            "tuple": lambda node, depth: tuple(self._items(node, depth)),
            "set": lambda node, depth: set(self._items(node, depth)),
            "frozenset": lambda node, depth: frozenset(self._items(node, depth)),
            "dict": self._dict,
            "array": lambda node, depth: decode_array(node, self._fetch),
            "records": lambda node, depth: decode_records(node, self._fetch),
            "strings": lambda node, depth: decode_strings(node, self._fetch),
            "sparse": self._sparse,
            "table": lambda node, depth: table_from_bytes(
                self._fetch(node["tensor"]).tobytes(), "a table of the model"
            ),
            "vocabulary": self._vocabulary,
            "record": self._record,
            "estimator": self.estimator,
        }

    def value(self, node: object, depth: int = 0) -> Any:
        """Return the value of a node."""
        if depth > MAX_DEPTH:
            raise ModelFileError(f"the model is nested more than {MAX_DEPTH} deep; it was tampered with")
        if isinstance(node, list):
            return [self.value(part, depth + 1) for part in node]
        if not isinstance(node, dict):
            return node
        if "$" not in node:
            return {key: self.value(part, depth + 1) for key, part in node.items()}
        kind = node["$"]
        if isinstance(kind, str) and kind in SIMPLE_NODES:
            return SIMPLE_NODES[kind](node)
        if isinstance(kind, str) and kind in self._kinds:
            return self._kinds[kind](node, depth)
        raise ModelFileError(
            f"the model contains a value of the unknown kind {kind!r}; upgrade driftline, or restore the model"
        )

    def estimator(self, node: Node, depth: int = 0) -> BaseEstimator:
        """Return the estimator of a node."""
        if not isinstance(node, dict) or node.get("$") != "estimator":
            raise ModelFileError("the manifest does not describe an estimator; the model is damaged")
        kind = estimator_class(node["class"], self._trusted)
        self.classes.add(node["class"])
        if node["class"].startswith("sklearn."):
            estimator = object.__new__(kind)
            attributes = self._members(node["attributes"], depth, _ATTRIBUTE_NAME)
            if attributes.get("memory") is not None:
                raise ModelFileError("the model requests a cache of pickles; it was tampered with")
            vars(estimator).update(attributes)
        else:
            estimator = self._ours(kind, node, depth)
        with sklearn.config_context(enable_metadata_routing=True):
            for method, wishes in node.get("requests", {}).items():
                if not _METHOD_NAME.fullmatch(method):
                    raise ModelFileError(f"the model requests metadata for {method!r}; it is damaged")
                getattr(estimator, f"set_{method}_request")(**wishes)
        if "output" in node:
            setattr(estimator, OUTPUT, self.value(node["output"], depth + 1))
        return estimator

    def _ours(self, kind: type[BaseEstimator], node: Node, depth: int) -> BaseEstimator:
        parameters = self._members(node["parameters"], depth, _ATTRIBUTE_NAME)
        known = set(kind._get_param_names())
        if parameters.keys() - known:
            raise ModelFileError(
                f"{node['class']} has no parameter {sorted(parameters.keys() - known)[0]!r} here; the model was made "
                f"with another version of driftline (see `driftline describe`): install that one, or fit again"
            )
        estimator = kind(**parameters)
        state = self._members(node["state"], depth, _STATE_NAME)
        if state and hasattr(kind, "_parameter_constraints"):
            estimator._validate_params()
        for name, value in state.items():
            if hasattr(kind, name):
                raise ModelFileError(f"the model would replace {node['class']}.{name}; it was tampered with")
            setattr(estimator, name, value)
        if hasattr(estimator, "_check_state"):
            estimator._check_state()
        return estimator

    def _items(self, node: Node, depth: int) -> list[object]:
        if not isinstance(node["items"], list):
            raise ModelFileError("the model contains a collection without items; it is damaged")
        return [self.value(part, depth + 1) for part in node["items"]]

    def _dict(self, node: Node, depth: int) -> dict[object, object]:
        return {self.value(key, depth + 1): self.value(part, depth + 1) for key, part in node["items"]}

    def _members(self, node: object, depth: int, allowed: re.Pattern[str]) -> dict[str, object]:
        if not isinstance(node, dict) or not all(allowed.fullmatch(name) for name in node):
            raise ModelFileError("the model contains attributes with impossible names; it is damaged")
        return {name: self.value(part, depth + 1) for name, part in node.items()}

    def _record(self, node: Node, depth: int) -> object:
        return record_class(node["class"], self._trusted)(**self._members(node["fields"], depth, _ATTRIBUTE_NAME))

    def _vocabulary(self, node: Node, depth: int) -> object:
        number = node["number"]
        if type(number) is not int or not 0 <= number < len(self._vocabularies):
            raise ModelFileError(
                f"the model refers to the vocabulary {number!r}, which it does not have; it is damaged"
            )
        return self._vocabularies[number]

    def _sparse(self, node: Node, depth: int) -> object:
        """Return a sparse matrix whose indices have been checked: compiled code relies on them."""
        form, shape = node["format"], tuple(node["shape"])
        if form not in ("csr", "csc", "coo") or node["kind"] not in ("array", "matrix") or len(shape) != 2:
            raise ModelFileError(f"the model contains a sparse {form!r} of shape {shape}; it is damaged")
        if not all(type(n) is int and 0 <= n < 2**62 for n in shape):
            raise ModelFileError(f"a sparse matrix claims the shape {shape}; the model is damaged")
        make = getattr(sp, f"{form}_{node['kind']}")
        names = ("row", "col") if form == "coo" else ("indices", "indptr")
        data, first, second = (self._vector(node[name], depth) for name in ("data", *names))
        if first.dtype.kind != "i" or second.dtype.kind != "i":
            raise ModelFileError("the indices of a sparse matrix are not integers; the model is damaged")
        if form == "coo":
            matrix = make((data, (first, second)), shape=shape)
            matrix.coords = (first, second)
            return matrix
        if len(second) != shape[form == "csc"] + 1 or math.prod(data.shape) != len(first):
            raise ModelFileError("the parts of a sparse matrix are inconsistent; the model is damaged")
        matrix = make((data, first, second), shape=shape)
        matrix.check_format(full_check=True)
        # SciPy chooses the width of the indices again; compiled code was specialised for the saved one.
        matrix.indices, matrix.indptr = first, second
        return matrix

    def _vector(self, node: object, depth: int) -> np.ndarray:
        array = self.value(node, depth + 1)
        if not isinstance(array, np.ndarray) or array.ndim != 1:
            raise ModelFileError("a part of a sparse matrix is not a vector; the model is damaged")
        return array
