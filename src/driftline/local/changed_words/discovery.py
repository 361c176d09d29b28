"""Words whose use changed over time, with a controlled false discovery rate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.stats import false_discovery_control

from driftline.base.checked_matrices import checked_counts
from driftline.core.arrays import Bools, Counts, Floats, Ints, Labels, Times
from driftline.core.errors import InvalidInput
from driftline.core.pictures import MOST_BARS, Bars, Picture
from driftline.core.randomness import Seed
from driftline.core.results import Columns, Result, counted
from driftline.core.times import TimeAxis, days, note_missing_times
from driftline.local.changed_words.demanded_groups import demanded_groups, frequent_columns
from driftline.local.changed_words.unit_exchange import ExchangeTest
from driftline.streams.any_source import corpus_of, is_source
from driftline.streams.exchange import FEWEST_FOR_LASTING, given_or_exchange_units
from driftline.streams.units import Units
from driftline.text.vocabulary import WordList

_WEEKS_PERIOD = 14.0


class _ChangedWordsFields(NamedTuple):
    """The fields of `ChangedWords`."""

    columns: Ints
    words: np.ndarray | None
    n_uses: Floats
    n_documents: Ints
    p_value: Floats
    q_value: Floats
    lasting: Bools
    longer_than_a_week: Bools | None
    event: Bools
    event_q_value: Floats
    event_time: np.ndarray
    information: Floats
    false_discovery_rate: float
    unit: str
    n_units: int
    groups: str | None = None
    with_groups: Bools | None = None


class ChangedWords(Result, _ChangedWordsFields):
    """Result of `changed_words`: one value per tested word, in the order of the columns.

    `columns` are the columns of the words, `words` the words themselves (None without a vocabulary). In the frame they
    are `column` and `word`; the latter is missing without a vocabulary.

    `lasting` marks the words that changed for longer than one unit at the `false_discovery_rate`, and `q_value` is the
    rate at which a word would still be reported: the null hypothesis is that whole units are exchangeable.
    `longer_than_a_week` marks those of them whose slow waves alone (periods of two weeks and more) suffice; it is None
    where units have no length in days, or the stream is shorter than two weeks.

    `event` marks the words that are not lasting but concentrated in time: found by permuting documents, with the rate
    `event_q_value`. The null hypothesis is that documents are independent, which near-copies violate unless `texts`
    identifies them. Most documents with the word are around `event_time`, the mean time of its uses in the unit with
    the largest excess over expectation. Without `enough_units` no change is reported as lasting, and an event may be a
    lasting change.

    `information`, in nats, is the information gain from the word's course; it ranks the changed words.
    `unit` is the kind of unit permuted (``"day"``, ``"6h"``, ``"time"``, ``"document"``, ``"group"``), `n_units` their
    number.

    If groups such as authors had to be permuted as well, `groups` is their name, and `lasting` words are also
    significant when groups are permuted. `with_groups` marks the other words that changed for longer than a unit: their
    change may be due to groups that came and went. It is None if no groups were permuted.
    """

    __slots__ = ()

    @property
    def changed(self) -> Bools:
        """Words that changed for longer than a unit, or are an `event`."""
        return self.outlasting | self.event

    @property
    def outlasting(self) -> Bools:
        """Words that changed for longer than a unit, including those whose groups came and went."""
        return self.lasting if self.with_groups is None else self.lasting | self.with_groups

    @property
    def enough_units(self) -> bool:
        """Whether there are enough units for lasting changes."""
        return self.n_units >= FEWEST_FOR_LASTING

    def among(self, n_columns: int) -> ChangedWords:
        """Return the tests of the first `n_columns` columns alone."""
        kept = self.columns < n_columns
        parts: dict[str, Any] = self._asdict()
        parts = {name: part[kept] for name, part in parts.items() if isinstance(part, np.ndarray)}
        return self._replace(**parts)

    def ranking(self, kind: Literal["changed", "lasting", "event"] = "changed") -> Ints:
        """Return the indices (in these arrays) of the changed words: lasting ones first, ordered by information."""
        if kind == "changed":
            with_groups = np.zeros_like(self.lasting) if self.with_groups is None else self.with_groups
            return np.concatenate([self._ranked(each) for each in (self.lasting, with_groups, self.event)])
        return self._ranked(self.lasting if kind == "lasting" else self.event)

    def beyond(self, groups: str, among_groups: ChangedWords) -> ChangedWords:
        """Return these tests with only those words lasting that also are when whole groups are permuted."""
        lasting, weeks = self.lasting & among_groups.lasting, self.longer_than_a_week
        return self._replace(
            lasting=lasting,
            longer_than_a_week=None if weeks is None else weeks & lasting,
            groups=groups,
            with_groups=self.lasting & ~lasting,
        )

    def _ranked(self, mask: Bools) -> Ints:
        places = np.flatnonzero(mask)
        return places[np.argsort(-self.information[places], kind="stable")]

    def _columns(self) -> Columns:
        arrays = {name: part for name, part in self._asdict().items() if isinstance(part, np.ndarray)}
        words = {} if self.words is None else {"word": arrays.pop("words")}
        return {**words, "column": arrays.pop("columns"), **arrays, "changed": self.changed}

    def _names(self) -> np.ndarray:
        return self.columns if self.words is None else self.words

    def _summary(self) -> str:
        tested, is_word = counted(len(self.columns), "word"), self.unit.isalpha()
        units = counted(self.n_units, self.unit) if is_word else f"{counted(self.n_units, 'unit')} of {self.unit}"
        single = f"on single {self.unit}s" if self.unit == "day" else "in single units"
        kinds = f"{int(self.lasting.sum()):,} changed lastingly, {int(self.event.sum()):,} {single}"
        return f"{tested} tested: {kinds}; {units}, false discovery rate {self.false_discovery_rate:.0%}"

    def _picture(self) -> Picture:
        first = self.ranking()[:MOST_BARS]
        return Bars([str(each) for each in self._names()[first]], self.information[first], "information gain")


def changed_words(
    X: Counts,
    *,
    times: Times = None,
    vocabulary: WordList | None = None,
    sizes: npt.ArrayLike | None = None,
    unit: object = "auto",
    groups: Mapping[str, Labels] | None = None,
    texts: npt.ArrayLike | None = None,
    events: bool = True,
    false_discovery_rate: float = 0.05,
    min_documents: int = 5,
    n_permutations: int = 50,
    random_state: Seed = 0,
    verbose: bool = False,
) -> ChangedWords:
    """Test every word of at least `min_documents` documents for a change of its share over time.

    The evidence is the energy of a word's residuals in cosines of time, from one slow wave to over a hundred quick
    ones. Its null distribution is found by permuting whole units: documents of one unit may share events and repeat
    each other and their words, and a word must stay changed for longer than a unit. Significance is controlled by the
    procedure of Benjamini and Hochberg. With fewer than `FEWEST_FOR_LASTING` units, no word is reported as lasting.

    Parameters
    ----------
    X : counts, documents × words; or documents
        Documents are a `Corpus`, a `Stream`, or anything that `driftline.read` reads: a path, a data frame, a list of
        records. They have their own times and words. Text that is not prose is not counted, as in the report, except in
        a corpus, which is tested unchanged.
    times : times of any accepted kind
        Without them counts are assumed to be in time order and evenly spaced, with a warning.
    vocabulary : the words of the columns, optional
    sizes : one number per document, optional
        The exposure of each document: by default its number of words. Pass ones with counts of 0 and 1 to test the
        share of the documents that contain a word.
    unit : "auto", "day", a duration such as "1h", "document", one group per document, or `Units`
        The unit permuted, see `driftline.streams.exchange.exchange_units`. ``"auto"`` is the day (with plain numbers as
        times, a distinct time); a stream of one or two days is divided into shorter steps. An array gives the thread,
        author or source of each document.
    groups : mapping of names to one number per document, optional
        Authors, threads or sources, the coarsest first, that ``unit="auto"`` may choose from. If documents of one group
        resemble each other so much that days are not exchangeable (`driftline.local.changed_words.demanded_groups`),
        only words that are also significant when whole groups are permuted are lasting, and the others are marked as
        `with_groups`.
    texts : one number per document, optional
        Documents of one number and unit are one text, such as passages or copies of one document; the search for events
        permutes texts instead of documents, each with the mean of its counts and sizes.
    events : bool
        Whether to search also for words concentrated in single units, by permuting documents.
    false_discovery_rate : float
    min_documents : int
    n_permutations : int
    random_state : int, Generator or None
    verbose : bool

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> rates = np.column_stack([np.full(500, 30.0), np.full(500, 20.0), np.linspace(0.2, 1.8, 500)])
    >>> found = changed_words(rng.poisson(rates), times=range(500), vocabulary=["the", "of", "war"])
    >>> [found.words[i] for i in found.ranking("lasting")]
    ['war']
    """
    if not 0 < false_discovery_rate < 1:
        raise InvalidInput(f"false_discovery_rate must be between 0 and 1, not {false_discovery_rate!r}")
    if n_permutations < 1:
        raise InvalidInput(f"n_permutations must be at least 1, not {n_permutations!r}")
    if is_source(X):
        if times is not None or vocabulary is not None:
            raise InvalidInput("documents have their own times and words; leave out times and vocabulary")
        corpus = corpus_of(X)
        X, times, vocabulary = corpus.counts, corpus.times, corpus.vocabulary
    note_missing_times(times, "changed_words")
    X = sp.csr_array(checked_counts(X, "changed_words"))
    if vocabulary is not None and len(vocabulary) < X.shape[1]:
        raise InvalidInput(f"the vocabulary has {len(vocabulary)} words, but the counts have {X.shape[1]} columns")
    how: dict[str, Any] = {
        "sizes": np.asarray(X.sum(axis=1)).ravel() if sizes is None else sizes,
        "false_discovery_rate": false_discovery_rate,
        "n_permutations": n_permutations,
        "random_state": random_state,
        "verbose": verbose,
    }
    found = _changed_by_unit(X, times, vocabulary, unit, texts, events, min_documents, **how)
    codes = _checked_groups(groups, unit, X.shape[0])
    if not codes:
        return found

    def p_values(at: Times) -> Floats:
        return _changed_by_unit(X[:, columns], at, None, unit, None, False, 1, **how).p_value

    columns = frequent_columns(X)
    name = demanded_groups(p_values, _as_array(times, X.shape[0]), codes, random_state=random_state)
    if name is None:
        return found
    return found.beyond(name, _changed_by_unit(X, times, None, codes[name], None, False, min_documents, **how))


def _checked_groups(groups: Mapping[str, Labels] | None, unit: object, n: int) -> dict[str, Ints]:
    """Return a number for every group of every document."""
    if not groups:
        return {}
    if not (isinstance(unit, str) and unit == "auto"):
        raise InvalidInput('groups are candidates for unit="auto"; omit them, or omit the unit')
    wrong = [name for name, each in groups.items() if np.shape(each) != (n,)]
    if wrong:
        raise InvalidInput(f"groups {wrong[0]!r} must be {n} values, one per document")
    given = {name: np.asarray(each) for name, each in groups.items()}
    plain = {name: each.astype(str) if each.dtype.kind == "O" else each for name, each in given.items()}
    return {name: np.unique(each, return_inverse=True)[1] for name, each in plain.items()}


def _as_array(times: Times, n: int) -> Times:
    """Return times as an array that can be sorted and reassigned to other documents."""
    return np.arange(n) if times is None else TimeAxis.of(times).restore(TimeAxis.of(times).values(times, n=n))


def _changed_by_unit(
    X: sp.csr_array,
    times: Times,
    vocabulary: WordList | None,
    unit: object,
    texts: npt.ArrayLike | None,
    events: bool,
    min_documents: int,
    *,
    sizes: npt.ArrayLike | None,
    false_discovery_rate: float,
    n_permutations: int,
    random_state: Seed,
    verbose: bool,
) -> ChangedWords:
    """Test by permuting units of one kind."""
    n_rows = X.shape[0]
    units = given_or_exchange_units(times, unit=unit, n=n_rows)
    tokens = np.asarray(sizes, dtype=np.float64).ravel()
    if len(tokens) != X.shape[0] or not (np.isfinite(tokens) & (tokens >= 0)).all():
        raise InvalidInput(f"sizes must be {X.shape[0]} numbers of at least zero, one per document")
    text = np.arange(n_rows) if texts is None else np.asarray(texts)
    if text.shape != (n_rows,) or text.dtype.kind not in "biuf" or np.isnan(text).any():
        raise InvalidInput(
            f"texts must be {n_rows} numbers, one per document and none missing, not {text.dtype} of {text.shape}"
        )
    kept = np.flatnonzero(tokens > 0)
    kept = kept[np.argsort(units.index[kept], kind="stable")]
    X, tokens = X[kept], tokens[kept]
    used, index = np.unique(units.index[kept], return_inverse=True)
    units = Units(index, units.middle[used], units.kind)
    n_documents = np.bincount(X.indices[X.data > 0], minlength=X.shape[1])
    columns = np.flatnonzero(n_documents >= max(min_documents, 1))
    counts = sp.csc_array(X)
    del X
    if len(columns) < counts.shape[1]:
        counts = counts[:, columns]

    def control(p_value: Floats) -> Floats:
        return false_discovery_control(p_value) if len(p_value) else p_value

    axis = TimeAxis.of(times)
    t = axis.values(times, n=n_rows)[kept]
    test = ExchangeTest(counts, tokens, t, units, text[kept], n_permutations, random_state, verbose)
    p_value = test.lasting(None)
    q_value = control(p_value)
    lasting = q_value <= false_discovery_rate
    n_slow = _n_slow_cosines(units.kind, t)
    slow = None if n_slow is None else lasting & (control(test.lasting(n_slow)) <= false_discovery_rate)
    event_q_value = control(test.bunched()) if events else np.ones(len(columns))
    event = (event_q_value <= false_discovery_rate) & ~lasting
    return ChangedWords(
        columns=columns,
        words=None if vocabulary is None else np.asarray(list(vocabulary), dtype=object)[columns],
        n_uses=np.asarray(counts.sum(axis=0), dtype=np.float64).ravel(),
        n_documents=n_documents[columns],
        p_value=p_value,
        q_value=q_value,
        lasting=lasting,
        longer_than_a_week=slow,
        event=event,
        event_q_value=event_q_value,
        event_time=axis.restore(test.time_of_most()),
        information=np.where(event, test.information_of_documents(), test.information_of_units()),
        false_discovery_rate=false_discovery_rate,
        unit=units.kind,
        n_units=units.n,
    )


def _n_slow_cosines(kind: str, times: Floats) -> int | None:
    """Return the number of cosines with periods of at least two weeks: k ≤ 2 N / 14 for documents on N days."""
    if kind in ("time", "document", "group") or not len(times) or np.ptp(times) < _WEEKS_PERIOD:
        return None
    length = 1.0 if kind == "day" else days(kind)
    return max(1, int(2 * len(np.unique(np.floor(times / length))) * length / _WEEKS_PERIOD))
