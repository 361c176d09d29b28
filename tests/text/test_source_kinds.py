import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.text.source_kinds import LOOKED_AT, checked_kind, find_source_kind

POSTS = ["so tired @joe http://t.co/x", "new video! #fun", "storm tonight https://t.co/y", "@ann you too"]
MAIL = ["Hi Joe,\n\ndoes it work?\n\nAnn", "Joe wrote:\n> does it?\n\nYes.\n\nThanks,\nAnn", "From: x\nTo: y\n\ntext"]
COMMITS = ["Fix the parser.", "doc: add a page", "Merge branch 'x'", "Update translations", "net: remove dead code"]
HEADLINES = ["war in iraq begins", "sars spreads in hong kong", "man charged over murder"]
PROSE = ["It was a bright cold day in April, and the clocks were striking thirteen. " * 5]


@pytest.mark.parametrize(
    ("kind", "texts"),
    [("posts", POSTS), ("mail", MAIL), ("commits", COMMITS), ("headlines", HEADLINES), ("prose", PROSE)],
)
def test_kinds(kind, texts):
    found = find_source_kind(texts * 10)
    assert found.kind == kind
    assert found.n_looked_at == 10 * len(texts)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("abc_headlines_2003", "headlines"),
        ("tweets_2015_2017", "posts"),
        ("health_tweets", "posts"),
        ("gitlog_2003_2008", "commits"),
        ("maillists_2019_2026", "mail"),
        ("enron_partial_folders", "mail"),
        ("spamassassin", "mail"),
        ("20news_bydate", "mail"),
        ("news_sites_2017", "prose"),
        ("bundestag_speeches", "prose"),
        ("reuters21578", "prose"),
        ("sotu_1790_2024", "prose"),
    ],
)
def test_real_streams(real_data, name, kind):
    import pyarrow.parquet as pq

    texts = pq.read_table(real_data(name), columns=["text"])["text"]
    assert find_source_kind(texts).kind == kind


def test_scopes_of_commits_and_names_of_packages_are_not_accounts():
    subjects = ["feat(api): expose @acme/client", "chore(deps): pin @types/node", "ci!: publish @acme/cli to npm"]
    assert find_source_kind(subjects * 10).kind == "commits"


@pytest.mark.parametrize(
    ("column", "ids", "kind"),
    [
        ("sha", ["5c61e16a", "77aef10b"], "commits"),
        ("commit", ["5c61e16" + "0" * 33, "77aef10" + "f" * 33], "commits"),
        ("Commit_Hash", ["5c61e16" + "0" * 57] * 2, "commits"),
        ("id", ["5c61e16a", "77aef10b"], "posts"),
        ("sha", ["post 1", "post 2"], "posts"),
        ("hash", ["0" * 32, "f" * 32], "posts"),
        ("commit", [], "posts"),
    ],
)
def test_texts_with_ids_of_commits_are_commits(column, ids, kind):
    assert find_source_kind(POSTS * 10, ids=ids * 20, id_column=column).kind == kind


def test_no_more_than_a_sample_is_looked_at():
    assert find_source_kind(["word"] * (3 * LOOKED_AT)).n_looked_at == LOOKED_AT


def test_no_texts_and_empty_ones():
    assert find_source_kind([]).kind == "prose"
    assert find_source_kind(["", ""]).kind == "prose"


def test_a_quarter_with_each_mark_of_posts_is_posts():
    texts = ["goal in extra time @bbc", "what a match #final", "see it again http://t.co/x", "nobody expected this"]
    assert find_source_kind(texts * 10).kind == "posts"


@pytest.mark.parametrize(
    "texts",
    [
        ["deploy fails again", "ok", "who is on call", "lunch", "looks good"],
        ["I cannot log in. Please help me soon", "The parcel is late. Order 77", "Charged twice. What now then"],
        ["2025-02-10 [auth] INFO user 13 logged in", "2025-02-10 [mail] INFO retrying the job 77 again"],
        ["request completed in 44 ms trace=00ff00ff00ff00aa", "cache miss for key k7 trace=00aa00ff00ff00bb"],
    ],
)
def test_short_texts_that_are_not_headlines(texts):
    assert find_source_kind(texts * 10).kind == "prose"


def test_short_notes_are_no_headlines_if_their_column_says_otherwise():
    for column in ("final_description", "Comment", "incident_notes"):
        assert find_source_kind(HEADLINES, column=column).kind == "prose"
    for column in ("headline_text", "title", "text", ""):
        assert find_source_kind(HEADLINES, column=column).kind == "headlines"
    assert find_source_kind(POSTS, column="comment").kind == "posts"


@pytest.mark.data
@pytest.mark.parametrize("name", ["reuters21578", "enron_partial_folders", "maillists_2019_2026"])
def test_titles_and_subjects_are_short_and_of_one_line(real_data, name):
    import pyarrow.parquet as pq

    table = pq.read_table(real_data(name))
    column = "title" if "title" in table.column_names else "subject"
    texts = table[column].drop_null()
    assert find_source_kind(texts).kind == ("prose" if name == "enron_partial_folders" else "headlines")


def test_shares_are_shares():
    evidence = find_source_kind(POSTS).evidence
    shares = np.array([share for name, share in evidence.items() if name != "median length"])
    assert ((shares >= 0) & (shares <= 1)).all()


def test_unknown_kinds_are_errors():
    assert checked_kind("auto") == "auto"
    with pytest.raises(InvalidInput, match="posts, mail, commits"):
        checked_kind("novel")


def test_pages_of_a_website_are_not_mail():
    pages = [f"---\ntitle: Release {i}\nauthor: a\ndate: 2003-03-20\n---\n\nIt is here.\nEnjoy it." for i in range(9)]
    assert find_source_kind(pages).kind == "prose"
    mails = [f"From: a\nDate: 2003-03-20\n\nIt is here.\nEnjoy it, all {i} of you." for i in range(9)]
    assert find_source_kind(mails).kind == "mail"
