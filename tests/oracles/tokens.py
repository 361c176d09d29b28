"""Tokens the plain way: Python's own `re`, `str.lower` and lists. Also a list of texts that break tokenisers."""

from __future__ import annotations

import re

WORD = r"(?u)\b\w\w+\b"


def tokens_of(text, *, pattern=WORD, lowercase=True, stop_words=(), ngram_range=(1, 1)):
    """Return the tokens of one text, shorter n-grams before longer ones."""
    words = [word for word in re.findall(pattern, text.lower() if lowercase else text) if word not in stop_words]
    shortest, longest = ngram_range
    return [" ".join(words[i : i + n]) for n in range(shortest, longest + 1) for i in range(len(words) - n + 1)]


HOSTILE = [
    "",
    " ",
    "a",
    "aa",
    "_",
    "__ _a a_ a_b",
    "İstanbul İİ ISTANBUL ıı",
    "ΟΔΟΣ ΟΔΟΣ. ΣΑΣ ΣΣ Σ ΑΣ\u0301 ΑΣ\u00adΑ ΑΣ'Α ΟΔΟΣ\nΟΔΟΣ",
    "straße STRASSE ẞß ǅ ǆ Ǆ ﬁsh ﬀ",
    "K K Å Å µ μ",
    "e\u0301te\u0301 été cafe\u0301s cafés",
    "नमस्ते दुनिया ไทยภาษา ภาษาไทย",
    "東京都 東京 ｶﾀｶﾅ カタカナ 한국어 ㍻ ㎏㎏",
    "１２ ²³ ½¾ ⅷⅷ ①② ٣٤ ०१",
    "𝒜𝒷 𝟘𝟙 𐐀𐐁 𐐨𐐩 𞤀𞤁 🄰🄱 👩‍👩‍👧 🇩🇪",
    "a\u200bb aa\u200baa aa\u00adaa aa\u2060aa aa\ufeffaa",
    "aa\u00a0bb\u1680cc\u2028dd\u2029ee\u3000ff\x85gg\x1chh\x00ii\x7fjj",
    "\x00\x01\x02 \x00aa\x00bb\x00",
    "\ufffe\uffff\U0010ffff aa\uffffbb \U000e0001 \ue000\ue001",
    "don't o'clock l’été rock'n'roll",
    "foo-bar foo_bar foo.bar foo@bar.com http://a.b/c?d=e#ff",
    "ͅ ͅͅ ʰʰ ªº ʼnʼn \u0345\u0345",
    "ᾳ ᾼ ΐ ΰ ŉŉ ǰǰ ẖẖ",
    "ﷺﷺ لا سلام\u064b عربي ١٢٣",
    "word " * 50,
    "x" * 5000,
    "é" * 5000,
    "MiXeD CaSe ÀÉÎÕÜ àéîõü ÅÄÖ",
    "\r\nline\r\nline\ttab\vvt\fff",
    "Ⴀა Აა Ꭰꭰ ꙀꙀ Ⅷⅷ Ⓐⓐ",
]
"""Case that depends on neighbours or grows, marks, digits of all kinds, invisible characters, separators, controls."""
