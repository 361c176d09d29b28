"""Text that is not counted: occurrences, number of documents, and a few examples of each kind."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from driftline.core.errors import InvalidInput

LONGEST_EXAMPLE = 80
MOST_EXAMPLES = 5


@dataclass(frozen=True)
class LeftOut:
    """One kind of text that was not counted.

    It occurred `n` times (as matches, lines or documents, see `unit`) in `n_documents` documents. `examples` are
    untrusted text, shortened.
    """

    kind: str
    unit: str
    n: int
    n_documents: int
    examples: tuple[str, ...] = ()


DESCRIPTIONS = {
    "entities": "HTML entities, decoded",
    "tags": "HTML tags",
    "roles": "markup of references (:func:`name`)",
    "urls": "web addresses",
    "addresses": "e-mail addresses and message ids",
    "domains": "domain names",
    "ids": "hexadecimal ids",
    "retweets": "repost markers (RT @name:)",
    "accounts": "account names (@name)",
    "headers": "mail headers",
    "attributions": "attributions of quotes (… wrote:)",
    "quotes": "quoted lines",
    "greetings": "greetings and closings of mail",
    "forwards": "forwarded mail below the author's own text",
    "signatures": "signatures below a line of two dashes",
    "notices": "confidentiality notices",
    "copyrights": "copyright notices",
    "placeholders": "placeholders for pictures ([IMAGE])",
    "encoded": "encoded lines",
    "diffs": "lines of patches",
    "trailers": "trailers (Signed-off-by: …)",
    "merges": "generated lines of merges (Merge branch …)",
    "boilerplate": "boilerplate: lines that many documents share",
    "passages": "boilerplate: passages of ten words or more that many documents share",
    "duplicates": "duplicates of a document of the last 30 days",
}
"""All kinds of text that may be left out, with their names in a report."""


def checked_keep(keep: Collection[str] | str) -> frozenset[str]:
    """Return the kinds that the user wants to count: names of `DESCRIPTIONS`, or ``"all"``.

    >>> sorted(checked_keep(["urls", "duplicates"]))
    ['duplicates', 'urls']
    """
    kinds = frozenset([keep] if isinstance(keep, str) else keep)
    if "all" in kinds:
        return frozenset(DESCRIPTIONS)
    unknown = sorted(kinds - DESCRIPTIONS.keys())
    if unknown:
        raise InvalidInput(f"keep={unknown[0]!r} is unknown; pass 'all' or some of: {', '.join(DESCRIPTIONS)}")
    return kinds


class Tally:
    """Adds up the text left out, batch by batch.

    >>> tally = Tally()
    >>> tally.add("urls", "match", 3, 2, ["http://example.org"])
    >>> tally.finish()
    (LeftOut(kind='urls', unit='match', n=3, n_documents=2, examples=('http://example.org',)),)
    """

    def __init__(self) -> None:
        self._found: dict[str, tuple[str, int, int, list[str]]] = {}

    def add(self, kind: str, unit: str, n: int, n_documents: int, examples: Iterable[str] = ()) -> None:
        """Count `n` more occurrences of a kind, in `n_documents` more documents."""
        if not n:
            return
        _, n_before, documents_before, kept = self._found.get(kind, (unit, 0, 0, []))
        for example in examples:
            shown = shortened(example)
            if len(kept) < MOST_EXAMPLES and shown and shown not in kept:
                kept.append(shown)
        self._found[kind] = (unit, n_before + n, documents_before + n_documents, kept)

    def wants_examples(self, kind: str) -> bool:
        """Return whether more examples of a kind are needed."""
        return kind not in self._found or len(self._found[kind][3]) < MOST_EXAMPLES

    def finish(self) -> tuple[LeftOut, ...]:
        """Return the kinds of text that were left out, in the order of `DESCRIPTIONS`."""
        return tuple(
            LeftOut(kind, unit, n, n_documents, tuple(examples))
            for kind in DESCRIPTIONS
            if kind in self._found
            for unit, n, n_documents, examples in [self._found[kind]]
        )


def shortened(text: str) -> str:
    """Return the start of a text as one line of at most `LONGEST_EXAMPLE` characters."""
    text = " ".join(text[: 4 * LONGEST_EXAMPLE].split())
    return text if len(text) <= LONGEST_EXAMPLE else text[: LONGEST_EXAMPLE - 1] + "…"
