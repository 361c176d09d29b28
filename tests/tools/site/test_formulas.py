from __future__ import annotations

import pytest

pytest.importorskip("latex2mathml")

from tools.site.formulas import with_mathml


def test_formulas_become_mathml_and_keep_their_source():
    page = with_mathml(r'<p>With <span class="arithmatex">\(h &lt; 1\)</span>.</p>')
    assert '<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline">' in page
    assert "&#x0003C;" in page or "&lt;</mo>" in page
    assert 'title="h &lt; 1"' in page
    assert "arithmatex" not in page


def test_a_formula_on_its_own_is_a_block():
    assert 'display="block"' in with_mathml('<div class="arithmatex">\\[\na\n\\]</div>')


def test_other_text_is_left_alone():
    assert with_mathml("<p>$ driftline read</p>") == "<p>$ driftline read</p>"
