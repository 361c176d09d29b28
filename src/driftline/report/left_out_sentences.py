"""Sentences on records that were rejected, and on the text that was not counted."""

from __future__ import annotations

import re
from collections import Counter

from driftline.analysis.findings.source_summary import SourceSummary
from driftline.analysis.findings.text_record import LeftOutFinding, TextRecord
from driftline.report.numbers import count, counted, listed

MOST = 5
"""Maximum number of kinds that are named."""
LEAST_SHARE = 0.01
"""Minimum share of all records for which another encoding is suggested for the source."""
_LIKELY_ENCODING = re.compile(r"it looks like encoding='([\w-]+)'")
"""The advice that readers give with a record whose bytes are not text."""
_REPLACED = frozenset({"entities"})
"""Kinds that are counted in normalised form, so that nothing is missing."""
_NOUNS = {
    "tags": ("HTML tag",),
    "roles": ("reference mark",),
    "urls": ("web address", "web addresses"),
    "addresses": ("e-mail address or message id", "e-mail addresses and message ids"),
    "domains": ("domain name",),
    "ids": ("hexadecimal id",),
    "retweets": ("repost marker",),
    "accounts": ("account name",),
    "headers": ("mail header",),
    "attributions": ("quote attribution",),
    "quotes": ("quoted line",),
    "greetings": ("greeting or closing", "greetings and closings"),
    "forwards": ("line of forwarded mail", "lines of forwarded mail"),
    "signatures": ("signature line",),
    "notices": ("line of confidentiality notices", "lines of confidentiality notices"),
    "copyrights": ("copyright notice",),
    "placeholders": ("picture placeholder",),
    "encoded": ("encoded line",),
    "diffs": ("line of a patch", "lines of patches"),
    "trailers": ("trailer",),
    "merges": ("generated merge line",),
    "boilerplate": ("boilerplate line",),
    "passages": ("boilerplate passage",),
    "duplicates": ("duplicate",),
}


def rejected_sentences(source: SourceSummary) -> list[str]:
    """Return the number of rejected records, and the reasons, most frequent first.

    >>> from dataclasses import replace
    >>> from driftline.analysis.findings.source_summary import RejectedRecord
    >>> summary = SourceSummary("a.csv", 98, 2, {"bad encoding": 2}, [], "2003-01-01", "2003-02-01", 900, 80)
    >>> rejected_sentences(summary)
    ['2 of 100 records were rejected: bad encoding.']

    The sentence names another encoding only if at least one record in a hundred looks like it; with fewer, the encoding
    of the source as a whole is probably right.

    >>> bad = RejectedRecord("a.csv", "line 3", "bad encoding: byte 0xe4 is not UTF-8; it looks like encoding='cp1252'")
    >>> rejected_sentences(replace(summary, rejected_examples=[bad]))
    ['2 of 100 records were rejected: bad encoding (it looks like cp1252; name it with --encoding, or encoding=).']
    """
    if not source.n_rejected:
        return []
    reasons = sorted(source.rejected_reasons.items(), key=lambda reason: (-reason[1], reason[0]))
    n_present = source.n_documents + source.n_rejected
    named = []
    for reason, n in reasons:
        details = [count(n)] if len(reasons) > 1 else []
        likely = _likely_encoding(reason, source) if n >= LEAST_SHARE * n_present else None
        if likely is not None:
            details.append(f"it looks like {likely}; name it with --encoding, or encoding=")
        named.append(f"{reason} ({'; '.join(details)})" if details else reason)
    present = counted(n_present, "record")
    were = "was" if source.n_rejected == 1 else "were"
    return [f"{count(source.n_rejected)} of {present} {were} rejected: {listed(named, most=MOST)}."]


def _likely_encoding(reason: str, source: SourceSummary) -> str | None:
    """Return the encoding that most of the examples look like; damaged text looks like a different one now and then."""
    examples = [each.reason for each in source.rejected_examples if each.reason.startswith(f"{reason}:")]
    found = Counter(match[1] for example in examples if (match := _LIKELY_ENCODING.search(example)))
    likely, n = found.most_common(1)[0] if found else (None, 0)
    return likely if 2 * n > len(examples) else None


def left_out_sentences(text: TextRecord | None) -> list[str]:
    """Return a sentence on the text that was not counted, the most frequent kind first.

    >>> left = [LeftOutFinding("urls", "web addresses", "match", 20, 9), LeftOutFinding("quotes", "", "line", 1, 1)]
    >>> left_out_sentences(TextRecord("mail", False, ["en"], 180, 100, 100, 0, left_out=left))
    ['Not counted: 20 web addresses and 1 quoted line.']
    """
    found = [] if text is None else [each for each in text.left_out if each.kind not in _REPLACED]
    if not found:
        return []
    found.sort(key=lambda each: -each.n)
    named = [_amount(each) for each in found[:MOST]]
    if len(found) > MOST:
        named.append(counted(len(found) - MOST, "other kind") + " of text")
    return [f"Not counted: {listed(named, most=len(named))}."]


def _amount(found: LeftOutFinding) -> str:
    return counted(found.n, *_NOUNS.get(found.kind, (found.kind, found.kind)))
