"""The semantic flow of one long text: topics along it, their words, segments, and passages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from driftline.coding.local_context import LocalContextSparseCoding
from driftline.coding.segments import segment
from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.core.pictures import Curves, Picture, Series
from driftline.core.randomness import Seed
from driftline.core.results import Columns, Result, counted
from driftline.text.counts import count_words
from driftline.text.sequences import TokenSequences, token_sequences
from driftline.text.stopwords import StopWordChoice
from driftline.text.tokenise import Tokenizer
from driftline.text.vocabulary import WordList

PLACES = 400
"""Approximate number of positions at which a flow is evaluated."""
PASSAGE = 45
"""Approximate number of words per passage."""
BLOCK = 8
"""Number of passages per block; words common to most blocks are ignored."""
FEWEST_WORDS = 50
_SENTENCE = re.compile(r"[^.!?…]+[.!?…]*[\"'”’)\]]*\s*|[.!?…]+\s*")


class Theme(NamedTuple):
    """One topic of the text: its characteristic words, its share of the text, and the position of its peak."""

    words: list[str]
    share: float
    strongest: int


class Turn(NamedTuple):
    """A segment of the text: its begin and end (exclusive), its leading topics and words."""

    start: int
    end: int
    themes: list[int]
    words: list[str]


@dataclass(frozen=True, repr=False)
class TextFlow(Result):
    """Topics along one text. Position i is at word `words[i]` of the text and in passage `passage_of[i]`."""

    shares: Floats
    words: Ints
    passage_of: Ints
    passages: list[str]
    themes: list[Theme]
    turns: list[Turn]
    n_words: int
    bandwidth: float

    def _columns(self) -> Columns:
        shares = {f"theme_{k}": share for k, share in enumerate(self.shares.T)}
        return {"word": self.words, "passage": self.passage_of, **shares}

    def _summary(self) -> str:
        themes = ", ".join(theme.words[0] for theme in self.themes if theme.words)
        return f"{counted(self.n_words, 'word')}, {counted(len(self.themes), 'theme')} ({themes})"

    def _picture(self) -> Picture:
        themes = zip(self.themes, self.shares.T)
        return Curves([Series(", ".join(theme.words[:3]), self.words, share) for theme, share in themes])


def text_flow(
    paragraphs: Sequence[str],
    *,
    n_topics: int = 8,
    bandwidth: float | None = None,
    loss: str = "hellinger",
    stop_words: StopWordChoice = "english",
    penalty: float = 0.04,
    random_state: Seed = 0,
) -> TextFlow:
    """Return the flow of a text given as paragraphs.

    Topics are those of `LocalContextSparseCoding` with a wide Gaussian: by default its width is a hundredth of the
    text, counted in words that are kept. Words that are used once, or in more than half of all parts of the text, are
    ignored: they cannot distinguish parts.
    """
    # Half of a surrogate pair is not a character, and cannot be written to a file.
    clean = [paragraph.encode("utf-8", "replace").decode("utf-8") for paragraph in paragraphs]
    texts = [passage for paragraph in clean for passage in split_passages(paragraph)]
    if sum(len(text.split()) for text in texts) < FEWEST_WORDS:
        raise InvalidInput("the text has too few words for a flow; pass a longer one")
    tokenizer = Tokenizer(stop_words=stop_words)
    blocks = [" ".join(texts[start : start + BLOCK]) for start in range(0, len(texts), BLOCK)]
    in_blocks, vocabulary = count_words(blocks, tokenizer)
    if len(blocks) >= BLOCK:
        informative = in_blocks.getnnz(axis=0) <= 0.5 * len(blocks)
        if not informative.any():
            raise InvalidInput("the text is the same throughout, with the same words, so there is no flow to draw")
        vocabulary = vocabulary.prune(informative).vocabulary
    counts, vocabulary = count_words(texts, tokenizer, vocabulary=vocabulary)
    often = np.asarray(counts.sum(axis=0)).ravel() >= 2
    vocabulary = vocabulary.prune(often).vocabulary
    sequences = token_sequences(texts, tokenizer, vocabulary)
    n = len(sequences.ids)
    if n < FEWEST_WORDS:
        raise InvalidInput(
            f"only {n} words of the text are used more than once, too few for a flow; pass a longer text "
            f"(or stop_words=None if it is not English)"
        )
    width = max(3.0, n / 100) if bandwidth is None else float(bandwidth)
    model = LocalContextSparseCoding(
        n_topics,
        bandwidth=width,
        loss=loss,
        learning="batch",
        max_iter=30,
        tol=1e-3,
        code_tol=1e-5,
        max_positions=PLACES,
        n_words=len(vocabulary),
        vocabulary=vocabulary,
        random_state=random_state,
    ).fit([sequences.ids])
    background = np.bincount(sequences.ids, minlength=len(vocabulary)) / n
    return along(texts, sequences, model, background, penalty=penalty)


def along(
    passages: Sequence[str],
    sequences: TokenSequences,
    model: LocalContextSparseCoding,
    background: Floats,
    *,
    order: Ints | None = None,
    places: int = PLACES,
    penalty: float = 0.04,
) -> TextFlow:
    """Return the flow of a text, given as passages and their words, under a fitted model.

    `background` is the use of each word of the model's vocabulary elsewhere; the words of themes and segments are those
    that differ from it. `order` names the topics to keep; by default all that occur, in order of position.
    """
    if (vocabulary := model.vocabulary) is None:
        raise InvalidInput("the model has no vocabulary to name the words of segments; fit it with vocabulary=")
    n = len(sequences.ids)
    codes = model.flow(sequences.ids, step=-(-n // places)).toarray()
    at = np.arange(len(codes)) * n // len(codes)
    shares = as_shares(codes)
    if order is None:
        order = order_of_appearance([shares])
        order = order[shares.sum(axis=0)[order] > 0]
    shares, topics = shares[:, order], model.topics_.toarray()[order]
    passage_of = np.searchsorted(sequences.offsets, at, side="right") - 1
    lengths = np.array([len(passage.split()) for passage in passages])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    # The position within a passage is the number of kept words before it.
    into = (at - sequences.offsets[passage_of]) / np.maximum(sequences.lengths()[passage_of], 1)
    words = starts[passage_of] + (into * lengths[passage_of]).astype(np.int64)
    themes = [
        Theme(characteristic_words(topic, background, vocabulary), float(share.mean()), int(share.argmax()))
        for topic, share in zip(topics, shares.T)
    ]
    cuts = segment(shares, penalty=penalty, shortest=max(2, len(shares) // 60))
    turns = _turns(cuts, shares, sequences.ids, at, background, vocabulary)
    return TextFlow(shares, words, passage_of, list(passages), themes, turns, int(starts[-1]), model.bandwidth)


def as_shares(codes: Floats) -> Floats:
    """Return codes, positions × topics, normalised per position; a position without a code stays zero."""
    found: Floats = codes / np.maximum(codes.sum(axis=1, keepdims=True), 1e-300)
    return found


def order_of_appearance(flows: Sequence[Floats]) -> Ints:
    """Return the topics of several flows by their mean position in a text, the earliest first.

    >>> order_of_appearance([np.array([[0.0, 1.0], [1.0, 0.0]])])
    array([1, 0])
    """
    totals = sum(shares.sum(axis=0) for shares in flows)
    middles = sum(((np.arange(len(shares)) + 0.5) / len(shares)) @ shares for shares in flows if len(shares))
    return np.argsort(middles / np.maximum(totals, 1e-300), kind="stable")


def split_passages(paragraph: str) -> list[str]:
    """Return a paragraph in passages of whole sentences, about 45 words each.

    >>> split_passages("It rained. " * 40)[0].count("rained")
    23
    """
    passages: list[str] = []
    current: list[str] = []
    n_words = 0
    for sentence in _SENTENCE.findall(paragraph):
        current.append(sentence)
        n_words += len(sentence.split())
        if n_words >= PASSAGE:
            passages.append("".join(current).strip())
            current, n_words = [], 0
    rest = "".join(current).strip()
    if rest and passages and n_words < PASSAGE // 3:
        passages[-1] += " " + rest
    elif rest:
        passages.append(rest)
    return passages


def characteristic_words(shares: Floats, background: Floats, vocabulary: WordList, n: int = 8) -> list[str]:
    """Return the words that distinguish a distribution from the background, by p log(p / background)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = np.where(shares > 0, shares * np.log(shares / background), 0.0)
    order = np.argsort(-gain, kind="stable")[:n]
    return [str(vocabulary[int(word)]) for word in order if gain[word] > 0]


def _turns(
    cuts: Ints, shares: Floats, ids: np.ndarray, at: Ints, background: Floats, vocabulary: WordList
) -> list[Turn]:
    ends = [*cuts[1:].tolist(), len(shares)]
    turns = []
    for start, end in zip(cuts.tolist(), ends):
        last = at[end] if end < len(at) else len(ids)
        used = np.bincount(ids[at[start] : last], minlength=len(background))
        means = shares[start:end].mean(axis=0)
        leading = [int(topic) for topic in np.argsort(-means, kind="stable")[:2] if means[topic] > 0.15]
        words = characteristic_words(used / max(used.sum(), 1), background, vocabulary, 6)
        turns.append(Turn(start, end, leading, words))
    return turns
