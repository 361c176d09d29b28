"""The tables of a stream of stories, made from its book: stories, events, shares."""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Floats
from driftline.core.results import Results
from driftline.core.times import TimeAxis
from driftline.nonparametric.stories.story_book import ENDED, StoryBook
from driftline.nonparametric.stories.story_results import Story, StoryEvent, StoryShares, story_shares
from driftline.text.vocabulary import WordList
from driftline.text.word_columns import words_at


def stories_of(book: StoryBook, axis: TimeAxis, weights: Floats, vocabulary: WordList | None) -> Results[Story]:
    """Return the stories of a book in the order of their ids."""
    parents: dict[int, list[int]] = {}
    children: dict[int, list[int]] = {}
    for kind, _, story, other, _ in book.events:
        source, result = (other, story) if kind == "merged" else (story, other)
        children.setdefault(source, []).append(result)
        parents.setdefault(result, []).append(source)
    live_words = book.top_words(np.arange(len(book.ids)), weights)
    found = []
    for table, ends, words in ((book.live, "latest", live_words), (book.ended, "ends", book.ended["words"])):
        is_live = table is book.live
        starts, last = axis.restore(table["starts"]), axis.restore(table[ends])
        for row, story in enumerate(table["ids"].tolist()):
            columns = words[row]
            state = "live" if is_live else "ended" if table["states"][row] == ENDED else "merged"
            found.append(
                Story(
                    story, starts[row], last[row], int(table["sizes"][row]),
                    words_at(columns[columns >= 0].tolist(), vocabulary), int(table["examples"][row]),
                    state, float(table["births"][row]), parents.get(story, []), children.get(story, []),
                )
            )  # fmt: skip
    return Results(Story, sorted(found, key=lambda story: story.id), name="id", quantity="size")


def events_of(
    book: StoryBook, axis: TimeAxis, silent_since: float, min_size: int, min_probability: float
) -> Results[StoryEvent]:
    """Return the events of stories with enough documents, in time order.

    A live story without a document since `silent_since` has ended, too.
    """
    found: list[tuple[float, str, int, int | None, float]] = [
        (time, kind, story, other, p) for kind, time, story, other, p in book.events
    ]
    began = {other for kind, _, _, other, _ in book.events if kind in ("split", "revived")}
    for table, is_live in ((book.live, True), (book.ended, False)):
        for row in np.flatnonzero(table["sizes"] >= min_size).tolist():
            story, birth = int(table["ids"][row]), float(table["births"][row])
            if story not in began and birth >= min_probability:
                found.append((float(table["starts"][row]), "born", story, None, birth))
            if not is_live and table["states"][row] == ENDED:
                found.append((float(table["ends"][row]), "ended", story, None, 1.0))
            if is_live and table["latest"][row] < silent_since:
                found.append((float(table["latest"][row]), "ended", story, None, 1.0))
    found.sort(key=lambda event: (event[0], event[2], event[1]))
    times = axis.restore([event[0] for event in found])
    events = [StoryEvent(kind, time, story, other, p) for time, (_, kind, story, other, p) in zip(times, found)]
    return Results(StoryEvent, events, name="kind", quantity="probability")


def shares_of(book: StoryBook, axis: TimeAxis, n: int, origin: float, width: float, bandwidth: float) -> StoryShares:
    """Return the shares of the `n` largest stories, largest first, and of all others."""
    merged = book.ended["states"] != ENDED
    ids = np.concatenate([book.ids, book.ended["ids"][~merged]])
    sizes = np.concatenate([book.live["sizes"], book.ended["sizes"][~merged]])
    held = np.isin(ids, book.history["stories"])
    ids, sizes = ids[held], sizes[held]
    shown = ids[np.lexsort((ids, -sizes))][:n]
    times, ids, share, lower, upper = story_shares(book.history, shown.tolist(), origin, width, bandwidth)
    return StoryShares(axis.restore(times), ids, share, lower, upper, bandwidth)
