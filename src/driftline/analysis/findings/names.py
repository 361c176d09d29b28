"""Names and noun phrases that became more or less frequent, by the tagger that ships with driftline; English only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.analysis.finding import Finding
from driftline.core.arrays import Counts, Datetimes, Ints
from driftline.core.days_of_dates import unchangeable
from driftline.core.progress import announce
from driftline.local.changed_words.discovery import changed_words
from driftline.sequences.constrained_tagger import ConstrainedTagger
from driftline.sequences.crf import CRF
from driftline.sequences.shipped_tagger import Mentioned, english_tagger, mentioned_in
from driftline.sequences.text_sentences import capital_share, sentences_of

if TYPE_CHECKING:
    from driftline.analysis.context import Context

MOST_DOCUMENTS, MOST_LETTERS = 4_000, 1_500
"""Maximum numbers of documents tagged for the report, chosen evenly, and of letters of each."""
LEAST_DOCUMENTS = 8
"""Minimum number of tagged documents that contain a tested name."""
MOST_SHOWN = 40
LEAST_RATIO = 1.1
"""Minimum ratio of the shares in the two halves for a name that rose or fell; otherwise it varied."""


@dataclass(frozen=True)
class ChangedName:
    """A name or noun phrase whose share of documents changed; `early` and `late` are its shares in the two halves.

    The halves contain equal numbers of tagged documents. `q_value` is the false discovery rate at which it would still
    be reported.
    """

    text: str
    kind: Mentioned
    rose: bool
    early: float
    late: float
    n_documents: int
    q_value: float

    @property
    def change(self) -> str:
        """The change of its share from the first half to the second: "rose", "fell", or "varied" if both are alike."""
        low, high = sorted((self.early, self.late))
        return "varied" if high < LEAST_RATIO * low else "rose" if self.rose else "fell"


@dataclass(frozen=True)
class NameFindings:
    """The names and phrases that changed, most certain first, and what was examined.

    `capitals` is the share of words that begin with a capital: where there are few, most names are missed.
    """

    changed: list[ChangedName] = field(default_factory=list)
    n_tagged: int = 0
    n_documents: int = 0
    n_letters: int = MOST_LETTERS
    n_tested: int = 0
    capitals: float | None = None


class Mentions(NamedTuple):
    """The names and phrases that each document mentions (documents × texts), in the order of `texts`.

    `capitals` is the share of words that begin with a capital, without the first of every sentence.
    """

    counts: Counts
    texts: list[str]
    kinds: list[Mentioned]
    capitals: float


def evenly(n: int, most: int) -> Ints:
    """Return at most `most` numbers below n, evenly spaced.

    >>> evenly(10, 4)
    array([0, 3, 6, 9])
    """
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).round().astype(np.int64)


def mentions(texts: Iterable[str | None], tagger: CRF | ConstrainedTagger, *, phrases: bool = True) -> Mentions:
    """Tag texts, and return the names and noun phrases that each of them mentions."""
    cut = [sentences_of(text or "") for text in texts]
    all_sentences = [sentence for sentences in cut for sentence in sentences]
    tags = [each.tolist() for each in tagger.predict(all_sentences)]
    mentioned = iter(mentioned_in(all_sentences, tags, phrases=phrases))
    numbers: dict[tuple[Mentioned, str], int] = {}
    rows, columns = [], []
    for document, sentences in enumerate(cut):
        of_document = chain.from_iterable(islice(mentioned, len(sentences)))
        seen = {numbers.setdefault(each, len(numbers)) for each in of_document}
        rows += [document] * len(seen)
        columns += sorted(seen)
    counts = sp.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(cut), len(numbers)))
    return Mentions(counts, [text for _, text in numbers], [kind for kind, _ in numbers], capital_share(all_sentences))


def changed_names(
    found: Mentions,
    times: Datetimes,
    *,
    unit: object = "auto",
    false_discovery_rate: float = 0.05,
    random_state: int = 0,
) -> tuple[list[ChangedName], int]:
    """Return names and phrases whose share of documents changed lastingly, and how many were tested."""
    often = np.asarray(found.counts.sum(axis=0)).ravel() >= LEAST_DOCUMENTS
    if not often.any():
        return [], 0
    kept = np.flatnonzero(often)
    counts = found.counts[:, kept]
    tests = changed_words(
        counts,
        times=times,
        sizes=np.ones(counts.shape[0]),
        unit=unit,
        events=False,
        false_discovery_rate=false_discovery_rate,
        min_documents=LEAST_DOCUMENTS,
        random_state=random_state,
    )
    order = np.argsort(times, kind="stable")
    early, late = (_shares(counts, part) for part in np.array_split(order, 2))
    rows = np.lexsort((-tests.information, tests.q_value))
    changed = []
    for row in rows[tests.lasting[rows]].tolist():
        column = int(tests.columns[row])
        changed.append(
            ChangedName(
                text=found.texts[kept[column]],
                kind=found.kinds[kept[column]],
                rose=bool(late[column] > early[column]),
                early=float(early[column]),
                late=float(late[column]),
                n_documents=int(tests.n_documents[row]),
                q_value=float(tests.q_value[row]),
            )
        )
    return changed, len(tests.columns)


def _shares(counts: Counts, rows: np.ndarray) -> np.ndarray:
    return np.asarray(counts[rows].sum(axis=0)).ravel() / max(len(rows), 1)


def find(context: Context) -> NameFindings:
    """Tag a sample of the documents if they are English, and test the names and phrases in it."""
    languages = context.prepared.language
    if not languages.codes or languages.codes[0] != "en" or languages.unspaced:
        return NameFindings()
    announce("tagging names and phrases")
    rows = evenly(len(context.part), MOST_DOCUMENTS)
    texts = [(text or "")[:MOST_LETTERS] for text in context.part.counted.take(rows).to_pylist()]
    found = mentions(texts, english_tagger())
    changed, n_tested = changed_names(
        found,
        unchangeable(context.part.document_times[rows]),
        unit=context.unit,
        false_discovery_rate=context.options.false_discovery_rate,
        random_state=context.options.random_state,
    )
    return NameFindings(changed[:MOST_SHOWN], len(rows), len(context.part), MOST_LETTERS, n_tested, found.capitals)


NAMES = Finding("names", find, empty=NameFindings, since=15)
