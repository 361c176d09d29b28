"""The shapes of the service's answers as TypeScript declarations, for checking the page.

``python -m tests.service.page.write_answer_types`` writes them.
"""

from __future__ import annotations

import types
from pathlib import Path
from typing import Any, Literal, NotRequired, Union, get_args, get_origin

import typing_extensions

import driftline.service
from driftline.service import answers

FILE = Path(driftline.service.__file__).parent / "page" / "answers.d.ts"
PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null", Any: "any"}


def typescript(kind: Any) -> str:
    """Return a Python type of a JSON value as TypeScript."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind in PLAIN:
        return PLAIN[kind]
    if origin is Literal:
        return " | ".join(f'"{value}"' for value in inner)
    if origin in (Union, types.UnionType):
        return " | ".join(dict.fromkeys(typescript(each) for each in inner))
    if origin is list:
        return (
            f"({typescript(inner[0])})[]"
            if get_origin(inner[0]) in (Union, types.UnionType)
            else f"{typescript(inner[0])}[]"
        )
    if origin is dict:
        return f"{{ [key: string]: {typescript(inner[1])} }}"
    if origin is tuple:
        return f"[{', '.join(map(typescript, inner))}]"
    if origin in (NotRequired, typing_extensions.NotRequired):
        return typescript(inner[0])
    return str(kind.__name__)


def declarations() -> str:
    """Return the declarations of all answers, in the order of their module."""
    lines = ["// Written by tests/service/page/write_answer_types.py from driftline.service.answers."]
    for name, value in vars(answers).items():
        if get_origin(value) is Literal:
            lines.append(f"export type {name} = {typescript(value)};")
        elif typing_extensions.is_typeddict(value):
            hints = typing_extensions.get_type_hints(value, include_extras=True)
            fields = "; ".join(
                f"{field}{'' if field in value.__required_keys__ else '?'}: {typescript(kind)}"
                for field, kind in hints.items()
            )
            lines.append(f"export interface {name} {{ {fields} }}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FILE.write_text(declarations(), encoding="utf-8")
