"""CPU seconds and peak memory of every command as the source grows, each run in a process of its own.

    python -m benchmarks.reliability.growth                       the rows up to 100,000 documents
    python -m benchmarks.reliability.growth --largest 1000000     larger ones as well
    python -m benchmarks.reliability.growth --rows read-1000000,topics-100000

Memory is the peak resident size (VmHWM) of the process. CPU seconds are user and system time of all its threads. The
last column compares the CPU seconds with those of the next smaller source: beside it stands how much larger this is.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

MOST_MEMORY = 4 * 2**30
CLASSES = ("markets", "health", "sport", "politics")
SIZES = (10_000, 100_000, 1_000_000)
RUN = [sys.executable, "-c", "from driftline.cli.main import main; main()"]


class Row(NamedTuple):
    """One run: its name, what grows and how large it is, how the source is made, and the command."""

    name: str
    group: str
    size: int
    make: Callable[[Path, int], None]
    command: Callable[[Path], list[str]]


class Cost(NamedTuple):
    """What a run took."""

    cpu_seconds: float
    peak_bytes: int
    outcome: int


def write_stories(path: Path, n: int, *, words: int = 30, vocabulary: int = 20_000, labelled: float = 0.02) -> None:
    """Write n stories of four classes over three years: each class has words of its own, which drift."""
    rng = np.random.default_rng(1)
    names = np.array([f"w{i:x}" for i in range(vocabulary)])
    with open(path, "w", encoding="utf-8") as file:
        for first in range(0, n, 10_000):
            size = min(10_000, n - first)
            kinds = rng.integers(0, len(CLASSES), size)
            ranks = np.minimum(rng.zipf(1.3, (size, words)), vocabulary) - 1
            drift = (first + np.arange(size)) * 50 // max(n, 1)
            own = rng.random((size, words)) < 0.3
            ids = np.where(own, (ranks * 7 + kinds[:, None] * 1000 + drift[:, None]) % vocabulary, ranks)
            days = (first + np.arange(size)) * (3 * 365 * 86_400) // max(n, 1)
            moments = np.datetime_as_string(np.datetime64("2021-01-01T00:00:00") + days.astype("timedelta64[s]"))
            known = rng.random(size) < labelled
            for i in range(size):
                record = {"id": first + i, "time": str(moments[i]), "text": " ".join(names[ids[i]])}
                if known[i]:
                    record["label"] = CLASSES[kinds[i]]
                file.write(json.dumps(record) + "\n")


def write_short(path: Path, n: int) -> None:
    """Write n stories of six words."""
    write_stories(path, n, words=6, vocabulary=5_000, labelled=0.0)


def write_posts(path: Path, n: int) -> None:
    """Write n posts of 300 accounts over three years, with links, @names, #tags, reposts and one repeated text.

    Two words come and go: one appears in the second half, another on a single day.
    """
    rng = np.random.default_rng(2)
    names = np.array([f"w{i:x}" for i in range(20_000)])
    with open(path, "w", encoding="utf-8") as file:
        for i in range(n):
            words = list(names[np.minimum(rng.zipf(1.3, 8), len(names)) - 1])
            kind, account = rng.random(), int(rng.integers(300))
            if kind < 0.05:
                words = ["follow", "us", "for", "more", "news", "every", "day"]
            elif kind < 0.2:
                words = [f"RT @user{rng.integers(300)}:", *words]
            elif kind < 0.4:
                words.append(f"@user{rng.integers(300)}")
            if kind > 0.5:
                words.append(f"https://t.co/{rng.integers(2**40):x}")
            if rng.random() < 0.02 and 2 * i > n:
                words.append("#comet")
            day = i * 3 * 365 // n
            if day == 400 and rng.random() < 0.2:
                words.append("quake")
            moment = np.datetime64("2021-01-01T00:00:00") + i * (3 * 365 * 86_400) // n
            record = {"time": str(moment), "text": " ".join(words), "account": f"user{account}"}
            file.write(json.dumps(record) + "\n")


def write_vocabulary(path: Path, n: int) -> None:
    """Write stories with n different words in all, each of them in two stories that share no other word."""
    n_stories = -(-n // 50)
    with open(path, "w", encoding="utf-8") as file:
        for turn in range(2):
            for story in range(n_stories):
                words = range(50 * story, 50 * story + 50) if turn == 0 else range(story, n, n_stories)
                text = " ".join(f"x{i:x}" for i in words if i < n)
                month = 1 + 11 * story // n_stories
                file.write(json.dumps({"time": f"{2021 + turn}-{month:02d}-15", "text": text}) + "\n")


def write_labels(path: Path, n: int) -> None:
    """Write n stories, each with a label of its own."""
    with open(path, "w", encoding="utf-8") as file:
        for i in range(n):
            file.write(f'{{"time": {1_600_000_000 + i}, "text": "story number {i}", "label": "class {i}"}}\n')


def write_long(path: Path, n: int) -> None:
    """Write one story of n bytes among ten short ones."""
    with open(path, "w", encoding="utf-8") as file:
        for i in range(10):
            file.write(json.dumps({"time": f"2021-01-{i + 1:02d}", "text": f"story number {i}"}) + "\n")
        words = " ".join(f"w{i % 5000}" for i in range(n // 6))
        file.write(json.dumps({"time": "2021-02-01", "text": words[:n]}) + "\n")


def write_bytes(path: Path, n: int) -> None:
    """Write a file of n bytes."""
    line = json.dumps({"time": "2021-01-01", "text": "word " * 180}) + "\n"
    block = (line * 1000).encode()
    with open(path, "wb") as file:
        for _ in range(n // len(block)):
            file.write(block)


def rows() -> Iterator[Row]:
    """Yield every row; the name of one ends in its size."""

    def command(*parts: str) -> Callable[[Path], list[str]]:
        return lambda folder: [*RUN, parts[0], str(folder / "source.jsonl"), *parts[1:]]

    def counted(folder: Path) -> list[str]:
        source = str(folder / "source.jsonl")
        program = (
            "import sys, driftline\n"
            "corpus = driftline.Corpus.from_stream(driftline.read(sys.argv[1], max_record_bytes=2**28))\n"
            "assert len(corpus) == 11, len(corpus)"
        )
        return [sys.executable, "-c", program, source]

    commands = {
        "read": command("read"),
        "report": command("report", "-o", "report.html"),
        "topics": command("topics", "-k", "20"),
        "bursts": command("bursts"),
        "label": command("label", "-o", "answers.jsonl"),
    }
    for size in SIZES:
        for name, made in commands.items():
            yield Row(f"{name}-{size}", name, size, write_stories, made)
        watching = ["--train", "train.jsonl", "--once", "--state", "state", "--output", "seen.txt"]
        yield Row(f"watch-{size}", "watch", size, _with_training, command("watch", *watching))
    yield Row("report-short-500000", "report of short stories", 500_000, write_short, commands["report"])
    yield Row("report-short-5000000", "report of short stories", 5_000_000, write_short, commands["report"])
    for size in (100_000, 1_000_000):
        yield Row(f"report-posts-{size}", "report of posts", size, write_posts, commands["report"])
    for size in (500_000, 5_000_000):
        yield Row(f"vocabulary-{size}", "report, words", size, write_vocabulary, commands["report"])
    for size in (100_000, 1_000_000):
        yield Row(f"labels-{size}", "read, labels", size, write_labels, commands["read"])
    for size in (5_000_000, 50_000_000):
        yield Row(f"long-{size}", "one document, bytes", size, write_long, counted)
    for size in (200_000_000, 2_000_000_000):
        yield Row(f"file-{size}", "read, bytes", size, write_bytes, commands["read"])


def _with_training(path: Path, n: int) -> None:
    write_stories(path, n)
    write_stories(path.with_name("train.jsonl"), 2_000, labelled=1.0)


def make(name: str, folder: str) -> None:
    """Write the source of a row."""
    row = next(row for row in rows() if row.name == name)
    row.make(Path(folder, "source.jsonl"), row.size)


def run(row: Row) -> Cost:
    """Make the source in a folder of its own, run the command, and remove both."""
    with tempfile.TemporaryDirectory() as folder:
        # In a process of its own: a child begins with the peak of the process that starts it.
        program = "import sys; from benchmarks.reliability.growth import make; make(*sys.argv[1:])"
        subprocess.run([sys.executable, "-c", program, row.name, folder], check=True)
        with open(Path(folder, "output"), "wb") as output:
            process = subprocess.Popen(row.command(Path(folder)), cwd=folder, stdout=output, stderr=output)
            _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.stderr.write(Path(folder, "output").read_text(encoding="utf-8", errors="replace")[-2000:])
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, process.returncode)


def main() -> None:
    """Run the requested rows and print them as a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reliability.growth")
    parser.add_argument("--rows", help="names of rows, separated by commas")
    parser.add_argument("--largest", type=int, default=100_000, help="rows of at most this size (default 100000)")
    arguments = parser.parse_args(sys.argv[1:])
    known = {row.name: row for row in rows()}
    names = (
        arguments.rows.split(",")
        if arguments.rows
        else [n for n, row in known.items() if row.size <= arguments.largest]
    )
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"there is no row {unknown[0]!r}; there are {', '.join(known)}")
    print(
        "| row | size | CPU s | peak MB | CPU s per 10,000 | against the next smaller |\n|---|---|---|---|---|---|",
        flush=True,
    )
    smaller: dict[str, tuple[int, float]] = {}
    for row in (known[name] for name in names):
        cost = run(row)
        growth = ""
        if row.group in smaller:
            size, seconds = smaller[row.group]
            growth = f"{cost.cpu_seconds / max(seconds, 1e-9):.1f} × for {row.size / size:.0f} × the size"
        smaller[row.group] = (row.size, cost.cpu_seconds)
        problems = [f"exit code {cost.outcome}"] * bool(cost.outcome) + ["above 4 GB"] * (cost.peak_bytes > MOST_MEMORY)
        print(
            f"| {row.group} | {row.size:,} | {cost.cpu_seconds:.1f} | {cost.peak_bytes / 2**20:,.0f} | "
            f"{cost.cpu_seconds / row.size * 1e4:.4f} | {'; '.join(filter(None, [growth, *problems]))} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
