"""Description of a saved model from its manifest alone: no class is imported and no array is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from driftline.core.results import Columns, Result
from driftline.persistence.manifest import MANIFEST, opened_model, read_manifest
from driftline.persistence.migrations import migrated
from driftline.persistence.tensors import dtype_named


@dataclass(frozen=True, repr=False)
class ModelDescription(Result):
    """Content of a saved model's manifest, with checked hashes.

    `parameters` and `state` map names to a few words each; `files` maps file names to their sizes in bytes.
    """

    path: str
    class_name: str
    fitted: bool
    parameters: dict[str, str]
    state: dict[str, str]
    files: dict[str, int]
    driftline_version: str
    format_version: int
    made_with: dict[str, str]

    def _columns(self) -> Columns:
        kinds: dict[str, Mapping[str, object]] = {
            "parameter": self.parameters,
            "state": self.state,
            "file": self.files,
            "made with": self.made_with,
        }
        parts = [(kind, name, str(value)) for kind, named in kinds.items() for name, value in named.items()]
        return {name: [part[place] for part in parts] for place, name in enumerate(("kind", "name", "value"))}

    def _summary(self) -> str:
        fitted = "fitted" if self.fitted else "not fitted"
        return f"{self.class_name}, {fitted}, saved by driftline {self.driftline_version} in {self.path}"


def describe(path: str | Path) -> ModelDescription:
    """Read the manifest of a saved model, check all of its hashes, and return a description."""
    with opened_model(path) as folder:
        saved = read_manifest(folder)
        manifest_bytes = folder.size(MANIFEST)
    manifest = migrated(saved)
    model = manifest["model"]
    attributes = model.get("attributes", {})  # of an estimator of scikit-learn
    given = model.get("parameters", {name: node for name, node in attributes.items() if not name.endswith("_")})
    learned = model.get("state", {name: node for name, node in attributes.items() if name.endswith("_")})
    sizes = {name: entry["bytes"] for name, entry in manifest["files"].items()}
    return ModelDescription(
        path=str(path),
        class_name=manifest["class"],
        fitted=bool(learned),
        parameters={name: in_words(node) for name, node in given.items()},
        state={name: in_words(node) for name, node in _with_inner(learned).items()},
        files={MANIFEST: manifest_bytes} | sizes,
        driftline_version=manifest["driftline_version"],
        format_version=saved["format_version"],
        made_with=manifest["made_with"],
    )


def _with_inner(learned: dict[str, object]) -> dict[str, object]:
    """Add, after each estimator inside the model, its own plain values, such as the settings it selected."""
    found: dict[str, object] = {}
    for name, node in learned.items():
        found[name] = node
        if isinstance(node, dict) and node.get("$") == "estimator":
            inner = node.get("state", {})
            found |= {f"{name}.{own}": part for own, part in inner.items() if isinstance(part, str | int | float)}
    return found


def in_words(node: object) -> str:
    """Return the content of a node in a few words.

    >>> in_words({"$": "array", "dtype": "<f8", "shape": [3, 4], "tensor": "x"})
    'array of float64, 3 × 4'
    >>> in_words([1, 2.5, None]), in_words({"$": "tuple", "items": [1, 2]})
    ('[1, 2.5, None]', '(1, 2)')
    """
    if isinstance(node, list):
        return _shortened("[" + ", ".join(map(in_words, node)) + "]", f"list of {len(node)}")
    if not isinstance(node, dict):
        return _shortened(repr(node), f"text of {len(node)} characters" if isinstance(node, str) else "number")
    kind = node.get("$")
    if kind is None:
        inside = ", ".join(f"{name!r}: {in_words(part)}" for name, part in node.items())
        return _shortened("{" + inside + "}", f"dictionary of {len(node)}")
    if kind == "tuple":
        return _shortened("(" + ", ".join(map(in_words, node["items"])) + ")", f"tuple of {len(node['items'])}")
    if kind == "array":
        return f"array of {_dtype_name(node['dtype'])}, {_times(node['shape'])}"
    if kind == "sparse":
        return f"sparse {node['format']} of {_dtype_name(node['data']['dtype'])}, {_times(node['shape'])}"
    if kind in ("estimator", "record"):
        return str(node["class"].rpartition(".")[2])
    if "value" in node:
        return _shortened(str(node["value"]), kind)
    return f"{kind} {node['name']}" if "name" in node else kind


def _shortened(text: str, instead: str) -> str:
    return text if len(text) <= 60 else instead


def _dtype_name(dtype: str) -> str:
    return str(dtype_named(dtype).name)


def _times(shape: list[int]) -> str:
    return " × ".join(map(str, shape)) or "one value"
