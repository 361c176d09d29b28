"""Docstrings as Markdown: the little reStructuredText that they contain, translated before mkdocstrings parses them."""

from __future__ import annotations

import inspect
import re
from typing import Any

import griffe

_MATH_BLOCK = re.compile(
    r"^(?P<indent> *)\.\. math::[ ]*(?P<first>.*)\n(?P<rest>(?:\s*\n|(?P=indent) +.*(?:\n|$))*)", re.M
)
_MATH_ROLE = re.compile(r":math:`(?P<formula>[^`]+)`", re.S)
_OTHER_ROLE = re.compile(r":(?:class|func|meth|mod|attr|ref):`~?(?P<target>[^`]+)`")
_LITERAL = re.compile(r"``(?P<code>[^`\n]+(?:\n[^`\n]+)?)``")
_SESSION = re.compile(r"^(?P<indent> *)>>> .*(?:\n[ ]*\S.*)*", re.M)
_BLOCK_AHEAD = re.compile(r"::$", re.M)


def to_markdown(docstring: str) -> str:
    """Return a docstring with formulas between dollars, code between backticks and sessions between fences.

    >>> to_markdown("With :math:`h > 0` and ``side``.")
    'With $h > 0$ and `side`.'
    >>> print(to_markdown(".. math:: a = b\\n\\nThen."))
    $$
    a = b
    $$
    <BLANKLINE>
    Then.
    """
    text = _MATH_BLOCK.sub(_formula, docstring)
    text = _MATH_ROLE.sub(lambda found: f"${' '.join(found['formula'].split())}$", text)
    text = _OTHER_ROLE.sub(r"`\g<target>`", text)
    text = _LITERAL.sub(r"`\g<code>`", text)
    text = _SESSION.sub(lambda found: f"{found['indent']}```pycon\n{found[0]}\n{found['indent']}```", text)
    return _BLOCK_AHEAD.sub(":", text)


def _formula(found: re.Match[str]) -> str:
    indent = found["indent"]
    lines = [line for line in (found["first"], *inspect.cleandoc(found["rest"]).split("\n")) if line.strip()]
    formula = "\n".join(indent + line.strip() for line in lines)
    return f"{indent}$$\n{formula}\n{indent}$$\n\n"


class PlainDocstrings(griffe.Extension):
    """Translate every docstring when it is read."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Translate the docstring of a module, class, function or attribute."""
        if obj.docstring:
            obj.docstring.value = to_markdown(obj.docstring.value)
