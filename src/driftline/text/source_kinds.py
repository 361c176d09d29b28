"""Kinds of sources, which determine the parts of a text that are prose."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import reduce
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from driftline.core.errors import InvalidInput
from driftline.text.inline_patterns import ACCOUNTS, URLS
from driftline.text.mail_lines import ATTRIBUTION, GREETING, HEADER, QUOTED
from driftline.text.rows import text_array
from driftline.text.text_lines import Lines

SOURCE_KINDS = ("posts", "mail", "commits", "headlines", "prose", "logs")
"""Kinds that a user can name; logs are not detected, but known from the format of a file."""
LOOKED_AT = 2000
"""Number of documents sampled, spread evenly over the source."""
LONGEST_LOOK = 20_000
"""Number of characters examined per sampled document."""
_COMMIT_SUBJECT = (
    r"(?i)^(?:feat|fix|chore|docs|style|refactor|perf|test|build|ci|revert)(?:\([^)\n]{1,60}\))?!?: |"
    r"^(?:[\w./,-]{1,40}(?:\([^)\n]{1,60}\))?!?: ?)?(?:\[[^\]]{1,40}\] ?)?(?:add|fix|remov|delet|updat|merge|mak|us|"
    r"mov|renam|implement|chang|clean|revert|refactor|improv|support|allow|handl|avoid|bump|correct|don't|do not|"
    r"introduc|convert|replac|set|get rid|initial|creat|check|simplif|release)[a-z]*\b"
)
_COMMIT_TRAILER = (
    r"(?i)^[ \t]*(?:signed-off-by|reviewed-by|acked-by|tested-by|co-authored-by|change-id|git-svn-id)[ \t]*:"
)
_NOT_HEADLINES = re.compile(
    r"(?i)desc|comment|kommentar|beschreib|messag|note|remark|feedback|review|answer|respon|complain|incident|"
    r"question|transcript|synops|overview"
)
"""Expression for names of columns of short texts that are not headlines."""
_OF_POSTS = (URLS.expression, r"(?:^|[^\w.])" + ACCOUNTS.expression, r"(?:^|[^\w&])#[A-Za-z_]\w")


_COMMIT_ID_COLUMN = re.compile(r"(?i)(?:^|_)(?:sha_?1?|commit(?:_?(?:id|hash|sha))?|hash|revision|changeset|oid)$")
_COMMIT_ID = r"^(?:[0-9a-f]{7,31}|[0-9a-f]{40}|[0-9a-f]{64})$"
"""Expressions for the name of a column of commits, and for a commit in it; 32 digits are MD5 or a UUID."""


class SourceKind(NamedTuple):
    """The kind of a source, and the shares of sampled documents on which the decision is based."""

    kind: str
    n_looked_at: int
    evidence: dict[str, float]


def checked_kind(kind: str) -> str:
    """Return the kind of source given by the user, or "auto"."""
    if kind != "auto" and kind not in SOURCE_KINDS:
        raise InvalidInput(f"source_kind={kind!r} is unknown; pass 'auto' or one of {', '.join(SOURCE_KINDS)}")
    return kind


_FRONT_MATTER = r"^(?:---|\+\+\+)[ \t]*\r?\n[ \t]*[\w-]+[ \t]*[:=]"
"""The beginning of a page of a website, whose settings look like the headers of a mail."""


def find_source_kind(
    texts: Iterable[object], *, column: str = "", ids: Iterable[object] = (), id_column: str = ""
) -> SourceKind:
    """Return the kind of source of the texts, from a sample of at most 2,000 of them, and the name of their column.

    Short notes are written like headlines: in a column called a description, a note or the like, they are prose. If the
    `ids` of the texts are those of commits, so are the texts, whatever they contain.

    >>> find_source_kind(["so tired @joe http://t.co/x", "new video! #fun http://t.co/y"]).kind
    'posts'
    >>> find_source_kind(["Joe wrote:\\n> where?\\nHere.", "Hello,\\n\\nJoe wrote:\\n> no"]).kind
    'mail'
    """
    all_texts = text_array(texts)
    rows = np.unique(np.linspace(0, len(all_texts) - 1, min(LOOKED_AT, len(all_texts))).round().astype(np.int64))
    some = pc.utf8_slice_codeunits(all_texts.take(pa.array(rows)).combine_chunks(), 0, LONGEST_LOOK)
    shares = _shares(some)
    kind = "commits" if _are_commits(ids, id_column) else _kind_of(shares)
    named_otherwise = kind == "headlines" and _NOT_HEADLINES.search(column) is not None
    return SourceKind("prose" if named_otherwise else kind, len(some), shares)


def _are_commits(ids: Iterable[object], column: str) -> bool:
    """Return whether ids are those of commits, by the name of their column and by nine in ten of them.

    >>> _are_commits(["5c61e16", "77aef10"], "commit_hash"), _are_commits(["5c61e16", "77aef10"], "order")
    (True, False)
    """
    if not _COMMIT_ID_COLUMN.search(column):
        return False
    are = pc.match_substring_regex(text_array(ids), _COMMIT_ID)
    return bool(pc.mean(are).as_py() > 0.9) if len(are) else False


def _shares(texts: pa.LargeStringArray) -> dict[str, float]:
    if not len(texts):
        return {}
    lines = Lines.of(texts)
    is_page = pc.match_substring_regex(texts, _FRONT_MATTER).to_numpy(zero_copy_only=False)

    def with_line(*expressions: str) -> float:
        found = np.zeros(len(texts), dtype=np.bool_)
        for expression in expressions:
            found[lines.document()[lines.matching(expression)]] = True
        return float((found & ~is_page).mean())

    def with_match(*expressions: str) -> float:
        found = [pc.match_substring_regex(texts, expression) for expression in expressions]
        return float(pc.mean(reduce(pc.or_, found)).as_py())

    return {
        "median length": float(np.median(pc.utf8_length(texts).to_numpy())),
        "one line": float(np.mean(np.diff(lines.offsets) <= 1)),
        "web addresses, @names or #tags": with_match(*_OF_POSTS),
        "quotes, attributions, headers or greetings": with_line(QUOTED, ATTRIBUTION, HEADER, GREETING),
        "trailers": with_line(_COMMIT_TRAILER),
        "commit subjects": with_match(_COMMIT_SUBJECT),
        "final stops": with_match(r"[.!?…][\"'”’)]*\s*$"),
        "several sentences": with_match(r"\w[.!?…]+\s+\S+\s+\S"),
        "at most three words": with_match(r"^\s*(?:\S+\s*){0,3}$"),
        "ids or times of day": with_match(r"\d{5}|[0-9a-f]{12}|\d\d:\d\d:\d\d|\d{4}-\d\d-\d\d"),
    }


def _kind_of(shares: dict[str, float]) -> str:
    if not shares:
        return "prose"
    if shares["trailers"] > 0.15 or shares["commit subjects"] > 0.4:
        return "commits"
    if shares["quotes, attributions, headers or greetings"] > 0.3 and shares["one line"] < 0.7:
        return "mail"
    short = shares["median length"] < 300
    if short and shares["web addresses, @names or #tags"] > 0.3:
        return "posts"
    return "headlines" if _are_headlines(shares) else "prose"


def _are_headlines(shares: dict[str, float]) -> bool:
    """Return whether short texts are headlines: one line, one clause of several words, no ids.

    Chat lines, tickets, reviews and log lines are also short, but are documents rather than headlines.
    """
    others = ("final stops", "several sentences", "at most three words", "ids or times of day")
    most = (0.5, 0.3, 0.2, 0.3)
    one_line = shares["median length"] < 160 and shares["one line"] > 0.9
    return one_line and all(shares[name] < limit for name, limit in zip(others, most, strict=True))
