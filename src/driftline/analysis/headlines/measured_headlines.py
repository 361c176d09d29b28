"""The headlines of a corpus with tested words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from driftline.analysis.headlines.groups import Groups
from driftline.analysis.headlines.rules import DEFAULT_RULES, HeadlineRules
from driftline.analysis.headlines.story_headlines import Found, find_headlines
from driftline.analysis.items import Items
from driftline.analysis.texts import texts_of
from driftline.core.arrays import Floats, Ints
from driftline.local.changed_words.discovery import ChangedWords
from driftline.local.reading.word_cycles import Cycles
from driftline.streams.corpus import Corpus
from driftline.text.headline_words import is_listed_last, is_stop_word

MOST_CANDIDATES = 5_000
"""Maximum number of tested words that are measured, the most informative first."""
MOST_AUTHORS = 1_000
"""Maximum number of authors within whom changes are measured, those with most documents."""


def describe_headlines(
    corpus: Corpus,
    items: Items,
    tests: ChangedWords,
    *,
    label_name: str = "label",
    authors: Groups | None = None,
    languages: Sequence[str] = (),
    cycles: Sequence[Cycles] = (),
    texts: Ints | None = None,
    rules: HeadlineRules = DEFAULT_RULES,
) -> Found:
    """Measure the significant words, and group the large changes into stories.

    Changes are compared within the labels of the corpus and, where given, within `authors`, one per document
    (`author_groups`). Numbers, legal forms of companies, and names of days and months in the `languages` are not
    headlines; stop words are only if they changed very much, and words with yearly `cycles` only if their change
    exceeds the cycle. `texts` are those of `texts_of`, which is called if they are not given.

    >>> from driftline.analysis.items import items_of
    >>> from driftline.local.changed_words.discovery import changed_words
    >>> days = np.datetime64("2024-01-01", "us") + np.arange(600) // 6 * np.timedelta64(1, "D")
    >>> texts = ["storm hits coast" if 240 <= i < 330 and i % 3 else "calm on the coast" for i in range(600)]
    >>> corpus = Corpus.from_texts(texts, days)
    >>> found = describe_headlines(corpus, items_of(corpus), changed_words(corpus.counts, times=days))
    >>> first = found.headlines.stories[0]
    >>> sorted([first.change.word, *first.others]), first.change.start[:10]
    (['hits', 'storm'], '2024-02-10')
    """
    places = tests.ranking()[:MOST_CANDIDATES]
    columns = tests.columns[places]
    groups = []
    if corpus.labels is not None:
        groups.append(Groups(corpus.labels, corpus.label_names, label_name))
    if authors is not None:
        groups.append(authors)
    words = [str(corpus.vocabulary.words[column]) for column in columns]
    unit = tests.unit if tests.unit not in ("time", "group") else "auto"
    return find_headlines(
        items,
        columns,
        words,
        tests.outlasting[places],
        unconfirmed=None if tests.with_groups is None else tests.with_groups[places],
        unconfirmed_by=tests.groups,
        groups=groups,
        least=_least(words, columns, languages, cycles, rules),
        unit=unit,
        texts=texts_of(items, corpus, unit=unit) if texts is None else texts,
        rules=rules,
    )


def _least(
    words: list[str], columns: Ints, languages: Sequence[str], cycles: Sequence[Cycles], rules: HeadlineRules
) -> Floats:
    """Return for each word the lower limit of the ratio that makes it a headline."""
    least = np.where(is_stop_word(words, languages), rules.min_event_ratio, rules.min_ratio)
    for found in cycles:
        if found.period != "year":
            continue  # windows are longer than a week, so no weekday explains them
        ratio = dict(zip(found.columns.tolist(), found.ratio.tolist()))
        least = np.maximum(least, [ratio.get(int(column), 0.0) for column in columns])
    return np.where(is_listed_last(words, languages), np.inf, least)


def author_groups(codes: Ints, names: Sequence[str], column: str = "author") -> Groups:
    """Return authors as groups; only the `MOST_AUTHORS` with most documents are distinguished.

    A change within authors is measured on those who wrote more than once; the others are combined.

    >>> author_groups(np.array([0, 1, 1, -1]), ("ann", "bob"))
    Groups(codes=array([-1,  0,  0, -1]), names=('bob',), column='author', authors=True)
    """
    sizes = np.bincount(codes[codes >= 0], minlength=len(names))
    kept = np.sort(np.argsort(-sizes, kind="stable")[:MOST_AUTHORS])
    kept = kept[sizes[kept] > 1]
    place = np.full(len(names) + 1, -1)
    place[kept] = np.arange(len(kept))
    return Groups(place[codes], tuple(names[i] for i in kept), column, authors=True)
