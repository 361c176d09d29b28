"""Rows of answers: snippets of texts with quotation marks, control characters, and very long words."""

import pytest

from driftline.service.views.shown_rows import SHOWN, snippet


def test_quotation_marks_of_a_text_mark_nothing():
    text = "Le fichier «rapport» est inconnu, dit « le serveur »."
    assert snippet(text) == [text]
    assert snippet(text, ["rapport"]) == ["Le fichier «", "rapport", "» est inconnu, dit « le serveur »."]


@pytest.mark.parametrize(
    "text", ["w" * 3000, "\x00" * 3000, "a rain \n\n\t b " * 400, "", " ", "雨" * 5000, "rain\u202e" * 900]
)
def test_a_snippet_is_short_and_on_one_line(text):
    parts = snippet(text, ["rain"])
    assert len(parts) % 2 == 1
    assert not {"\n", "\x00", "\u202e"} & set("".join(parts))
    assert all(len(part) <= 2 * SHOWN for part in parts)
    assert all(part == "rain" for part in parts[1::2])
