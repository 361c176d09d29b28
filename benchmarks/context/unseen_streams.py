"""Streams on which nothing was chosen, with authors or packages as units: chance differences, and planted ones.

Changelogs of Debian packages (`/usr/share/doc/*/changelog.Debian.gz` of the machine; an entry is a document, its unit
the maintainer or the package), quotations in English and in German (the Debian packages `fortunes` and `fortunes-de`,
unpacked in a folder; the unit is the author). At most `DOCUMENTS` documents of whole units drawn at random, and topics
of one LDA each. Units are assigned to A and B at random, a half or a quarter of them to A. Every table has each method
with these units and, as its rival, with documents as units, which is what most tools do.

Chance: A and B do not differ, so every difference is false: p-values below 0.05, and splits in which any topic or word
is named at a false discovery rate of 5 %. Planted topics: every document of A gets a tenth more words, drawn from one
topic, so that the true differences of all shares are known: how often 95 % intervals contain them, and how often the
planted topic is named. Planted words: of `PLANTED` words that many units use, documents of A lose 60 % of the uses:
how many of them `contrasts` names, and the share of words that it names which are not planted.

    python -m benchmarks.context.unseen_streams FOLDER_OF_UNPACKED_PACKAGES [PART OF A STREAM'S NAME]
"""

from __future__ import annotations

import gzip
import re
import sys
import warnings
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.stats import false_discovery_control

from benchmarks.measure import print_table
from driftline.text import count_words
from driftline.topics import LDA, contrasts, coverage, effects

DOCUMENTS, N_TOPICS, N_SPLITS, N_WORD_SPLITS = 4000, 10, 20, 10
MORE, PLANTED, LOST = 0.1, 20, 0.6
"""Share of words that are added to documents of A; number of planted words; share of their uses that A loses."""
LEAST_UNITS = 10
"""Minimum number of units that use a planted word."""
CHANGELOGS = Path("/usr/share/doc")
SIGNED = re.compile(r"^ -- (.*?) <[^>]*>\s+(.*)$")
QUOTED = re.compile(r"^\s*-- ?([^,(\[\n]+)", re.MULTILINE)


class Stream(NamedTuple):
    """Counts, the unit of every document, and its kind."""

    counts: sp.csr_array
    unit: np.ndarray
    kind: str


def changelogs() -> Iterator[tuple[str, str, str]]:
    """Yield text, maintainer and package of every entry with a readable date."""
    for path in sorted(CHANGELOGS.glob("*/changelog.Debian.gz")):
        lines: list[str] = []
        for line in gzip.decompress(path.read_bytes()).decode("utf-8", "replace").splitlines():
            signed = SIGNED.match(line)
            if signed is None:
                lines.append(line if line.startswith(" ") else "")
                continue
            try:
                parsedate_to_datetime(signed[2])
            except ValueError:
                lines = []
                continue
            yield "\n".join(lines).strip(), signed[1].strip(), path.parent.name
            lines = []


def quotations(files: list[Path]) -> Iterator[tuple[str, str]]:
    """Yield text and author of every quotation that names one."""
    for path in files:
        for one in path.read_bytes().decode("utf-8", "replace").split("\n%\n"):
            found = list(QUOTED.finditer(one))
            if found and found[-1][1].strip():
                yield one[: found[-1].start()], " ".join(found[-1][1].split())


def drawn(pairs: list[tuple[str, str]], kind: str) -> Stream:
    """Return the counts of whole units drawn at random, with at most `DOCUMENTS` documents."""
    index = np.unique([unit for _, unit in pairs], return_inverse=True)[1]
    size = np.bincount(index)
    order = np.random.default_rng(0).permutation(len(size))
    rows = np.flatnonzero(np.isin(index, order[np.cumsum(size[order]) <= DOCUMENTS]))
    counts = sp.csr_array(count_words([pairs[row][0] for row in rows], min_df=5, max_df=0.5)[0]).astype(float)
    return Stream(counts, np.unique(index[rows], return_inverse=True)[1], kind)


def streams(folder: Path) -> Iterator[tuple[str, Stream]]:
    entries = list(changelogs())
    yield "changelogs, by maintainer", drawn([(text, author) for text, author, _ in entries], "maintainer")
    yield "changelogs, by package", drawn([(text, package) for text, _, package in entries], "package")
    games = folder / "usr/share/games/fortunes"
    english = sorted(path for path in games.iterdir() if path.is_file() and not path.suffix and path.name.isalpha())
    yield "quotations, English", drawn(list(quotations(english)), "author")
    yield "quotations, German", drawn(list(quotations([games / "de" / "zitate"])), "author")


def split(stream: Stream, seed: int) -> np.ndarray:
    """Return which documents are in A: those of a half or a quarter of the units."""
    n = int(stream.unit.max()) + 1
    chosen = np.random.default_rng(seed).permutation(n)[: n // (2 if seed % 2 else 4)]
    return np.isin(stream.unit, chosen)


def by_chance(model: LDA, stream: Stream, unit: object) -> list[str]:
    rows = []
    for seed in range(N_SPLITS):
        in_a = split(stream, seed)
        shares = coverage(model, stream.counts, by=in_a, unit=unit)
        fitted = effects(model, stream.counts, "set", data={"set": in_a.astype(str)}, unit=unit).term_p_value[:, 0]
        named = [shares.differs.any(), (false_discovery_control(fitted) <= 0.05).any()]
        words = np.nan
        if seed < N_WORD_SPLITS:
            words = float(contrasts(model, stream.counts, between=in_a, unit=unit, random_state=seed).differs.any())
        rows.append([(shares.p_value[0] < 0.05).mean(), (fitted < 0.05).mean(), *named, words])
    return [f"{value:.1%}" for value in np.nanmean(np.array(rows, dtype=float), axis=0)]


def with_topic(model: LDA, stream: Stream, in_a: np.ndarray, topic: int, seed: int) -> sp.csr_array:
    """Return the counts with a tenth more words in the documents of A, from a topic."""
    rng, rows = np.random.default_rng(seed), np.flatnonzero(in_a)
    lengths = np.asarray(stream.counts.sum(axis=1)).ravel()[rows]
    more = rng.poisson(MORE * lengths)
    words = rng.choice(stream.counts.shape[1], more.sum(), p=model.components_[topic])
    added = sp.csr_array((np.ones(len(words)), (np.repeat(rows, more), words)), shape=stream.counts.shape)
    return sp.csr_array(stream.counts + added)


def planted_topics(model: LDA, stream: Stream, unit: object) -> list[str]:
    overall = coverage(model, stream.counts, by=np.zeros(len(stream.unit), dtype=int), unit="document").share[0]
    rows = []
    for seed in range(N_SPLITS):
        in_a, topic = split(stream, seed), seed % N_TOPICS
        counts = with_topic(model, stream, in_a, topic, seed)
        truth = MORE / (1 + MORE) * (np.eye(N_TOPICS)[topic] - overall)
        shares = coverage(model, counts, by=in_a, unit=unit)
        row = shares.contexts.index("True")
        fitted = effects(model, counts, "set", data={"set": in_a.astype(str)}, unit=unit)
        low, high = shares.difference_lower[row], shares.difference_upper[row]
        rows.append(
            [
                ((low <= truth) & (truth <= high)).mean(),
                ((fitted.lower[:, 1] <= truth) & (truth <= fitted.upper[:, 1])).mean(),
                shares.differs[row, topic],
                false_discovery_control(fitted.term_p_value[:, 0])[topic] <= 0.05,
            ]
        )
    return [f"{value:.1%}" for value in np.mean(np.array(rows, dtype=float), axis=0)]


def planted_words(model: LDA, stream: Stream, unit: object) -> list[str]:
    n_units = int(stream.unit.max()) + 1
    gather = sp.csr_array((np.ones(len(stream.unit)), (stream.unit, np.arange(len(stream.unit)))))
    users = np.asarray(((gather @ stream.counts) > 0).sum(axis=0)).ravel()
    candidates = np.flatnonzero((users >= LEAST_UNITS) & (users <= n_units / 2))
    found, false, named = [], 0, 0
    for seed in range(N_WORD_SPLITS):
        rng, in_a = np.random.default_rng(seed), split(stream, 2 * seed + 1)
        words = rng.choice(candidates, PLANTED, replace=False)
        counts = stream.counts.tocoo()
        changed = np.isin(counts.col, words) & in_a[counts.row]
        data = counts.data.copy()
        data[changed] = rng.binomial(data[changed].astype(np.int64), 1 - LOST)
        X = sp.csr_array((data, (counts.row, counts.col)), shape=counts.shape)
        X.eliminate_zeros()
        result = contrasts(model, X, between=in_a, unit=unit, random_state=seed)
        differ = result.columns[result.differs]
        found.append(np.isin(words, differ).mean())
        false, named = false + int((~np.isin(differ, words)).sum()), named + len(differ)
    return [f"{np.mean(found):.0%}", f"{false / named:.0%} of {named}" if named else "none named"]


def main() -> None:
    print(__doc__)
    warnings.simplefilter("ignore")
    folder, wanted = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    tables: list[list[list[object]]] = [[], [], []]
    for name, stream in streams(folder):
        if wanted not in name:
            continue
        model = LDA(N_TOPICS, random_state=0).fit(stream.counts)
        n_units, size = int(stream.unit.max()) + 1, stream.counts.shape[0]
        for kind, unit in ((stream.kind, stream.unit), ("document", "document")):
            first = [name, size, n_units, kind]
            for table, method in zip(tables, (by_chance, planted_topics, planted_words)):
                table.append([*first, *method(model, stream, unit)])
                print(table[-1], file=sys.stderr, flush=True)
    heads = ["stream", "documents", "units", "units of the test"]
    print_table(
        f"By chance, {N_SPLITS} random splits ({N_WORD_SPLITS} for `contrasts`)",
        [*heads, "p < 0.05, `coverage`", "p < 0.05, `effects`", "any topic, `coverage`", "any topic, `effects`",
         "any word, `contrasts`"],
        tables[0],
    )  # fmt: skip
    print_table(
        f"A tenth more words from one topic, {N_SPLITS} splits: true differences inside 95 % intervals; topic named",
        [*heads, "inside, `coverage`", "inside, `effects`", "named, `coverage`", "named, `effects`"],
        tables[1],
    )
    print_table(
        f"{PLANTED} words less frequent in A, {N_WORD_SPLITS} splits: share of them that `contrasts` names",
        [*heads, "planted words named", "named, but not planted"],
        tables[2],
    )


if __name__ == "__main__":
    main()
