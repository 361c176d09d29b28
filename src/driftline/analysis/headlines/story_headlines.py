"""Headlines: the large changes as stories, without changes of composition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.analysis.findings.headlines import Composition, Headlines, RatioWithin, Story, WordChange
from driftline.analysis.headlines.groups import Explained, Groups, explained_by
from driftline.analysis.headlines.linkage import stories_of
from driftline.analysis.headlines.measure import Candidates, Changes, candidates_of, measure_changes, word_changes
from driftline.analysis.headlines.phrase_headlines import without_repeats
from driftline.analysis.headlines.presence import cells_of
from driftline.analysis.headlines.rules import DEFAULT_RULES, HeadlineRules
from driftline.analysis.items import Items
from driftline.core.arrays import Bools, Floats, Ints
from driftline.core.times import TimeAxis
from driftline.smoothing.grouping import group_sums

SAME_PERIOD = 1 / 20
"""Share of the span within which two periods begin, or end, at about the same time."""
MOST_LINKED = 150
"""Maximum number of headline words from which stories are formed."""

MINOR = 0.5
"""Weight, relative to other words, of headline words that need a larger ratio than usual, such as stop words.

Where a stop word and another word changed alike, the other one leads. At a half, "in" no longer leads "trapped"; at a
quarter the German "daß", whose spelling changed, would no longer come before "euro".
"""


class Found(NamedTuple):
    """The headlines, the measured change of every candidate, and the reading order of the candidates.

    `order` has the indices of the candidates: headlines first (the leading words of the stories before the others),
    then changes of composition, then the others by the same weight, and last, as given, those whose ratio may be one
    and those that need a larger ratio than usual for a headline, such as stop words.
    """

    headlines: Headlines
    changes: list[WordChange]
    order: Ints


def find_headlines(
    items: Items,
    columns: Ints,
    words: Sequence[str],
    lasting: Bools,
    *,
    unconfirmed: Bools | None = None,
    unconfirmed_by: str | None = None,
    groups: Sequence[Groups] = (),
    least: Floats | None = None,
    unit: str = "auto",
    texts: Ints | None = None,
    rules: HeadlineRules = DEFAULT_RULES,
) -> Found:
    """Measure the significant words and group the large changes into stories.

    Parameters
    ----------
    items : Items
        Documents (or passages) with their counts and times.
    columns, words : the columns of the candidates, and their names
    lasting : mask
        The candidates with lasting changes; the others can only be events.
    unconfirmed, unconfirmed_by : mask, and the name of groups; optional
        The lasting candidates that may be due only to groups ("author") that joined or left. They are reported after
        the others, unless there are no others.
    groups : Groups, any number
        Labels, sources or senders within which a change must be confirmed.
    least : one number per candidate, optional
        Minimum lower limit for a headline, if above that of the rules; infinite for words that are never headlines.
    unit : str
        The unit of exchange, as for `driftline.streams.units.units_of`.
    texts : one number per item, optional
        Items with the same number are one text and count once in an event and in the minimum number of documents of a
        headline. By default the passages of a document are one text; `driftline.analysis.texts.texts_of` also finds
        near-copies.
    rules : HeadlineRules
        Criteria for headlines.
    """
    if not len(columns):
        return Found(Headlines(noun=items.noun), [], np.empty(0, dtype=np.int64))
    found = candidates_of(items, columns, words, lasting, unit=unit, texts=texts)
    changes = measure_changes(found, rules)
    demanded = np.zeros(len(columns)) if least is None else least
    passing = passes(changes, lasting, demanded, rules)
    places = np.flatnonzero(passing)
    minor = demanded > rules.min_ratio
    rank = changes.weight * np.where(minor, MINOR, 1.0)
    places = places[np.argsort(-rank[places], kind="stable")]
    doubtful = np.zeros_like(lasting) if unconfirmed is None else unconfirmed & ~changes.event
    places = without_repeats(words, changes.total, places)
    explained = explained_by(found, changes, places, items.document, groups, rules)
    kept = np.array([place for place in places if place not in explained], dtype=np.int64)
    plain = word_changes(changes, found, np.isin(np.arange(len(columns)), kept))
    plain = [replace(each, with_groups=unconfirmed_by) if doubtful[i] else each for i, each in enumerate(plain)]
    some_confirmed = bool((lasting & ~doubtful & ~changes.event)[kept].any())
    stories = _stories(found, kept, plain, doubtful & some_confirmed, rules)
    headlines = Headlines(
        stories=stories[: rules.n_stories],
        compositions=_compositions(explained, plain, demanded, rules),
        n_words=len(kept),
        noun=items.noun,
    )
    others = np.setdiff1d(np.arange(len(columns)), places)
    rank = np.where((changes.lower <= 1.0) | minor, 0.0, changes.weight)
    others = others[np.argsort(-rank[others], kind="stable")]
    leads = {story.change.word for story in headlines.stories}
    kept = kept[np.argsort([words[place] not in leads for place in kept], kind="stable")]
    order = np.concatenate([kept, np.array(list(explained), dtype=np.int64), others])
    return Found(headlines, plain, order)


def passes(changes: Changes, lasting: Bools, least: Floats, rules: HeadlineRules) -> Bools:
    """Return a mask of the changes that are large enough for a headline."""
    least = np.maximum(least, np.where(changes.event, rules.min_event_ratio, rules.min_ratio))
    large = (changes.lower >= least) & (changes.evidence >= rules.min_documents) & (changes.sign != 0)
    held = changes.texts_inside >= rules.min_event_share * changes.n_texts
    found: Bools = large & np.where(changes.event, held, lasting)
    return found


def _stories(
    found: Candidates, places: Ints, plain: list[WordChange], later: Bools, rules: HeadlineRules
) -> list[Story]:
    linked = places[:MOST_LINKED]
    linked = linked[np.argsort(later[linked], kind="stable")]
    groups = stories_of(_curves(found, linked), sp.csr_array(found.by_item[:, linked]), rules.min_similarity)
    stories = []
    for group in groups:
        lead, *others = (plain[place] for place in linked[group])
        listed = [each.word for each in others[: rules.most_words - 1]]
        stories.append(Story(lead, listed, len(others) - len(listed)))
    return _spread(stories, rules, np.ptp(found.times) * SAME_PERIOD)


def _spread(stories: list[Story], rules: HeadlineRules, near: np.timedelta64) -> list[Story]:
    """Omit events and lasting changes beyond the first few of the same time, so that one day does not fill the page."""
    changes = [story.change for story in stories]
    start, end = TimeAxis("datetime").values([*(c.start for c in changes), *(c.end for c in changes)]).reshape(2, -1)
    is_event = np.array([change.kind == "event" for change in changes], dtype=bool)
    apart = near / np.timedelta64(1, "D")
    kept: list[int] = []
    for number, event in enumerate(is_event):
        others = np.array([k for k in kept if is_event[k] == event], dtype=np.int64)
        if event:  # events that overlap
            at_once = (start[others] <= end[number]) & (start[number] <= end[others])
        else:  # periods that begin and end at about the same time
            at_once = np.abs(start[others] - start[number]) <= apart
            at_once &= np.abs(end[others] - end[number]) <= apart
        if at_once.sum() < (rules.most_events_at_once if event else rules.most_same_periods):
            kept.append(number)
    return [stories[number] for number in kept]


def _curves(found: Candidates, places: Ints) -> Floats:
    """Return the shares of documents with each word by cell, smoothed over neighbouring cells."""
    cells = cells_of(found.by_unit.documents)
    n_cells = int(cells.max(initial=-1)) + 1
    gather = sp.csr_array((np.ones(len(cells)), (cells, np.arange(len(cells)))), shape=(n_cells, len(cells)))
    counts = (gather @ found.by_unit.with_word[:, places]).toarray().T
    documents = group_sums(cells, found.by_unit.documents, n_cells)
    return _smoothed(counts) / np.maximum(_smoothed(documents), 1e-300)


def _smoothed(values: Floats) -> Floats:
    padded = np.concatenate([values[..., :1], values, values[..., -1:]], axis=-1)
    found: Floats = (padded[..., :-2] + 2 * padded[..., 1:-1] + padded[..., 2:]) / 4
    return found


def _interval(explained: Explained) -> RatioWithin | None:
    """Return the ratio within groups; None if no group has documents on both sides."""
    within = explained.within
    return RatioWithin(within.ratio, within.lower, within.upper) if np.isfinite(within.upper) else None


def _compositions(
    explained: dict[int, Explained], plain: list[WordChange], least: Floats, rules: HeadlineRules
) -> list[Composition]:
    """Group the words explained by the same documents, the strongest first, stop words and similar ones last."""
    by_group: dict[tuple[str, str, bool], list[int]] = {}
    for place, each in sorted(explained.items(), key=lambda item: least[item[0]] > rules.min_ratio):
        by_group.setdefault((each.column, each.group, each.one_author), []).append(place)
    result = []
    for (column, group, one_author), places in by_group.items():
        first = explained[places[0]]
        words = [plain[place].word for place in places]
        result.append(
            Composition(
                words=words[: rules.most_words],
                change=plain[places[0]],
                within=_interval(first),
                column=column,
                group=group,
                share_inside=first.within.share_inside,
                share_outside=first.within.share_outside,
                share_of_word=first.share_of_word,
                n_more=max(0, len(words) - rules.most_words),
                one_author=one_author,
            )
        )
    return result
