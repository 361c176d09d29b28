import time

import pyarrow as pa
import pytest

from driftline.core.errors import InvalidInput
from driftline.text.cleaning import clean
from driftline.text.left_out import DESCRIPTIONS


def left(text, kind="prose", keep=()):
    """Return the cleaned text with its spaces collapsed, and the parts that were left out."""
    cleaned = clean([text], kind, keep=keep)
    return " ".join(cleaned.texts[0].as_py().split()), {each.kind: each.n for each in cleaned.left_out}


@pytest.mark.parametrize(
    ("text", "expected", "kind"),
    [
        ("see http://example.org/a?b=c&d=e#f now", "see now", "urls"),
        ("(https://example.org/x_(y)), then", "( then", "urls"),
        ("HTTP://EXAMPLE.ORG, WWW.Example.com.", "", "urls"),
        ("go to www.example.de!", "go to", "urls"),
        ("link bit.ly/2xYz9 and t.co/abc", "link and", "urls"),
        ("nyti.ms/OoHXSG: fibroids", "fibroids", "urls"),
        ("cut off http://t.c… here", "cut off … here", "urls"),
        ("cut off htt… here", "cut off here", "urls"),
        ("cut off https:/... here", "cut off here", "urls"),
        ("git://git.kernel.org/pub ssh://x/y", "", "urls"),
        ("看http://t.co/x1新闻", "看 新闻", "urls"),
        ("write to joe.doe+x@mail.example.org.", "write to .", "addresses"),
        ("<20030101.abc@host.example> said", "< > said", "addresses"),
        ("mailto:joe@example.org", "", "addresses"),
        ("buy at Amazon.com or amazon.co.uk or bbc.com.", "buy at or amazon.co.uk or .", "domains"),
        ("kernel.org hosts it", "hosts it", "domains"),
        ("commit cd4a4ae4683d broke it", "commit broke it", "ids"),
        ("at 0x7f91bba7d580 and 0xff", "at and", "ids"),
        ("123e4567-e89b-12d3-a456-426614174000 failed", "failed", "ids"),
        ("DEADBEEF01 stays out", "stays out", "ids"),
        ('<a href="x">here</a> and <br/> <P>', "here and", "tags"),
        ("<!-- hidden --> shown", "shown", "tags"),
    ],
)
def test_what_is_not_text_is_left_out_everywhere(text, expected, kind):
    reported, counted = left(text)
    assert reported == expected
    assert counted.get(kind, 0) >= 1


@pytest.mark.parametrize(
    "text",
    [
        "C++ and C# and node.js and .net",
        "the u.s. and the U.S.A. at 3.5 % or 1.000,50",
        "don't can't rock'n'roll",
        "#1 and #ebola and #MakeAmericaGreatAgain",
        "state-of-the-art re-election",
        "facade decade deadbeef defaced effaced accede",
        "a < b and c > d, x<y>z, vector<int> and List<String>",
        "and/or he/she 24/7 km/h TCP/IP w/o",
        "AT&T, R&D, Q&A; fish & chips",
        "e.g. this, i.e. that, Mr. Smith, etc. and so on.",
        "price: 10:30 to 12:45, ratio 2:1",
        "1234567 20030320 1990s 2nd 747-400 B-52",
        "me @ home, meet @ 5",
        "wait...what? so...yes",
        "file.txt main.c Makefile.in setup.py",
        "emoji 😀 and 東京 and Ελλάδα and naïve café",
        "<Strong Point Inc> and <B and R Inc> said",
        "https and http are protocols; www is older",
    ],
)
def test_what_looks_like_it_stays(text):
    assert left(text) == (text, {})


def test_entities_are_decoded_once():
    assert left("caf&eacute; &amp; bar&nbsp;&#8211; &#x41;")[0] == "café & bar – A"
    assert left("&amp;lt;b&amp;gt;")[0] == "&lt;b&gt;"
    assert left("&lt;b&gt;bold&lt;/b&gt;")[0] == "bold"
    assert left("fish &amp; chips", keep=["entities"])[0] == "fish &amp; chips"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RT @joe: storm tonight", "storm tonight"),
        ("storm tonight RT @joe", "storm tonight"),
        ('"@joe: @ann_2 you too!" thanks', '" : you too!" thanks'),
        (".@joe is right", ". is right"),
        ("PART @joe", "PART"),
        ("obrigado @joão!", "obrigado !"),
        ("#win @CeeCee928", "#win"),
    ],
)
def test_posts_lose_names_of_accounts(text, expected):
    assert left(text, "posts")[0] == expected
    assert "@" in left(text, "prose")[0]


MAIL = """From: Joe <joe@example.org>
To: list
Subject: Re: the new driver

Hi Ann,

On Mon, 3 Mar 2019 at 10:00, Ann Other
<ann@example.org> wrote:
> does it work?
>> no
| > older
JD> initials
It works. To: be honest, x > y.

diff --git a/x.c b/x.c
index 83db48f..bf269f4 100644
--- a/x.c
+++ b/x.c
@@ -1,2 +1,2 @@
 int main
-old line
+new line
Signed-off-by: Joe <joe@example.org>
VGhpcyBpcyBhbiBlbmNvZGVkIGxpbmUgdGhhdCBub2JvZHkgd3JvdGUgdG8gYmUgcmVhZA==
--\u0020
Joe Doe
Example Inc.
"""


def test_mail_keeps_what_its_author_wrote():
    reported, counted = left(MAIL, "mail")
    assert reported == "the new driver It works. To: be honest, x > y."
    assert counted == {
        "headers": 2,
        "greetings": 1,
        "attributions": 2,
        "quotes": 4,
        "signatures": 3,
        "encoded": 1,
        "diffs": 8,
        "trailers": 1,
    }


@pytest.mark.parametrize("kind", ["headers", "attributions", "quotes", "signatures", "diffs", "trailers", "encoded"])
def test_each_kind_of_line_can_be_kept(kind):
    counted = left(MAIL, "mail", keep=[kind])[1]
    assert kind not in counted
    assert len(counted) >= 5


@pytest.mark.parametrize(
    "attribution",
    [
        "Am 3. März 2019 schrieb Ann Other:\n> warum?\nDarum.",
        "Le lundi, Ann a écrit :\n> pourquoi ?\nDarum.",
        "El lunes, Ann escribió:\n> ¿por qué?\nDarum.",
        "In article <1@x.y>, ann@x.y (Ann) writes:\n> why\nDarum.",
        "--- Original Message ---\nDarum.",
        "在 2023/02/10 10:28, Yu Kuai 写道:\n> 为什么\nDarum.",
    ],
)
def test_attributions_in_other_languages(attribution):
    assert left(attribution, "mail")[0] == "Darum."


def test_a_forward_is_left_out_below_a_text_only():
    forward = "-----Original Message-----\nFrom: x\nSent: y\n\nthe old text"
    assert left("See below.\n" + forward, "mail")[0] == "See below."
    assert left(forward, "mail")[0] == "the old text"


NOTICE = """The information transmitted is intended only for the person or entity to
which it is addressed and may contain confidential and/or privileged
material. Any dissemination by others is prohibited."""


def test_a_notice_on_who_may_read_a_mail_is_not_text_of_its_author():
    reported, counted = left(f"Power prices rose.\n\n{NOTICE}\n\nSee you.", "mail")
    assert reported == "Power prices rose. See you."
    assert counted == {"notices": 3}
    assert "privileged" in left(NOTICE, "mail", keep=["notices"])[0]
    assert "privileged" in left(NOTICE, "prose")[0]


@pytest.mark.parametrize(
    "text",
    [
        "The judge called the letter confidential, and its disclosure unlawful.",
        "Each recipient of the prize was told in confidence.",
        "intended for the recipient\n\nconfidential\n\nprohibited",
    ],
)
def test_one_or_two_cues_in_a_paragraph_are_not_a_notice(text):
    assert "notices" not in left(text, "mail")[1]


def test_a_long_paragraph_is_not_a_notice():
    text = "\n".join([*(f"line {i} of a long letter" for i in range(25)), NOTICE])
    assert "privileged" in left(text, "mail")[0]


def test_the_subject_of_a_mail_is_text_and_that_of_the_mail_below_is_not():
    below = "Lynn Blair\n06/06/2001 10:10 AM\nTo: Kathy\ncc:\n\nSubject: storage allocations\nThe fix is ready."
    reported = left("To: Ann\nSubject: invoices\nWere these valid?\n" + below, "mail")[0]
    assert reported == "invoices Were these valid? Lynn Blair 06/06/2001 10:10 AM The fix is ready."
    assert left("I like this.\nSubject: a word", "mail")[0] == "I like this. Subject: a word"


def test_placeholders_of_pictures_are_not_words_of_mail():
    text = (
        "Hot [IMAGE] offers [cid:image001.png@01D0] and [inline image 1] more (Embedded image moved to file: pic1.pcx)"
    )
    reported, counted = left(text, "mail")
    assert reported == "Hot offers and more"
    assert counted == {"placeholders": 4}
    assert "IMAGE" in left(text, "prose")[0]


def test_marks_of_references_are_not_words_and_names_are():
    reported, counted = left("Fix :meth:`str.title` and :c:func:`PyEval_EvalCode`; note: `x` at 10:30:`y`", "commits")
    assert reported == "Fix str.title` and PyEval_EvalCode`; note: `x` at 10:30:`y`"
    assert counted == {"roles": 2}


def test_two_dashes_high_above_the_end_begin_no_signature():
    text = "before\n--\n" + "\n".join(f"line {i}" for i in range(30))
    assert "line 29" in left(text, "mail")[0]
    assert left("before\n--\nJoe", "mail")[0] == "before"


@pytest.mark.parametrize(
    "line",
    ["Hi,", "Dear Ms. Doe,", "hello all", "Thanks!", "Thanks in advance,", "Best regards,", "Viele Grüße", "Cheers"],
)
def test_greetings_are_left_out_of_mail(line):
    assert left(f"{line}\nthe driver works", "mail")[0] == "the driver works"


@pytest.mark.parametrize(
    "line", ["Thanks to this patch it works.", "Hi-fi sound is back", "best result so far", "The regards of the few"]
)
def test_sentences_are_not_greetings(line):
    assert left(f"{line}\nthe driver works", "mail")[0] == f"{line} the driver works"


@pytest.mark.parametrize("line", ["n>m) is larger", "a -> b", "x > y", "if a>b then"])
def test_comparisons_are_not_quotes(line):
    assert left(f"{line}\nthe driver works", "mail")[0] == f"{line} the driver works"


def test_lists_and_tables_are_not_patches():
    text = "Shopping:\n- milk\n- bread\n+ butter\n--- snip ---\nmore"
    assert left(text, "mail")[0] == " ".join(text.split())


@pytest.mark.parametrize(
    "trailer",
    [
        "Signed-off-by: A <a@b.c>",
        "Reviewed-by: A",
        "Change-Id: I83db48f",
        "git-svn-id: https://x@1 2",
        "Fixes: #123",
        "Closes: 77",
        "(cherry picked from commit 83db48f)",
        "MFC after: 3 days",
        "Closes #1234",
        "Fixes #12, #13 and #14",
        "Fixed curl/curl#77.",
        "Ref: https://example.org/x/1",
        "Follow-up to 5c61e16869 #123",
    ],
)
def test_commits_lose_their_trailers(trailer):
    assert left(f"Fix the parser\n\n{trailer}", "commits")[0] == "Fix the parser"


@pytest.mark.parametrize(
    "line",
    [
        "Merge pull request #12 from ann/fix-parser",
        "Merge pull request #12",
        "Merge branch 'stable' into main",
        "Merge branches 'a' and 'b'",
        "Merge remote-tracking branch 'origin/main'",
        "Merge remote branch 'ann/docs'",
        "Merge branch main of example.org:ann/x into main",
        "Merge tag 'v6.1-rc1' of git://example.org/linux",
        "* Merge branch 'main'",
        "Merged in ann/fix (pull request #3)",
        "See merge request group/project!41",
    ],
)
def test_commits_lose_the_lines_that_git_writes_for_a_merge(line):
    assert left(f"{line}\n\nFix the parser", "commits")[0] == "Fix the parser"
    assert left(line, "prose")[0].startswith(" ".join(line.split()[:2]))


@pytest.mark.parametrize("line", ["Merge the two parsers", "merge slashes of a prefix", "Merged with changes by hand"])
def test_sentences_on_merging_are_kept(line):
    assert left(line, "commits")[0] == line


@pytest.mark.parametrize(
    "line",
    [
        "BUG: unable to handle page fault",
        "BUG: RAID6 is broken",
        "Fixes: 1 report of errors",
        "Note: see below",
        "Fixes the leak of #12",
        "See the docs",
    ],
)
def test_sentences_with_a_colon_are_not_trailers(line):
    assert left(f"Fix the parser\n\n{line}", "commits")[0] == f"Fix the parser {line}"


def test_everything_can_be_kept():
    assert clean([MAIL], "mail", keep="all").left_out == ()


def test_unknown_kinds_are_errors():
    with pytest.raises(InvalidInput, match="source_kind"):
        clean(["x"], "novel")
    with pytest.raises(InvalidInput, match="urls"):
        clean(["x"], keep=["uris"])


def test_rows_stay_in_place_and_kinds_are_described():
    texts = ["", "http://x.org/", "plain", "a@b.cd", "\n\n"]
    cleaned = clean(pa.array(texts), "mail")
    assert [text.strip() for text in cleaned.texts.to_pylist()] == ["", "", "plain", "", ""]
    assert {each.kind for each in cleaned.left_out} <= set(DESCRIPTIONS)


HOSTILE = {
    "letters": "a",
    "hexadecimal": "a1",
    "at signs": "a@",
    "addresses": "a@b.c",
    "dots": "a.",
    "slashes": "a.b/",
    "urls": "http://",
    "entities": "&#1",
    "ampersands": "&amp;",
    "tags": "<a =",
    "quotes": ">",
    "dashes": "-- ",
    "wrote": "wrote: ",
    "digits": "1",
    "headers": "From: x\n",
    "hunks": "@@ x @@\n+",
}


@pytest.mark.parametrize("kind", ["posts", "mail"])
@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_hostile_lines_cost_linear_time(piece, kind):
    def seconds(length):
        text = piece * (length // len(piece))
        begin = time.process_time()
        clean([text], kind)
        return time.process_time() - begin

    seconds(1000)
    shorter = min(seconds(40_000) for _ in range(2))
    # Quadratic work would take 64 times as long for a text eight times as long.
    assert seconds(320_000) < 24 * shorter + 0.25


def test_a_number_of_thousands_of_digits_is_not_an_entity():
    assert left("&#" + "1" * 5000 + "; &amp; x")[0].endswith("& x")


@pytest.mark.parametrize(
    "line",
    [
        "Copyright ? 2001 Quill & Company, Inc. All Rights Reserved.",
        "(Copyright (c) 2001, Quill & Company, Inc.)",
        "Copyright 1999 Harbour Chronicle",
        "(c) 2003 by Quill News Ltd",
        "(C) 2003, The Harbour Group",
        "(c) Copyright Harbour Times.",
        "Copyright (c) Harbour Standard",
        "(Copyright Quill Inc., 2001)",
        "2001-10-02;   Copyright (c) 2001, Quill &",
        "© 2017 Harbour",
        "© Harbour GmbH. Alle Rechte vorbehalten.",
        "Tous droits réservés",
    ],
)
def test_a_claim_of_copyright_is_not_text_of_its_author(line):
    text = f"The ferry is late.\n{line}\nIt will sail at noon."
    for kind in ("mail", "prose"):
        cleaned, counted = left(text, kind)
        assert counted["copyrights"] == 1
        assert cleaned.split() == ["The", "ferry", "is", "late.", "It", "will", "sail", "at", "noon."]
    assert "copyrights" not in left(text, "mail", keep=["copyrights"])[1]
    assert "copyrights" not in left(text, "commits")[1]


@pytest.mark.parametrize(
    "line",
    [
        "Copyright law will change in 2001, says the ministry of a country that has none so far.",
        "(c) 12 of them were lost",
        "(c) the harbour",
        "The company reserved all rights of way.",
        "They asked whether all rights reserved by the treaty of the last century, which few had read, "
        + "again " * 20,
        "Copyright holders sued the company",
    ],
)
def test_a_sentence_on_rights_stays(line):
    assert "copyrights" not in left(f"The ferry is late.\n{line}", "prose")[1]


@pytest.mark.parametrize(
    ("claim", "rest"),
    [
        ("Copyright (c) 2001, Quill &\nCompany Inc.", ""),
        ("Copyright (c) 2001,\nQuill & Company Inc.", ""),
        (
            "-By Ann Lee; 555-0100; Copyright (c) 2001,\nQuill & Company Inc",
            "-By Ann Lee; 555-0100; Copyright (c) 2001,",
        ),
        ("Quill News; Copyright\n(c) 2001, Quill & Company Inc", "Quill News; Copyright"),
    ],
)
def test_a_claim_of_copyright_may_go_on_in_the_next_line(claim, rest):
    text = f"The ferry is late.\n{claim}\nIt will sail at noon."
    assert left(text, "mail")[0].split() == f"The ferry is late. {rest} It will sail at noon.".split()


def test_the_name_of_a_company_is_not_a_claim_by_itself():
    text = "We wrote to the ferry and to\nQuill & Company Inc.\nNobody answered."
    assert "copyrights" not in left(text, "mail")[1]
    assert "copyrights" not in left("Copyright 2001 Quill\nThey sued the company.", "commits")[1]


@pytest.mark.parametrize("kind", ["auto", "posts"])
def test_an_iterator_of_texts_is_read_once(kind):
    texts = ["RT @joe: storm tonight http://t.co/x1", "@ann closed http://t.co/x2"]
    assert clean(iter(texts), kind).texts.to_pylist() == clean(texts, kind).texts.to_pylist()
