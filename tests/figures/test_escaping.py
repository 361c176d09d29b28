from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.display import visible
from driftline.figures.escaping import as_text


@given(st.text(max_size=40))
def test_no_markup_survives_and_the_text_can_be_read_back(text):
    shown = as_text(text)
    assert "<" not in shown
    assert ">" not in shown
    assert html.unescape(shown.replace("&amp;", "&#38;")) == visible(text)


@pytest.mark.parametrize("text", ["naïve Привет 日本語", "👩\u200d🚀", "عربي\u200c", "café"])
def test_ordinary_text_of_any_script_is_left_alone(text):
    assert as_text(text) == text


def test_long_text_is_cut_before_it_is_escaped():
    assert as_text("<" * 100, longest=3) == "&lt;&lt;…"
