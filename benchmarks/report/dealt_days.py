"""What does the report claim about a stream whose days were shuffled? Nothing changes in it: every claim is false.

    python -m benchmarks.report.dealt_days [STREAM_OR_FILE …] [--as-is] [--deals=N] [--documents=N] [--no-labels]

Reads real streams, or any file that `driftline.read` reads (thinned at random to `DOCUMENTS`), shuffles whole days,
imports and stray dates included, and counts what each section of the report claims. Then one document in fifty is
posted 5 to 30 times more on its day with a word added, so that the copies are not equal. ``--as-is`` counts the claims
about the streams themselves, for comparison; ``--deals=N`` and ``--documents=N`` change the amount of work, and
``--no-labels`` leaves out what needs labels. `analyse` runs with its defaults. The set of dates that have documents is
unchanged, so a part of the calendar in which more days have documents is a true burst of a label or a topic, and an
event of one day stays one wherever its day is: *events* are words concentrated on single days, which is all that the
report says of them. Turning points of the volume are not counted.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

import driftline
from benchmarks.measure import STREAMS, print_table, real_data
from driftline.analysis.all_findings import Findings
from driftline.analysis.analyse import analyse
from driftline.streams.stream import Stream

DOCUMENTS = 1500
CHARACTERS = 3000
N_DEALS = 4
SHARE_POSTED_AGAIN = 0.02
TAILS = ("today", "again", "update", "more", "now", "please", "via", "new", "read", "here")


def option(name: str, default: int) -> int:
    """Return the number given as ``--name=N``."""
    given = [argument.split("=")[1] for argument in sys.argv if argument.startswith(f"--{name}=")]
    return int(given[-1]) if given else default


def read(name: str, n_documents: int) -> tuple[np.ndarray, list[str], list[str | None]]:
    """Return times, texts and labels."""
    table = driftline.read(name).table() if Path(name).is_file() else pq.read_table(real_data(name))
    rows = np.sort(np.random.default_rng(0).permutation(len(table))[:n_documents])
    table = table.take(rows)
    texts = [(text or "")[:CHARACTERS] for text in table["text"].to_pylist()]
    has_labels = "label" in table.column_names and "--no-labels" not in sys.argv
    labels = table["label"].to_pylist() if has_labels else [None] * len(texts)
    return table["time"].to_numpy().astype("datetime64[us]"), texts, labels


def dealt(times: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the times with whole days in random order; the time of day stays."""
    day = times.astype("datetime64[D]")
    distinct, index = np.unique(day, return_inverse=True)
    return distinct[rng.permutation(len(distinct))][index] + (times - day)


def posted_again(times: np.ndarray, texts: list[str], labels: list[Any], rng: np.random.Generator) -> list[Any]:
    """Return documents with near-copies of some, on the same day."""
    documents = list(zip(times, texts, labels))
    for time, text, label in list(documents):
        if rng.random() < SHARE_POSTED_AGAIN:
            for _ in range(rng.integers(5, 31)):
                at = time.astype("datetime64[D]") + rng.integers(0, 86_400_000_000).astype("timedelta64[us]")
                documents.append((at, f"{text} {rng.choice(TAILS)}", label))
    return sorted(documents, key=lambda document: document[0])


def claims(documents: list[Any], seed: int = 0) -> dict[str, int]:
    """Return how much each section of the report claims."""
    rows = [(str(i), time, text, label) for i, (time, text, label) in enumerate(documents)]
    found = analyse(Stream.from_documents(rows), random_state=seed)
    tests = found.word_tests
    return {
        "lasting words": tests.n_lasting if tests else 0,
        "events": tests.n_events if tests else 0,
        "headlines": len(found.stories),
        "who wrote": len(found.headlines.compositions),
        "cycles": len(found.cycles),
        "turning points": sum(point.of != "volume" for point in found.turning_points),
        "topic trends": sum(topic.movement != "holds" for topic in found.topics),
        "fast periods": len(found.drift.fastest),
        "word bursts": sum(burst.kind == "lasting" for burst in found.bursts),
        "label and topic bursts": _rate_bursts(found),
        "words in labels": sum(word.kind == "lasting" for label in found.labels for word in label.changed_words),
        "period words": sum(len(period.words) for period in found.periods if period.unit != "document"),
        "moved meanings": len(found.few_labels.words) if found.few_labels else 0,
        "classifiers differ": int(found.classifier is not None and found.classifier.p_value < 0.05),
    }


def _rate_bursts(found: Findings) -> int:
    bursts = [*(each.bursts for each in found.intensities), *(topic.bursts for topic in found.topics)]
    return sum(burst.kind == "lasting" for each in bursts for burst in each)


def main() -> None:
    as_is = "--as-is" in sys.argv
    names = [name for name in sys.argv[1:] if not name.startswith("--")] or STREAMS
    n_documents, n_deals = option("documents", DOCUMENTS), option("deals", N_DEALS)
    rows: list[list[Any]] = []
    for name in names:
        times, texts, labels = read(name, n_documents)
        cases: dict[str, list[list[Any]]] = {}
        if as_is:
            cases["as it is"] = [list(zip(times, texts, labels))]
        else:
            generators = [np.random.default_rng(seed) for seed in range(n_deals)]
            cases["days dealt"] = [list(zip(dealt(times, rng), texts, labels)) for rng in generators]
            cases["and posted again"] = [
                posted_again(dealt(times, rng), texts, labels, rng)
                for rng in (np.random.default_rng(100 + seed) for seed in range(max(n_deals // 2, 1)))
            ]
        for case, deals in cases.items():
            counted = [claims(documents) for documents in deals]
            rows.append(
                [Path(name).stem, case, *(", ".join(str(each[section]) for each in counted) for section in counted[0])]
            )
            print("|", " | ".join(str(cell) for cell in rows[-1]), "|", file=sys.stderr, flush=True)
    sections = list(counted[0])
    print_table(
        f"Claims of the report per section; each number is one shuffle ({n_documents:,} documents per stream)",
        ["stream", "case", *sections],
        rows,
    )


if __name__ == "__main__":
    main()
