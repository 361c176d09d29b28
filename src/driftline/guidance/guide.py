"""A user's wishes for the topics of a model: an immutable value to which wishes are added one by one."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from driftline.core.arrays import Ints, Times
from driftline.core.errors import InvalidInput, SourceNotFound
from driftline.core.fitted_models import FittedTopics
from driftline.guidance.document_ids import resolved
from driftline.guidance.kept_topics import kept_topics
from driftline.guidance.tag_rules import TagRule
from driftline.guidance.wishes import (
    KeepWish,
    LabelWish,
    LinkWish,
    MergeWish,
    PairWish,
    ProportionWish,
    RuleWish,
    SpreadWish,
    TopicName,
    TopicWish,
    Wish,
)

LABEL_STRENGTH = 50.0
"""Default weight of a label, in words of the document."""
LINK_STRENGTH = 20.0
"""Default weight of the links of a document, in words."""
HEAVIEST = 1e9
"""Largest weight of a word: counts are stored in single precision."""
SPREAD_STRENGTH, SPREAD_PER_WORD, SPREAD_POWER = 50.0, 4.0, 10.0
"""Default weight of a classifier's probabilities, in words and per word of a document; the power that sharpens them."""
SLACK = 0.5
"""Relative slack of `about` if it is one number."""

Word = str | int


@dataclass(frozen=True)
class Guide:
    r"""Wishes about the topics of a model; every method returns a new guide with one more wish.

    A guide is the parameter `guide` of `LDA`, `PLSA`, `MixtureOfUnigrams`, `HDP` and `HiddenMarkovModel`. Named topics
    are the first topics of the model, in the order in which they are named; the others are free. A guide without wishes
    changes nothing.

    Examples
    --------
    >>> guide = Guide().topic("medicine", words=["doctor", "disease"], never=["game"]).together("car", "automobile")
    >>> guide
    Guide: topic medicine; together: car, automobile
    >>> import numpy as np
    >>> from driftline import LDA
    >>> X = np.repeat([[4, 3, 0, 0], [0, 0, 5, 2]], 10, axis=0)
    >>> words = ["war", "iraq", "sars", "virus"]
    >>> lda = LDA(2, doc_topic_prior=0.1, guide=Guide().topic("disease", ["virus"]), vocabulary=words, random_state=0)
    >>> lda.fit(X).topic_names_, lda.top_words(2)[0]
    (['disease', '1'], ['sars', 'virus'])
    >>> lda.guide_report_[0].heeded
    True
    """

    wishes: tuple[Wish, ...] = ()

    def topic(
        self,
        name: str,
        words: Sequence[Word] | Mapping[Word, float] = (),
        never: Sequence[Word] = (),
        *,
        number: int | None = None,
    ) -> Guide:
        """Name a topic, and list words that belong to it and words that never do.

        The prior of a word is its own count in the documents, or its weight in a mapping: ``{"doctor": 200}``. `number`
        is the topic to name; the default is the next free one.
        """
        if not isinstance(name, str) or not name.strip():
            raise InvalidInput(f"the name of a topic must be a string that is not empty, not {name!r}")
        if any(isinstance(wish, TopicWish) and wish.name == name for wish in self.wishes):
            raise InvalidInput(f"the guide names the topic {name!r} twice; give all its words at once")
        if isinstance(words, str) or isinstance(never, str):
            raise InvalidInput(f"the words of topic {name!r} must be a list of words, not one string")
        own: list[tuple[Word, float | None]]
        own = list(words.items()) if isinstance(words, Mapping) else [(word, None) for word in words]
        _check_words([*(word for word, _ in own), *never])
        for word, weight in own:
            if weight is not None and not (isinstance(weight, Real) and 0 < float(weight) <= HEAVIEST):
                raise InvalidInput(
                    f"the weight of {word!r} in topic {name!r} must be above zero and at most {HEAVIEST:g}; it is "
                    f"{weight!r}"
                )
        both = {word for word, _ in own} & set(never)
        if both:
            raise InvalidInput(f"topic {name!r} both wants and bans {', '.join(sorted(map(repr, both)))}")
        if number is not None and number < 0:
            raise InvalidInput(f"the number of topic {name!r} must not be negative; it is {number}")
        unique = dict.fromkeys(word for word, _ in own)
        weights = dict(own)
        return self._with(TopicWish(name, tuple((word, weights[word]) for word in unique), tuple(never), number))

    def together(self, *words: Word) -> Guide:
        """Require that words have the same topics; this is transitive."""
        return self._with(PairWish(_several(words, "together")))

    def apart(self, *words: Word) -> Guide:
        """Require that no two of these words share a topic."""
        return self._with(PairWish(_several(words, "apart"), apart=True))

    def keep(self, model: FittedTopics, topics: Sequence[TopicName] | None = None, *, weight: float = 1.0) -> Guide:
        """Start topics from those of a fitted model, with their counts, times `weight`, as a prior.

        `topics` are names or numbers of the model's topics; None keeps all. Words are matched by the vocabularies.
        """
        _check_topics(() if topics is None else topics)
        if not 0 <= weight < np.inf:
            raise InvalidInput(f"the weight of kept topics must be zero or more; it is {weight!r}")
        return self._with(kept_topics(model, topics, weight))

    def merge(self, *topics: TopicName) -> Guide:
        """Merge topics of a model into the first of them when it is refitted; the other numbers become free topics."""
        _check_topics(topics)
        if len(set(topics)) < 2:
            raise InvalidInput("merge needs at least two different topics")
        return self._with(MergeWish(tuple(topics)))

    def label(self, documents: npt.ArrayLike, topic: TopicName, *, strength: float = LABEL_STRENGTH) -> Guide:
        """Label documents with a topic, by their rows, a mask, or their ids (see `for_documents`).

        `strength` is the weight of the label, in words of the document. A mixture of unigrams treats labels as certain.
        """
        _check_topics([topic])
        rows = np.atleast_1d(np.asarray(documents))
        if rows.dtype.kind == "b":
            rows = np.flatnonzero(rows)
        rows = rows if rows.size else np.empty(0, dtype=np.int64)
        if rows.ndim != 1 or rows.dtype.kind not in "iuUO":
            raise InvalidInput("label needs the rows of documents, a mask, or their ids")
        _check_strength(strength)
        return self._with(LabelWish(rows, topic, float(strength)))

    def spread(
        self, *, strength: float = SPREAD_STRENGTH, per_word: float = SPREAD_PER_WORD, power: float = SPREAD_POWER
    ) -> Guide:
        """Label all documents from those that use the words of a topic, by complement naive Bayes.

        Each document's probabilities are added to its prior, with a weight of `strength` words plus `per_word` for each
        of its own words: sharpened to p^`power` while topics are learned, and unchanged for its shares
        (`LDA.guided_shares`).
        """
        _check_strength(strength)
        if not 0 < power < np.inf:
            raise InvalidInput(f"power must be a number above zero, not {power!r}")
        if not 0 <= per_word < np.inf:
            raise InvalidInput(f"per_word must be zero or more, not {per_word!r}")
        return self._with(SpreadWish(float(strength), float(power), float(per_word)))

    def link(self, graph: Any, *, strength: float = LINK_STRENGTH) -> Guide:
        """Require that linked documents have similar topics.

        `graph` is a sparse matrix of documents × documents, or a list of pairs (from, to) or triples (from, to, weight)
        of rows or ids. A link affects the topics of the document from which it leads.
        """
        _check_strength(strength)
        if sp.issparse(graph):
            table = sp.coo_array(graph)
            return self._with(LinkWish(table.row, table.col, np.asarray(table.data, dtype=np.float64), float(strength)))
        edges = list(graph)
        triples = [() if isinstance(edge, str) or not np.iterable(edge) else tuple(edge) for edge in edges]
        odd = [edge for edge, ends in zip(edges, triples) if not _is_link(ends)]
        if odd:
            raise InvalidInput(f"a link is a pair of documents, or a pair and a weight, not {odd[0]!r}")
        ends = [np.array([edge[i] for edge in triples]) for i in (0, 1)]
        weights = np.array([float(edge[2]) if len(edge) == 3 else 1.0 for edge in triples])
        return self._with(LinkWish(ends[0], ends[1], weights, float(strength)))

    def proportion(
        self,
        topic: TopicName,
        *,
        at_least: float | None = None,
        at_most: float | None = None,
        about: float | tuple[float, float] | None = None,
        exactly: float | None = None,
        by: str | npt.ArrayLike | None = None,
    ) -> Guide:
        """Bound the share of a topic: its share of the documents in a mixture, of the words in other models.

        `about` is an interval, or one number, which allows a deviation of half of it in both directions. `by` bounds
        the share in every group of documents: an array with a value per document, or "day", "week", "month" or "year"
        (see `for_documents`).
        """
        _check_topics([topic])
        for name, value in (("at_least", at_least), ("at_most", at_most), ("about", about), ("exactly", exactly)):
            ends = value if name == "about" and isinstance(value, Sequence) and not isinstance(value, str) else [value]
            if len(ends) != (2 if ends is value else 1) or not all(isinstance(end, Real | None) for end in ends):
                wanted = "a number or two numbers" if name == "about" else "a number"
                raise InvalidInput(f"the proportion of {topic!r}: {name} must be {wanted}, not {value!r}")
        given = [name for name, value in (("about", about), ("exactly", exactly)) if value is not None]
        if len(given) > 1 or (given and (at_least is not None or at_most is not None)):
            raise InvalidInput(f"the proportion of {topic!r} takes about, exactly, or at_least and at_most")
        if not given and at_least is None and at_most is None:
            raise InvalidInput(f"the proportion of {topic!r} has no bound; give at_least, at_most, about or exactly")
        low, high = (0.0 if at_least is None else at_least), (1.0 if at_most is None else at_most)
        if exactly is not None:
            low = high = exactly
        elif isinstance(about, Sequence):
            low, high = about
        elif about is not None:
            low, high = max(0.0, (1 - SLACK) * about), min(1.0, (1 + SLACK) * about)
        if not 0 <= low <= high <= 1:
            raise InvalidInput(f"the proportion of {topic!r} must have 0 ≤ low ≤ high ≤ 1; it has {low:g} and {high:g}")
        groups = by if by is None or isinstance(by, str) else _groups(by)
        return self._with(ProportionWish(topic, float(low), float(high), groups))

    def rule(self, rule: TagRule) -> Guide:
        """Add a rule about the tags of sentences, for models of sequences; topic models do not accept it."""
        if not isinstance(rule, TagRule):
            raise InvalidInput(f"a rule is a TagRule, such as TagRule.bio(), not {rule!r}")
        return self._with(RuleWish(rule))

    @property
    def rules(self) -> tuple[TagRule, ...]:
        """The rules about tags."""
        return tuple(wish.rule for wish in self.wishes if isinstance(wish, RuleWish))

    def for_documents(self, *, ids: Sequence[str] | None = None, times: Times = None) -> Guide:
        """Return the guide with the rows of documents in place of their ids, and groups in place of "month".

        Ids that are not among these documents are left out and counted in the report of the fit.
        """
        return dataclasses.replace(self, wishes=tuple(resolved(wish, ids, times) for wish in self.wishes))

    @classmethod
    def read(cls, path: str | Path) -> Guide:
        """Read a guide from a TOML file, whose tables are the methods: ``[[topic]]``, ``[[together]]``, …"""
        from driftline.guidance.toml_guide import guide_of_toml

        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            raise SourceNotFound(f"there is no guide at {path}; check the path") from None
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput(f"the guide {path} cannot be read as a text in UTF-8: {error}") from None
        return guide_of_toml(text, Path(path))

    def to_toml(self) -> str:
        """Return the guide as TOML; kept topics cannot be written."""
        from driftline.guidance.toml_guide import toml_of_guide

        return toml_of_guide(self)

    @property
    def n_named(self) -> int:
        """The number of topics that the guide names."""
        named = {wish.name for wish in self.wishes if isinstance(wish, TopicWish)}
        return len(named | {name for wish in self.wishes if isinstance(wish, KeepWish) for name in wish.names})

    def __bool__(self) -> bool:
        return bool(self.wishes)

    def __repr__(self) -> str:
        return f"Guide: {'; '.join(wish.described() for wish in self.wishes) or 'no wishes'}"

    def _with(self, wish: Wish) -> Guide:
        return dataclasses.replace(self, wishes=(*self.wishes, wish))


def _several(words: tuple[Word, ...], called: str) -> tuple[Word, ...]:
    _check_words(words)
    unique = tuple(dict.fromkeys(words))
    if len(unique) < 2:
        raise InvalidInput(f"{called} needs at least two different words, not {unique!r}")
    return unique


def _check_strength(strength: float) -> None:
    if not 0 < strength < np.inf:
        raise InvalidInput(f"strength must be a number above zero, not {strength!r}")


def _check_words(words: Sequence[Word]) -> None:
    odd = [word for word in words if not isinstance(word, str | Integral) or isinstance(word, bool)]
    if odd:
        raise InvalidInput(f"a word is a string or the number of its column, not {odd[0]!r}")


def _check_topics(topics: Sequence[TopicName]) -> None:
    if isinstance(topics, str):
        raise InvalidInput(f"topics must be a list of names or numbers, not the string {topics!r}")
    odd = [topic for topic in topics if not isinstance(topic, str | Integral) or isinstance(topic, bool)]
    if odd:
        raise InvalidInput(f"a topic is a name or a number, not {odd[0]!r}")


def _is_link(ends: tuple[object, ...]) -> bool:
    """Return whether a tuple has two documents, and a number as its weight if there is a third value."""
    documents = all(isinstance(end, str | Integral) for end in ends[:2])
    return len(ends) in (2, 3) and documents and isinstance(ends[-1] if len(ends) == 3 else 1.0, Real)


def _groups(by: npt.ArrayLike) -> Ints:
    """Return the number of every document's group; all documents must have one."""
    values = np.asarray(by)
    if values.ndim != 1:
        raise InvalidInput("a proportion is by one group per document, or by day, week, month or year")
    missing = [value is None or value != value for value in values.tolist()]
    if any(missing):
        raise InvalidInput(f"a proportion is by groups, but document {missing.index(True)} has none; give it one")
    found: Ints = np.unique(values.astype(str) if values.dtype.kind == "O" else values, return_inverse=True)[1]
    return found
