from __future__ import annotations

import pytest

pytest.importorskip("griffe")

from tools.site.docstrings import to_markdown


def test_formulas_are_put_between_dollars():
    text = "Sums\n\n.. math:: a = b\n\nwith :math:`h >\n0`.\n"
    assert to_markdown(text) == "Sums\n\n$$\na = b\n$$\n\nwith $h > 0$.\n"


def test_a_formula_of_several_lines_keeps_its_indent():
    text = "    .. math::\n\n        a\n        = b\n\n    After.\n"
    assert to_markdown(text) == "    $$\n    a\n    = b\n    $$\n\n    After.\n"


def test_code_roles_and_literals_become_backticks():
    assert to_markdown("``side`` of :class:`~driftline.LDA`") == "`side` of `driftline.LDA`"


def test_a_session_is_fenced_up_to_the_next_empty_line():
    assert to_markdown(">>> 1\n[1](2)\n\nThen.") == "```pycon\n>>> 1\n[1](2)\n```\n\nThen."


def test_a_block_ahead_is_announced_by_one_colon():
    assert to_markdown("As follows::\n\n    x = 1") == "As follows:\n\n    x = 1"
