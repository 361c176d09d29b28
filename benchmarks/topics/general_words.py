"""From which specificity on a topic is listed: ratings of all topics of maps of commits and health tweets.

Topics of words that documents of any kind use ("return functions use function value code") pass the test of coherence.
Their specificity (`driftline.topics.topic_states`, Eq. 4) is compared with what a reader says of them. Sheets are those
of `preferred_reading`, but with all topics of the maps in random order, the rest included; the keys have the state of
each topic by coherence alone, and its specificity. The first table has the topics that coherence would list.

    python -m benchmarks.topics.general_words sheets --sheets FOLDER --keys FOLDER
    python -m benchmarks.topics.general_words table --sheets FOLDER --keys FOLDER
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from benchmarks.measure import print_table
from benchmarks.topics.preferred_peers import embedded
from benchmarks.topics.preferred_reading import INTRODUCTION, ratings
from benchmarks.topics.preferred_sets import documents
from driftline.topics import TopicMap, topic_map
from driftline.topics.topic_states import SPECIFIC, specificity

SHEETS = {
    "general_words": (("git, cleaned", 2, False), ("git, cleaned", 1, True), ("health tweets, cleaned", 2, False)),
    "general_words_elsewhere": (
        ("headlines 2020", 0, False),
        ("headlines 2020", 0, True),
        ("package titles", 0, True),
        ("advisories", 0, True),
    ),
}
"""Maps of a sheet: set, seed, and whether with embeddings. The level was chosen on the first sheet."""
LEVELS = 0.0, 0.3, SPECIFIC, 0.4, 0.45, 0.5


def fitted(data, seed, vectors):
    """Return a map whose states are those by coherence alone."""
    kept, topic_map.without_general = topic_map.without_general, lambda states, *_: states
    try:
        return TopicMap(random_state=seed, n_jobs=1).fit(data.counts, embeddings=vectors)
    finally:
        topic_map.without_general = kept


def write_sheets(sheets, keys):
    """Write the sheets, and their keys."""
    for folder in (sheets, keys):
        folder.mkdir(parents=True, exist_ok=True)
    for sheet, maps in SHEETS.items():
        entries = entries_of(maps)
        order = np.random.default_rng(3).permutation(len(entries)).tolist()
        lines = [f"{number} {entries[i]['words']}\n" for number, i in enumerate(order, 1)]
        (sheets / f"sheet_{sheet}.txt").write_text(INTRODUCTION + "".join(lines))
        (keys / f"{sheet}.json").write_text(json.dumps({str(n): entries[i] for n, i in enumerate(order, 1)}, indent=1))


def entries_of(maps):
    """Return all topics of some maps: map, state by coherence alone, specificity, and words."""
    entries = []
    for name, seed, with_embeddings in maps:
        data = documents(name)
        model = fitted(data, seed, embedded(data)[0] if with_embeddings else None)
        columns = np.array([card.words for card in model.topics_])
        label = f"{name}{', embeddings' * with_embeddings}"
        for card, value in zip(model.topics_, specificity(model.components_, columns).tolist()):
            words = " ".join(data.words[word] for word in card.words)
            entries.append({"map": label, "state": card.state, "specificity": value, "words": words})
    return entries


def table(sheets, keys):
    """Print the ratings of the topics listed at every level, and of those that it removes."""
    for sheet, path in ((one, path) for one in SHEETS for path in sorted(sheets.glob(f"ratings_*_{one}.txt"))):
        key, given = json.loads((keys / f"{sheet}.json").read_text()), ratings(path)
        rated = [{**entry, "rating": given[number]} for number, entry in key.items()]
        listed = [one for one in rated if one["state"] != "junk"]
        rows = []
        for level in LEVELS:
            for name in dict.fromkeys(one["map"] for one in rated):
                own = [one for one in listed if one["map"] == name]
                kept = [one["rating"] for one in own if one["specificity"] >= level]
                gone = [one["rating"] for one in own if one["specificity"] < level]
                counts = [gone.count(value) for value in (2, 1, 0)]
                rows.append([level, name, len(kept), float(np.mean(kept)) if kept else "", kept.count(0), *counts])
        removed = ["removed: clear", "mixed", "junk"]
        print_table(
            f"## Least specificity: {sheet.replace('_', ' ')}",
            ["least", "map", "listed", "mean", "junk", *removed],
            rows,
        )
        for some, title in ((rated, "all"), (listed, "coherent")):
            values = np.corrcoef([one["specificity"] for one in some], [one["rating"] for one in some])[0, 1]
            print(f"Correlation of specificity and rating, {title} topics ({len(some)}): {values:.2f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("task", choices=["sheets", "table"])
    parser.add_argument("--sheets", type=Path, required=True)
    parser.add_argument("--keys", type=Path, required=True)
    given = parser.parse_args()
    {"sheets": write_sheets, "table": table}[given.task](given.sheets, given.keys)


if __name__ == "__main__":
    main()
