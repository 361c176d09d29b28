r"""Text within a line that is not counted: addresses, ids, markup and account names, found by RE2 in linear time.

Every pattern has a short trigger, which is part of each match; rows without it are never searched. In RE2 ``\b``
supports only ASCII, which is enough here: all matches begin and end with ASCII.
"""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from driftline.text.left_out import Tally


class InlinePattern(NamedTuple):
    """One kind of text that is replaced by a space wherever it occurs."""

    kind: str
    expression: str
    trigger: str = ""

    def remove(self, texts: pa.LargeStringArray, tally: Tally) -> pa.LargeStringArray:
        """Return the texts without the matches of the pattern, and tally them."""
        rows = pc.match_substring_regex(texts, self.trigger) if self.trigger else None
        candidates = texts if rows is None else texts.filter(rows)
        if not len(candidates):
            return texts
        found = pc.count_substring_regex(candidates, self.expression)
        matched = pc.greater(found, 0)
        n_documents = pc.sum(matched).as_py()
        if not n_documents:
            return texts
        examples = (
            _first_matches(candidates.filter(matched)[:20], self.expression) if tally.wants_examples(self.kind) else []
        )
        tally.add(self.kind, "match", pc.sum(found).as_py(), n_documents, examples)
        cleaned = pc.replace_substring_regex(candidates, pattern=self.expression, replacement=" ")
        return cleaned if rows is None else pc.replace_with_mask(texts, rows, cleaned)


def _first_matches(texts: pa.LargeStringArray, expression: str) -> list[str]:
    flags, body = ("(?i)", expression[4:]) if expression.startswith("(?i)") else ("", expression)
    found: list[str] = pc.extract_regex(texts, f"{flags}(?P<found>{body})").field("found").to_pylist()
    return found


_URL_CHARACTERS = r"[!#-;=?-~\x{C0}-\x{24F}]"
TOP_LEVEL_DOMAINS = ("com", "org", "net", "edu", "gov", "mil", "info", "biz")
_TOP_LEVEL = "|".join(TOP_LEVEL_DOMAINS)
_SHORTENERS = (
    "ac|ag|ai|al|am|at|au|be|bg|biz|br|ca|cat|ch|cl|cn|co|com|cx|cz|de|dk|ee|edu|es|eu|fi|fm|fr|gd|gl|gov|gr|gy|hk|hr|hu|ie|"
    "il|im|info|int|io|ir|is|it|jp|kr|la|lc|li|lt|lu|lv|ly|me|mil|mobi|ms|mx|my|net|nl|no|nu|nz|onl|org|ph|pl|pr|pt|"
    "ro|rs|ru|se|sg|si|sk|st|tk|to|tr|tv|tw|ua|uk|us|vc|za"
)
_TAG_NAMES = (
    "a|abbr|address|article|b|big|blockquote|body|br|center|code|dd|div|dl|dt|em|font|form|frame|h[1-6]|head|hr|html|i|"
    "iframe|img|input|label|li|link|meta|nobr|object|ol|option|p|param|pre|s|script|section|select|small|span|strike|"
    "strong|style|sub|sup|table|tbody|td|textarea|tfoot|th|thead|title|tr|tt|u|ul"
)


def _mixed_hexadecimal(shortest: int) -> str:
    """Return an expression for runs of at least `shortest` hexadecimal digits with a letter and a numeral among them.

    The expression is a run of k characters of one class, a character of the other, and then any digits. It enumerates
    all k, because RE2 has no look-ahead.
    """
    digits = r"[0-9a-f]"
    ways = []
    for first, other in (("[a-f]", "[0-9]"), ("[0-9]", "[a-f]")):
        ways += [f"{first}{{{k}}}{other}{digits}{{{shortest - k - 1},}}" for k in range(1, shortest - 1)]
        ways.append(f"{first}{{{shortest - 1},}}{other}{digits}*")
    return "|".join(ways)


TAGS = InlinePattern(
    "tags",
    rf"(?i)<!--[^>]*-->|<!doctype[^<>]*>|</?(?:{_TAG_NAMES})(?:\s[^<>]*=[^<>]*)?\s?/?>",
    "<",
)
ROLES = InlinePattern("roles", r":[a-z]{1,12}(?::[a-z]{1,12})?:`", ":`")
PLACEHOLDERS = InlinePattern(
    "placeholders",
    r"(?i)\[(?:inline |embedded )?(?:image|picture|cid)(?:[:\s][^\]\n]{0,200})?\]"
    r"|\(embedded image moved to file[^)]{0,100}\)|<embedded [^<>\n]{0,100}>",
    r"(?i)\[|embedded",
)
URLS = InlinePattern(
    "urls",
    rf"(?i)\b(?:[a-z][a-z+]{{2,9}}://|www\d?\.){_URL_CHARACTERS}*"
    rf"|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:{_SHORTENERS})/{_URL_CHARACTERS}+"
    r"|\bhttps?:?/{0,2}(?:…|\.\.\.)|\bhtt?(?:…|\.\.\.)",
    r"(?i)/|www|htt",
)
ADDRESSES = InlinePattern(
    "addresses",
    r"(?i)\b(?:mailto:)?[a-z0-9.!#$%&'*+=?^_`{|}~-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+",
    "@",
)
DOMAINS = InlinePattern(
    "domains",
    rf"(?i)\b(?:[a-z0-9-]+\.)+(?:{_TOP_LEVEL})(?:\.[a-z]{{2}})?\b",
    rf"(?i)\.(?:{_TOP_LEVEL})",
)
IDS = InlinePattern(
    "ids",
    r"(?i)\b(?:0x[0-9a-f]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|" + _mixed_hexadecimal(7) + r")\b",
    "(?i)[0-9]|[a-f]{8}-",
)
RETWEETS = InlinePattern("retweets", r"\b(?:RT|MT)\s*:?\s*@[\pL\pN_]+:?", "[RM]T")
ACCOUNTS = InlinePattern("accounts", r"@[\pL\pN_]+", "@")


def patterns_of(source_kind: str) -> tuple[InlinePattern, ...]:
    """Return the patterns removed from a kind of source, in order: an account name may look like an id."""
    of_posts = (RETWEETS, ACCOUNTS) if source_kind == "posts" else ()
    of_mail = (PLACEHOLDERS,) if source_kind == "mail" else ()
    return (*of_mail, TAGS, ROLES, URLS, ADDRESSES, *of_posts, DOMAINS, IDS)
