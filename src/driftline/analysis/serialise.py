"""Findings to JSON and back, without loss."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from typing import Any

from driftline.analysis.all_findings import Findings
from driftline.core.errors import InvalidInput

FORMAT = 1


def to_json(findings: Findings, *, indent: int | None = None) -> str:
    """Return the findings as one JSON object."""
    record = {"format": FORMAT, **dataclasses.asdict(findings)}
    return json.dumps(record, ensure_ascii=False, allow_nan=False, indent=indent)


def from_json(text: str) -> Findings:
    """Read the output of `to_json`; anything else is refused with the place of the error."""
    try:
        record = json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"these are not findings: {error}; pass what to_json wrote") from error
    if not isinstance(record, dict) or record.pop("format", None) != FORMAT:
        raise InvalidInput(f"these are not findings of format {FORMAT}; analyse the source again with this version")
    return typing.cast(Findings, _build(Findings, record, "findings"))


def _build(kind: Any, value: Any, place: str) -> Any:
    """Turn plain JSON into the annotated type, recursively."""
    origin = typing.get_origin(kind)
    if origin in (types.UnionType, typing.Union):
        if value is None:
            return None
        (inner,) = (option for option in typing.get_args(kind) if option is not types.NoneType)
        return _build(inner, value, place)
    if origin is list:
        (inner,) = typing.get_args(kind)
        return [_build(inner, item, f"{place}[{i}]") for i, item in enumerate(_expect(list, value, place))]
    if origin is tuple:
        return tuple(
            _build(inner, item, f"{place}[{i}]")
            for i, (inner, item) in enumerate(zip(typing.get_args(kind), _expect(list, value, place), strict=True))
        )
    if origin is dict:
        _, inner = typing.get_args(kind)
        return {key: _build(inner, item, f"{place}.{key}") for key, item in _expect(dict, value, place).items()}
    if dataclasses.is_dataclass(kind):
        return _build_dataclass(kind, _expect(dict, value, place), place)
    if kind is float:
        return float(_expect((int, float), value, place))
    if kind in (int, str):
        return _expect(kind, value, place)
    return value


def _build_dataclass(kind: Any, record: dict[str, Any], place: str) -> Any:
    hints = typing.get_type_hints(kind)
    unknown = sorted(record.keys() - hints.keys())
    if unknown:
        raise InvalidInput(f"{place} has the unknown field {unknown[0]!r}; was it written by a newer version?")
    try:
        return kind(**{name: _build(hints[name], item, f"{place}.{name}") for name, item in record.items()})
    except TypeError as error:
        raise InvalidInput(f"{place} is incomplete: {error}") from error


def _expect(kind: Any, value: Any, place: str) -> Any:
    if not isinstance(value, kind):
        raise InvalidInput(f"{place} should contain {kind} but contains {value!r:.60}")
    return value
