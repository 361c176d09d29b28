import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.readers.html_text import html_to_text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("plain", "plain"),
        ("a<br>b<p>c</p><p>d", "a\nb\nc\nd"),
        ("<ul><li>one<li>two</ul>", "one\ntwo"),
        ("a <b>bold</b>  word", "a bold word"),
        ("&lt;tag&gt; &amp; &eacute;&nbsp;x", "<tag> & é x"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("a<!-- <p>hidden --> b", "a b"),
        ("<script>if (a < b) { '</p>' }</script>shown", "shown"),
        ("<STYLE>p { }</Style >shown", "shown"),
        ("<head><title>t</title></head><body>shown</body>", "shown"),
        ("<!DOCTYPE html><?xml?>shown", "shown"),
        ("<a href='x>y'>link</a>", "y'>link"),
        ("cut off <b", "cut off <b"),
        ("<script>never closed", "never closed"),
        ("<head><title>t</title><body><p>war<header>top</header>peace", "war\ntop\npeace"),
        ("<!-- never closed", ""),
        ("", ""),
    ],
)
def test_what_a_reader_would_see(page, text):
    assert html_to_text(page) == text


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["<", ">", "<!--", "-->", "<script>", "</script", "<p>", "a", "&", "&lt;", "\n", " "])
    ).map("".join)
)
def test_no_page_is_an_error_and_no_tag_remains(page):
    assert "<p>" not in html_to_text(page.replace("&lt;", ""))


@pytest.mark.parametrize("piece", ["<", "<a", "<!--", "<script>", "<script", "</script", "<!", "&", "<p>", "<style><"])
def test_hostile_pages_take_linear_time(piece):
    html_to_text(piece * 200_000)  # a quadratic pass over this would take hours
