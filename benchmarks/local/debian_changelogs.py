"""Labelled streams that every Debian system has: the changelogs of its packages, for `python -m benchmarks.strangers`.

    python -m benchmarks.local.debian_changelogs FOLDER

Every entry of `/usr/share/doc/*/changelog.Debian.gz` is a document, dated by its last line, and counted once even if
several packages share it. One file has the section of the package as the label, one the urgency of the upload, one the
maintainer; those with few documents are left out. On a system without such changelogs nothing is written.
"""

from __future__ import annotations

import datetime
import email.utils
import gzip
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

CHANGELOGS = Path("/usr/share/doc")
MOST_LABELS = {"section": 8, "urgency": 3, "maintainer": 6}
_HEAD = re.compile(r"(\S+) \(([^)]+)\) [^;]+; *urgency=(\w+)")


class Entry(NamedTuple):
    """An upload of a package."""

    time: datetime.datetime
    text: str
    section: str
    urgency: str
    maintainer: str


def sections() -> dict[str, str]:
    """Return the section of every installed package."""
    command = ["dpkg-query", "-W", "-f", "${Package}\\t${Section}\\n"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return dict(line.split("\t") for line in listed.splitlines())


def entries(files: list[Path], section_of: dict[str, str]) -> Iterator[Entry]:
    """Yield every upload once, in the order of the files."""
    seen = set()
    for file in files:
        head, lines = None, []
        for line in gzip.decompress(file.read_bytes()).decode(errors="replace").splitlines(keepends=True):
            if match := _HEAD.match(line):
                head, lines = match, []
            elif line.startswith(" -- ") and head is not None:
                who, _, when = line[4:].strip().rpartition("  ")
                time = _parsed(when)
                if time is not None and head.group(1, 2) not in seen:
                    seen.add(head.group(1, 2))
                    section = section_of.get(file.parent.name, "").rpartition("/")[2]
                    yield Entry(time, "".join(lines), section, head[3].lower(), who.partition("<")[0].strip())
            else:
                lines.append(line)


def _parsed(written: str) -> datetime.datetime | None:
    try:
        return email.utils.parsedate_to_datetime(written).astimezone(datetime.UTC)
    except ValueError:
        return None


def main() -> None:
    """Write a Parquet file for every kind of label."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    files = sorted(CHANGELOGS.glob("*/changelog.Debian.gz"))
    if not files or shutil.which("dpkg-query") is None:
        print("skipped: this system has no changelogs of Debian packages")
        return
    found = sorted(entries(files, sections()), key=lambda entry: entry.time)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for kind, most in MOST_LABELS.items():
        labels = Counter(name for entry in found if (name := getattr(entry, kind)))
        kept = [entry for entry in found if getattr(entry, kind) in dict(labels.most_common(most))]
        columns = {
            "time": [e.time for e in kept],
            "text": [e.text for e in kept],
            "label": [getattr(e, kind) for e in kept],
        }
        pq.write_table(pa.table(columns), folder / f"debian_{kind}.parquet")
        print(f"debian_{kind}: {len(kept):,} documents, {len(files):,} changelogs")


if __name__ == "__main__":
    main()
