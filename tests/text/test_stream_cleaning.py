import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.text.cleaning import clean
from driftline.text.stream_cleaning import clean_arriving

PARTS = st.sampled_from(
    [
        "",
        "storm tonight",
        "RT @joe:",
        "MT @ann",
        "@joe",
        "joe@example.org",
        "https://t.co/x1",
        "http:…",
        "www.a.de/b?c=1",
        "example.com",
        "bbc.co.uk/news",
        "caf&eacute;",
        "&amp;",
        "&#99999999999;",
        "<b>",
        "<a href=x>",
        "a < b",
        ":class:`Corpus`",
        "_very_",
        "__init__",
        "snake_case",
        "0x1f",
        "deadbeef1",
        "1234567a",
        "A1B2C3D",
        "12345678-1234-1234-1234-123456789012",
        "abcdefab-abcd-abcd-abcd-abcdefabcdef",
        "3.11",
        "und/oder",
        "R&D",
        "SMART",
        "é",
        "日本",
        "HTTPS://X.Y",
        "5.COM",
        "ftp://h/p",
        "mailto:a@b.cd",
        "",
    ]
)
TEXTS = st.lists(st.lists(PARTS | st.text(max_size=8), max_size=8).map(" ".join), max_size=6)


@settings(deadline=None, max_examples=300)
@given(TEXTS)
def test_texts_are_cleaned_like_posts_whose_accounts_are_kept(texts):
    assert clean_arriving(texts) == clean(texts, "posts", keep=["accounts"]).texts.to_pylist()


@settings(deadline=None)
@given(TEXTS)
def test_a_text_is_cleaned_as_if_it_were_alone(texts):
    assert clean_arriving(texts) == [clean_arriving([text])[0] for text in texts]


def test_plain_texts_are_not_passed_to_the_patterns(monkeypatch):
    def refuse(*arguments, **options):
        raise AssertionError

    monkeypatch.setattr("driftline.text.stream_cleaning.pc.replace_substring_regex", refuse)
    texts = ["Storm tonight, 30 dead; and so on.", "日本", ""]
    assert clean_arriving(texts) == texts
    with pytest.raises(AssertionError):
        clean_arriving(["see http://a.b"])
