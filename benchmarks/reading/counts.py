"""Texts to counts: driftline against scikit-learn's CountVectorizer and HashingVectorizer, each in a fresh process.

    python -m benchmarks.reading.counts [NUMBER OF DOCUMENTS] [--row]

The documents are headlines: real ones combined with each other where the real data is available, else made of
syllables, always from one seed. Times are processor seconds of counting alone (texts in memory, compiled loops loaded);
memory is the rise of the process's peak above the texts while counting. The counts are asserted to be equal.
``--row`` prints the first table only.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measure import DATA, in_fresh_process, print_table

N_DOCUMENTS = 1_000_000
HASHED_COLUMNS = 2**20
NGRAMS = {"ngram_range": (1, 2), "min_df": 5}
_GREEK = str.maketrans("abcdefghijklmnopqrstuvwxyz", "αβγδεφγηιξκλμνοπθρστυωωχψζ")


def headlines(n: int, *, seed: int = 0) -> pa.LargeStringArray:
    """Return `n` headlines, nearly all of them distinct."""
    rng = np.random.default_rng(seed)
    path = DATA / "abc_headlines_2003.parquet"
    base = [text.split() for text in (pq.read_table(path)["text"].to_pylist() if path.exists() else _simulated(rng))]
    first, second = rng.integers(0, len(base), size=(2, n)).tolist()
    style = rng.random(n).tolist()
    rare = rng.integers(0, 10**6, size=n).tolist()
    texts = []
    for a, b, how, number in zip(first, second, style, rare):
        words = base[a][: (len(base[a]) + 1) // 2] + base[b][len(base[b]) // 2 :]
        if how < 0.05:  # names, numbers and misspellings: a vocabulary never stops growing
            words.append(f"{words[0]}{number % 30_000}")
        texts.append(" ".join(words).capitalize() if how < 0.5 else " ".join(words))
    return pa.array(texts, pa.large_string())


def _simulated(rng: np.random.Generator) -> list[str]:
    consonants, vowels = list("bcdfghklmnprstvw"), list("aeiou")
    syllables = [c + v for c in consonants for v in vowels] + [c + v + "n" for c in consonants for v in vowels]
    words = ["".join(rng.choice(syllables, size=rng.integers(1, 4))) for _ in range(15_000)]
    ranks = np.minimum(rng.zipf(1.15, size=20_000 * 7), 10**9) % len(words)
    return [" ".join(words[k] for k in ranks[7 * i : 7 * i + rng.integers(4, 8)]) for i in range(20_000)]


def count(method: str, path: str, options: dict[str, Any]) -> dict[str, Any]:
    """Count the texts of a file by one method; runs in a process of its own."""
    column = pq.read_table(path)["text"]
    texts: Any = column if method == "driftline, Arrow column" else column.to_pylist()
    if method != "driftline, Arrow column":
        column = None
    work = _work(method, texts, options)
    work_on_few = _work(method, texts[:200], {**options, "min_df": 1})
    work_on_few()
    pa.default_memory_pool().release_unused()
    held = _resident_mib()
    _reset_peak()
    start = time.process_time()
    counts, words = work()
    seconds = time.process_time() - start
    return {"seconds": seconds, "memory": _peak_mib() - held, "held": held, **_summary(counts, words)}


def _work(method: str, texts: Any, options: dict[str, Any]) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

    from driftline.text import Tokenizer, count_words

    def ours() -> Any:
        tokenizer = Tokenizer(ngram_range=options.get("ngram_range", (1, 1)))
        counts, vocabulary = count_words(texts, tokenizer, min_df=options.get("min_df", 1))
        return counts, vocabulary

    def vectorizer() -> Any:
        peer = CountVectorizer(**options)
        return peer.fit_transform(texts), peer

    def hashing() -> Any:
        ngrams = options.get("ngram_range", (1, 1))
        peer = HashingVectorizer(n_features=HASHED_COLUMNS, alternate_sign=False, norm=None, ngram_range=ngrams)
        return peer.transform(texts), None

    return {"CountVectorizer": vectorizer, "HashingVectorizer": hashing}.get(method, ours)


def _summary(counts: Any, columns: Any) -> dict[str, Any]:
    """Return what must be equal: a digest of words and counts, and the number of tokens."""
    digest = hashlib.sha256()
    if columns is not None:
        words = columns.words if hasattr(columns, "words") else columns.get_feature_names_out()
        counts.sort_indices()
        digest.update("\0".join(words).encode())
        for array in (counts.indptr, counts.indices, counts.data):
            digest.update(np.ascontiguousarray(array, dtype=np.int64))
    return {"digest": digest.hexdigest(), "n_columns": counts.shape[1], "n_tokens": int(counts.sum())}


def _resident_mib() -> float:
    return _status("VmRSS")


def _peak_mib() -> float:
    return _status("VmHWM")


def _status(name: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) / 1024
    raise SystemExit(f"/proc/self/status has no {name}; the memory of this benchmark is measured on Linux only")


def _reset_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def compare(title: str, texts: pa.LargeStringArray, options: dict[str, Any], *, repeat: int) -> None:
    """Print one table; the best of some repeats for each method, in turns."""
    methods = ["driftline, Arrow column", "driftline, list of str", "CountVectorizer", "HashingVectorizer"]
    best: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "texts.parquet")
        pq.write_table(pa.table({"text": texts}), path)
        for _ in range(repeat):
            for method in methods:
                found, _ = in_fresh_process(count, method, path, options)
                if method not in best or found["seconds"] < best[method]["seconds"]:
                    best[method] = found
    peer = best["CountVectorizer"]
    for method in methods[:2]:
        assert best[method]["digest"] == peer["digest"], f"{method} differs from CountVectorizer"
    rows = []
    for method in methods:
        found = best[method]
        rows.append(
            [
                method,
                f"{len(texts) / found['seconds']:,.0f}",
                f"{peer['seconds'] / found['seconds']:.2f}×",
                f"{found['memory']:,.0f}",
                f"{found['memory'] / peer['memory']:.2f}×",
            ]
        )
    headings = ["method", "documents per CPU second", "speed", "MiB above the texts", "memory"]
    print_table(f"{title} ({len(texts):,} documents, {peer['n_columns']:,} words; equal counts)", headings, rows)


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else N_DOCUMENTS
    source = "crossed from real ones" if (DATA / "abc_headlines_2003.parquet").exists() else "simulated"
    print(f"Counting words: headlines, {source}; speed and memory relative to CountVectorizer.")
    texts = headlines(n)
    if "--row" in sys.argv:
        compare("Words", texts, {}, repeat=1)
        return
    compare("Words", texts, {}, repeat=2)
    some = texts[: max(n // 4, 1)]
    compare("Words and pairs of words, min_df=5", some, NGRAMS, repeat=1)
    greek = pa.array([text.lower().translate(_GREEK).capitalize() for text in some.to_pylist()], pa.large_string())
    compare("Words in Greek letters (no row is ASCII)", greek, {}, repeat=1)


if __name__ == "__main__":
    main()
