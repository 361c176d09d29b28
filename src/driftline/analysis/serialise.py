"""Findings to JSON and back, without loss."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from driftline.analysis.all_findings import FINDINGS, Findings
from driftline.analysis.shown_curves import JSON_FIELDS, CurveLists, curve_of_lists, lists_of_curve
from driftline.core.errors import InvalidInput
from driftline.smoothing.curve import Curve

FORMAT = 1


def to_json(findings: Findings, *, indent: int | None = None) -> str:
    """Return the findings as one JSON object."""
    writer = _Writer()
    stored = {finding.name: writer.plain(finding.of(findings)) for finding in FINDINGS if finding.stored}
    record = {"format": FORMAT, **stored}
    return json.dumps(record, ensure_ascii=False, allow_nan=False, indent=indent)


def from_json(text: str) -> Findings:
    """Read the output of `to_json`; anything else is refused with the place of the error."""
    try:
        record = json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"these are not findings: {error}; pass what to_json wrote") from error
    if not isinstance(record, dict) or record.pop("format", None) != FORMAT:
        raise InvalidInput(f"these are not findings of format {FORMAT}; analyse the source again with this version")
    _check_complete(record)
    _check_known(record, [finding.name for finding in FINDINGS if finding.stored], "findings")
    return typing.cast(Findings, _Builder().build(Findings, record, "findings"))


class _Writer:
    """Turns records into plain JSON; dates that several curves have in common are converted once."""

    def __init__(self) -> None:
        self._dates: dict[bytes, list[str]] = {}

    def plain(self, value: object) -> object:
        """Return values that JSON can represent: records as objects, curves as lists."""
        if isinstance(value, Curve):
            return self._lists(value)
        if dataclasses.is_dataclass(value):
            return {field.name: self.plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
        if isinstance(value, list | tuple):
            return [self.plain(item) for item in value]
        if isinstance(value, dict):
            return {key: self.plain(item) for key, item in value.items()}
        return value

    def _lists(self, curve: Curve) -> CurveLists:
        times = np.asarray(curve.times, dtype="datetime64[s]").tobytes()
        lists = lists_of_curve(curve, self._dates.get(times))
        self._dates[times] = lists["times"]
        return lists


def _check_complete(record: Mapping[str, object]) -> None:
    newest = max((finding for finding in FINDINGS if finding.name in record), key=lambda f: f.since, default=None)
    for finding in FINDINGS:
        if finding.stored and finding.name not in record and (newest is None or finding.since <= newest.since):
            known = "" if newest is None else f", which every file with {newest.name!r} has"
            raise InvalidInput(f"the JSON of the findings is incomplete: it lacks {finding.name!r}{known}; {_DAMAGED}")


_DAMAGED = "the file is damaged: analyse the source again"


class _Builder:
    """Turns plain JSON into annotated types; knows the fields that the records of each kind have in this file."""

    def __init__(self) -> None:
        self._fields: dict[type, frozenset[str]] = {}

    def build(self, kind: object, value: Any, place: str) -> Any:
        """Convert a value, field by field."""
        origin = typing.get_origin(kind)
        if origin in (types.UnionType, typing.Union):
            if value is None:
                return None
            (inner,) = (option for option in typing.get_args(kind) if option is not types.NoneType)
            return self.build(inner, value, place)
        if origin is list:
            (inner,) = typing.get_args(kind)
            return [self.build(inner, item, f"{place}[{i}]") for i, item in enumerate(_expect(list, value, place))]
        if origin is tuple:
            kinds = typing.get_args(kind)
            if len(_expect(list, value, place)) != len(kinds):
                raise InvalidInput(f"{place} should contain {len(kinds)} values but contains {len(value)}; {_DAMAGED}")
            return tuple(self.build(inner, value[i], f"{place}[{i}]") for i, inner in enumerate(kinds))
        if origin is dict:
            _, inner = typing.get_args(kind)
            return {key: self.build(inner, item, f"{place}.{key}") for key, item in _expect(dict, value, place).items()}
        if kind is Curve:
            return _build_curve(_expect(dict, value, place), place)
        if dataclasses.is_dataclass(kind):
            return self._build_record(kind, _expect(dict, value, place), place)
        if kind is float:
            return float(_expect((int, float), value, place))
        if kind in (int, str):
            return _expect(kind, value, place)
        return value

    def _build_record(self, kind: Any, record: dict[str, Any], place: str) -> Any:
        hints = typing.get_type_hints(kind)
        _check_known(record, hints.keys(), place)
        usual = self._fields.setdefault(kind, frozenset(record))
        if usual != record.keys():
            raise InvalidInput(
                f"{place} is incomplete: of the fields {sorted(usual ^ record.keys())}, other records of its kind have "
                f"some and it has others; {_DAMAGED}"
            )
        try:
            return kind(**{name: self.build(hints[name], item, f"{place}.{name}") for name, item in record.items()})
        except TypeError as error:
            raise InvalidInput(f"{place} is incomplete: {error}") from error


def _build_curve(record: dict[str, Any], place: str) -> Curve:
    _check_known(record, JSON_FIELDS, place)
    missing = sorted(set(JSON_FIELDS) - record.keys())
    if missing:
        raise InvalidInput(f"{place} is incomplete: it lacks {missing[0]!r}; {_DAMAGED}")
    level = float(_expect((int, float), record["level"], place))
    if len({len(_expect(list, record[name], place)) for name in JSON_FIELDS[:-1]}) > 1:
        raise InvalidInput(f"{place} is incomplete: its times, values and bands differ in number; {_DAMAGED}")
    try:
        return curve_of_lists(**{**record, "level": level})
    except (AttributeError, TypeError, ValueError) as error:
        raise InvalidInput(f"{place} should contain times and numbers: {error}") from error


def _check_known(record: Mapping[str, object], known: Iterable[str], place: str) -> None:
    unknown = sorted(record.keys() - set(known))
    if unknown:
        raise InvalidInput(f"{place} has the unknown field {unknown[0]!r}; was it written by a newer version?")


def _expect(kind: Any, value: Any, place: str) -> Any:
    if not isinstance(value, kind):
        raise InvalidInput(f"{place} should contain {kind} but contains {value!r:.60}")
    return value
