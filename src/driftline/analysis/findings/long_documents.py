"""The course of long documents: themes from beginning to end, and how that changed over the stream."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from scipy.stats import t as student

from driftline.analysis.examples import examples_of, shortened
from driftline.analysis.finding import Finding, nothing
from driftline.analysis.shown_curves import shown_curve
from driftline.coding.local_context import LocalContextSparseCoding
from driftline.coding.segments import run_lengths
from driftline.coding.text_flow import along, as_shares, characteristic_words, order_of_appearance, split_passages
from driftline.core.arrays import Datetimes, Floats, Ints
from driftline.core.times import iso
from driftline.smoothing.curve import Curve
from driftline.streams.corpus import Corpus
from driftline.text.sequences import TokenSequences, token_sequences
from driftline.text.tokenise import Tokenizer
from driftline.text.vocabulary import Vocabulary
from driftline.topics import topics_over_time

if TYPE_CHECKING:
    from driftline.analysis.context import Context

LEAST_DOCUMENTS = 12
LEAST_MEDIAN = 400
"""Minimum median number of words for documents to count as long."""
MOST_DOCUMENTS, MOST_CHARACTERS = 150, 300_000
"""Largest number of documents analysed, spread over the stream, and of characters per document."""
PASSAGE, COMMON, RARE = 150, 0.2, 3
"""Passage length in words; largest share of passages and smallest number of documents of a distinctive word."""
LEAST_WORDS = 50
"""Minimum number of distinctive words of an analysed document."""
THEMES = 8
WINDOWS, NARROWEST, WIDEST = 60, 8.0, 60.0
"""Number of windows per median document, and bounds of the window in distinctive words."""
LEARNED_PLACES = 20
"""Number of positions per document from which themes are learned."""
PROFILE_PLACES = 20
DRAWN_PLACES = 150
DOCUMENTS_PER_ERA, MOST_ERAS = 10, 4
LONGEST_PASSAGE = 360
LEVEL = 0.95
_PARAGRAPH_END = re.compile(r"\n\s*\n")


@dataclass(frozen=True)
class DocumentTheme:
    """A theme within long documents: its characteristic words, and its share of their text over time."""

    words: list[str]
    share: float
    curve: Curve


@dataclass(frozen=True)
class DocumentEra:
    """The documents of one era of the stream: the mean share of each theme from beginning to end.

    `shares` are positions × themes, with evenly spaced positions. A theme leads for `run_words` words before another
    takes over, on average over the documents, with a band.
    """

    start: str
    end: str
    n_documents: int
    shares: list[list[float]]
    run_words: float
    run_lower: float
    run_upper: float


@dataclass(frozen=True)
class DocumentTurn:
    """A segment of one document: its first position, its leading themes, and its characteristic words."""

    place: int
    themes: list[int]
    words: list[str]


@dataclass(frozen=True)
class DocumentFlow:
    """One long document from beginning to end.

    Position i is at word `positions[i]`, in passage `passages[passage_of[i]]` (untrusted text, shortened), and has the
    shares `shares[i]` of the themes. `kind` is the reason why it is shown: as the latest, or as the most typical of era
    `era`.
    """

    id: str
    time: str
    label: str | None
    kind: Literal["latest", "typical"]
    era: int
    n_words: int
    positions: list[int]
    shares: list[list[float]]
    passage_of: list[int]
    passages: list[str]
    turns: list[DocumentTurn]


@dataclass(frozen=True)
class LongDocuments:
    """The themes along long documents, in the order in which they usually follow each other.

    Themes are learned from `n_used` documents, spread over the stream; shares are estimated in a window of `bandwidth`
    distinctive words on either side of a position.
    """

    median_words: float
    n_used: int
    bandwidth: float
    themes: list[DocumentTheme]
    eras: list[DocumentEra]
    documents: list[DocumentFlow]


class _Read(NamedTuple):
    """Long documents as sequences of distinctive words. `rows` are their numbers in the corpus."""

    rows: Ints
    texts: list[str]
    sequences: TokenSequences
    tokenizer: Tokenizer
    vocabulary: Vocabulary
    background: Floats


def describe_long_documents(corpus: Corpus, when: Datetimes, *, random_state: int = 0) -> LongDocuments | None:
    """Return the themes along the documents, or None if the documents are too few or too short.

    At most 150 documents are read, spread over the stream, so that the running time does not grow with the stream.
    """
    if corpus.texts is None or len(corpus) < LEAST_DOCUMENTS or len(when) < 2:
        return None
    rows = np.unique(np.linspace(0, len(corpus) - 1, MOST_DOCUMENTS).round().astype(np.int64))
    texts = [text[:MOST_CHARACTERS] for text in corpus.texts.take(rows).to_pylist()]
    median_words = float(np.median([len(text.split()) for text in texts]))
    read = _read(corpus, rows, texts) if median_words >= LEAST_MEDIAN else None
    if read is None:
        return None
    model = _learned(read, random_state)
    flows = [as_shares(model.flow(words, step=round(model.bandwidth)).toarray()) for words in read.sequences]
    order = order_of_appearance(flows)
    flows = [flow[:, order] for flow in flows]
    times = corpus.times[read.rows]
    curves = topics_over_time(np.array([flow.mean(axis=0) for flow in flows]), None, times=times, when=when)
    eras = np.array_split(np.arange(len(flows)), int(np.clip(len(flows) // DOCUMENTS_PER_ERA, 1, MOST_ERAS)))
    profiles = np.array([_profile(flow) for flow in flows])
    last = len(flows) - 1
    typical = [(int(era[_most_typical(profiles[era])]), number) for number, era in enumerate(eras)]
    shown = [one for one in typical if one[0] != last] + [(last, len(eras) - 1)]
    documents = [_document(corpus, read, model, order, *one) for one in shown]
    documents[-1] = documents[-1] and replace(documents[-1], kind="latest")
    return LongDocuments(
        median_words=median_words,
        n_used=len(flows),
        bandwidth=float(model.bandwidth),
        themes=[
            DocumentTheme(words, float(curves.mean_share[number]), shown_curve(curves.curve(number)))
            for number, words in enumerate(_names(model, read, order))
        ],
        eras=[_era(times[era], profiles[era], _runs(read, flows, era)) for era in eras],
        documents=[document for document in documents if document is not None],
    )


def _read(corpus: Corpus, rows: Ints, texts: list[str]) -> _Read | None:
    """Turn the long documents into sequences of distinctive words."""
    long = [i for i, text in enumerate(texts) if len(text.split()) >= LEAST_MEDIAN / 2]
    tokenizer = replace(corpus.tokenizer, ngram_range=(1, 1))
    sequences = token_sequences([texts[i] for i in long], tokenizer, corpus.vocabulary)
    vocabulary = corpus.vocabulary.prune(_informative(sequences, len(corpus.vocabulary))).vocabulary
    sequences = token_sequences([texts[i] for i in long], tokenizer, vocabulary)
    kept = [i for i, n in enumerate(sequences.lengths()) if n >= LEAST_WORDS]
    if len(kept) < LEAST_DOCUMENTS:
        return None
    chosen = [sequences[i] for i in kept]
    ids, offsets = np.concatenate(chosen), np.cumsum([0, *map(len, chosen)])
    uses = np.bincount(ids, minlength=len(vocabulary)) + 0.0
    return _Read(
        rows=rows[[long[i] for i in kept]],
        texts=[texts[long[i]] for i in kept],
        sequences=TokenSequences(ids, offsets),
        tokenizer=tokenizer,
        vocabulary=vocabulary,
        background=uses / uses.sum(),
    )


def _informative(sequences: TokenSequences, n_words: int) -> Ints:
    """Return the columns of words in enough documents, but not in too many of their passages."""
    lengths = sequences.lengths()
    starts = [np.arange(first, first + length, PASSAGE) for first, length in zip(sequences.offsets, lengths)]
    segments = TokenSequences(sequences.ids, np.concatenate([*starts, sequences.offsets[-1:]]))
    in_segments = np.bincount(segments.to_counts(n_words).indices, minlength=n_words)
    in_documents = np.bincount(sequences.to_counts(n_words).indices, minlength=n_words)
    return np.flatnonzero((in_segments <= COMMON * len(segments)) & (in_documents >= RARE))


def _learned(read: _Read, random_state: int) -> LocalContextSparseCoding:
    width = float(np.clip(np.median(read.sequences.lengths()) / WINDOWS, NARROWEST, WIDEST))
    return LocalContextSparseCoding(
        THEMES,
        bandwidth=float(round(width)),
        loss="hellinger",
        learning="batch",
        max_iter=15,
        tol=1e-3,
        code_tol=1e-5,
        max_positions=LEARNED_PLACES,
        vocabulary=read.vocabulary,
        random_state=random_state,
    ).fit(read.sequences)


def _names(model: LocalContextSparseCoding, read: _Read, order: Ints) -> list[list[str]]:
    topics = model.topics_.toarray()[order]
    return [characteristic_words(topic, read.background, read.vocabulary, 10) for topic in topics]


def _profile(flow: Floats) -> Floats:
    """Return the shares at evenly spaced positions, the same number for every document."""
    places = (np.arange(PROFILE_PLACES) + 0.5) / PROFILE_PLACES * len(flow)
    return flow[places.astype(np.int64)]


def _most_typical(profiles: Floats) -> int:
    """Return the document whose course overlaps most with the mean course."""
    overlaps = np.sqrt(profiles * profiles.mean(axis=0)).sum(axis=(1, 2))
    return int(np.argmax(overlaps))


def _runs(read: _Read, flows: Sequence[Floats], era: Ints) -> Floats:
    """Return the mean number of words for which a theme leads, one value per document."""
    return np.array([len(read.texts[i].split()) / len(run_lengths(flows[i].argmax(axis=1))) for i in era])


def _era(times: Datetimes, profiles: Floats, runs: Floats) -> DocumentEra:
    logs = np.log(runs)
    spread = float(logs.std(ddof=1)) / np.sqrt(len(logs)) if len(logs) > 1 else np.inf
    reach = float(student.ppf((1 + LEVEL) / 2, max(len(logs) - 1, 1))) * spread
    middle, lower, upper = np.exp([logs.mean(), logs.mean() - reach, logs.mean() + reach]).tolist()
    return DocumentEra(
        iso(times[0]), iso(times[-1]), len(profiles), _rounded(profiles.mean(axis=0)), middle, lower, upper
    )


def _document(
    corpus: Corpus, read: _Read, model: LocalContextSparseCoding, order: Ints, place: int, era: int
) -> DocumentFlow | None:
    """Describe one of the documents passage by passage; None if too few of its words remain."""
    paragraphs = _PARAGRAPH_END.split(read.texts[place])
    passages = [passage for paragraph in paragraphs for passage in split_passages(paragraph)]
    sequences = token_sequences(passages, read.tokenizer, read.vocabulary)
    if len(sequences.ids) == 0:
        return None
    flow = along(passages, sequences, model, read.background, order=order, places=DRAWN_PLACES)
    used, passage_of = np.unique(flow.passage_of, return_inverse=True)
    (shown,) = examples_of(corpus, read.rows[place : place + 1], n=1)
    return DocumentFlow(
        id=shown.id,
        time=shown.time,
        label=shown.label,
        kind="typical",
        era=era,
        n_words=flow.n_words,
        positions=flow.words.tolist(),
        shares=_rounded(flow.shares),
        passage_of=passage_of.tolist(),
        passages=[shortened(flow.passages[number], LONGEST_PASSAGE) for number in used],
        turns=[DocumentTurn(turn.start, turn.themes, turn.words) for turn in flow.turns],
    )


def _rounded(shares: Floats) -> list[list[float]]:
    found: list[list[float]] = np.round(shares, 3).tolist()
    return found


def find(context: Context) -> LongDocuments | None:
    """Describe the documents of the stream, if they are long."""
    return describe_long_documents(context.corpus, context.when, random_state=context.options.random_state)


LONG_DOCUMENTS = Finding("long_documents", find, empty=nothing, position=170, since=6)
