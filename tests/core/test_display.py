from __future__ import annotations

import html
import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.display import cell_text, figure_text, one_line, safe_json, spreadsheet_cell, terminal_text, visible

ORDINARY = ["naïve Привет 日本語", "👩\u200d🚀", "می\u200cخواهم", "क्\u200dष", "café", "❤\ufe0f"]
HOSTILE = "\x1b[2J\x1b]0;title\x07\r\x08\x7f\x9b31m\u202e\u2066\u200b\u200d\ufeff\u00ad\U000e0041\ud800\u2028"
anything = st.text(st.characters(codec=None, exclude_categories=()) | st.sampled_from(HOSTILE))


@given(anything)
def test_what_is_visible_can_be_written_and_neither_breaks_lines_nor_turns_them(text):
    shown = visible(text)
    shown.encode("utf-8")
    assert len(shown) == len(text)
    assert len(shown.splitlines()) <= 1
    assert not set(shown) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\x00\x1b")


@given(anything)
def test_a_terminal_gets_nothing_to_obey(text):
    shown = terminal_text(text)
    shown.encode("utf-8")
    for i, character in enumerate(shown):
        if character in "\n\u200c\u200d":
            continue
        assert unicodedata.category(character) not in {"Cc", "Cs", "Zl", "Zp"}, (i, character)
        assert character.isascii() or character not in HOSTILE
    assert "\n" not in one_line(text)


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_of_any_script_is_left_alone(text):
    assert terminal_text(text) == visible(text) == figure_text(text) == text
    assert safe_json(text) == text


def test_every_hostile_character_is_named():
    shown = one_line(f"a{HOSTILE}b")
    assert shown.isascii()
    assert "\\x1b[2J" in shown
    assert "\\u202e" in shown
    assert "\\U000e0041" in shown


@pytest.mark.parametrize("text", ["a\u200db", "\u200d日", "日\u200c"])
def test_joiners_that_join_nothing_are_shown(text):
    assert "\\u200" in terminal_text(text)


@given(anything)
def test_json_means_the_same(text):
    encoded = json.dumps({"text": text}, ensure_ascii=False)
    safe = safe_json(encoded)
    assert json.loads(safe) == json.loads(encoded)
    assert terminal_text(safe) == safe


@given(st.text(st.sampled_from("'=+-@\t\r\na1.e ")))
def test_cells_come_back_and_begin_no_formula(text):
    cell = spreadsheet_cell(text)
    assert cell_text(cell) == text
    if cell[:1] in tuple("=+-@\t\r\n"):
        float(cell)


@pytest.mark.parametrize("number", ["-1", "+2.5", "-.5e-3"])
def test_numbers_are_not_formulas(number):
    assert spreadsheet_cell(number) == number


def test_long_lines_are_cut_after_escaping():
    assert one_line("\x1b" * 50, longest=10) == "\\x1b\\x1b\\…"


@given(st.text(max_size=40))
def test_no_markup_survives_in_a_figure_and_the_text_can_be_read_back(text):
    shown = figure_text(text)
    assert "<" not in shown
    assert ">" not in shown
    assert html.unescape(shown.replace("&amp;", "&#38;")) == visible(text)


def test_long_text_of_a_figure_is_cut_before_it_is_escaped():
    assert figure_text("<" * 100, longest=3) == "&lt;&lt;…"
