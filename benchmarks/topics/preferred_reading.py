"""Topics read blind: sheets without the names of the systems, and what readers say of them.

A sheet has one line per topic: a number and ten words. It contains twenty topics of each system (all, where a system
lists fewer: outliers and TopicMap's rest are not topics) on one set, first seed, shuffled; its key is kept in another
folder. A reader writes a file `ratings_READER_SET.txt` with a line per topic, its number and 2 (clear), 1 (mixed) or 0
(junk).

    python -m benchmarks.topics.preferred_reading sheets ANSWERS --sheets FOLDER --keys FOLDER [--sets … --topics 20]
    python -m benchmarks.topics.preferred_reading table --sheets FOLDER --keys FOLDER

ANSWERS is the folder of `python -m benchmarks.topics.preferred run`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
from pathlib import Path

import numpy as np

from benchmarks.measure import print_table
from benchmarks.topics.preferred import SYSTEMS, read
from benchmarks.topics.preferred_sets import SETS

SHEETS = ("headlines", "health tweets", "git", "headlines 2020")
INTRODUCTION = "Each line is a topic: a number, and ten words. 2: clear; 1: mixed; 0: junk.\n\n"


def file_name(name):
    return re.sub(r"\W+", "_", name)


def write_sheets(answers, sheets, keys, names, n_topics):
    """Write a sheet and a key for every set."""
    found = read(answers)
    for folder in (sheets, keys):
        folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        rng = np.random.default_rng(0)
        entries = [
            (system, ranks(one)[k], one["words"][k])
            for system in SYSTEMS
            if system != "BERTopic, assigned"  # it has the words of BERTopic
            for one in found[name].get(system, [])[:1]
            for k in np.sort(rng.permutation(one["listed"])[:n_topics]).tolist()
        ]
        order = rng.permutation(len(entries)).tolist()
        lines = [f"{number} {' '.join(entries[i][2])}\n" for number, i in enumerate(order, 1)]
        (sheets / f"sheet_{file_name(name)}.txt").write_text(INTRODUCTION + "".join(lines))
        key = {str(number): entries[i][:2] for number, i in enumerate(order, 1)}
        (keys / f"{file_name(name)}.json").write_text(json.dumps(key))


def ranks(answer):
    """Return the place of every topic in the list of its system: its own order, or the largest first."""
    n = len(answer["words"])
    if answer["names"]:
        return list(range(n))
    sizes = np.bincount([k for k in answer["topics"] if k >= 0], minlength=n)[:n]
    return np.argsort(np.argsort(-sizes, kind="stable"), kind="stable").tolist()


def ratings(path):
    """Return number → rating of one file."""
    found = re.findall(r"^\s*(\d+)[\s:,.)]+([012])\b", path.read_text(), flags=re.MULTILINE)
    return {number: int(rating) for number, rating in found}


def agreement(readers):
    """Return the mean correlation of two readers' ratings of the same topics."""
    values = []
    for one, other in itertools.combinations(readers, 2):
        both = sorted(set(one) & set(other))
        values.append(np.corrcoef([one[i] for i in both], [other[i] for i in both])[0, 1])
    return float(np.mean(values)) if values else float("nan")


def table(sheets, keys):
    """Print means and junk by system and set; a topic is junk to the readers if most of them say so.

    Means are of all topics of a list, and of as many of its first ones as the shortest list has.
    """
    for path in sorted(keys.glob("*.json")):
        key = json.loads(path.read_text())
        readers = [ratings(one) for one in sorted(sheets.glob(f"ratings_*_{path.stem}.txt"))]
        readers = [one for one in readers if set(one) >= set(key)]
        if not readers:
            continue
        rows, lists = [], {}
        for number, (system, rank) in key.items():
            lists.setdefault(system, []).append((rank, number))
        shortest = min(len(one) for one in lists.values())
        for system, numbers in lists.items():
            own = np.array([[one[number] for _, number in sorted(numbers)] for one in readers])
            junk = int((np.median(own, axis=0) < 0.5).sum())
            first = float(own[:, :shortest].mean())
            rows.append([system, own.shape[1], float(own.mean()), first, *own.mean(axis=1).tolist(), junk])
        rows.sort(key=lambda row: -row[2])
        each = [f"reader {i + 1}" for i in range(len(readers))]
        by = "one reader" if len(readers) == 1 else f"{len(readers)} readers, correlation {agreement(readers):.2f}"
        title = f"## {path.stem.replace('_', ' ')}: {by}"
        print_table(title, ["system", "topics", "mean", f"first {shortest}", *each, "junk"], rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("task", choices=["sheets", "table"])
    parser.add_argument("answers", nargs="?", type=Path)
    parser.add_argument("--sheets", type=Path, required=True)
    parser.add_argument("--keys", type=Path, required=True)
    parser.add_argument("--sets", nargs="+", default=list(SHEETS), choices=list(SETS))
    parser.add_argument("--topics", type=int, default=20, help="topics per system")
    given = parser.parse_args()
    if given.task == "sheets":
        write_sheets(given.answers, given.sheets, given.keys, given.sets, given.topics)
    else:
        table(given.sheets, given.keys)


if __name__ == "__main__":
    main()
