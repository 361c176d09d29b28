"""Processor time of two rows per family, now and in an earlier commit, and whether the results are the same bytes.

python -m benchmarks.reliability.house_speed FOLDER    (FOLDER is a checkout of the earlier commit)

A process measures all rows of one commit with one thread, each once to compile and then `REPEATS` times; the processes
of the two commits take turns `ROUNDS` times, and the least processor time of each commit counts.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import print_table

ROOT = Path(__file__).parents[2]
REPEATS, ROUNDS = 3, 2
SLOWER = 1.05
"""Ratio above which a row is slower than the noise of the measurement explains."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS"), "1")


def _public(name: str) -> Any:
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)


def _documents(n: int) -> tuple[Any, list[Any]]:
    wire = _public("driftline.simulate_newswire")(n, random_state=0)
    return wire, list(zip(wire.ids, wire.times, wire.texts, wire.labels.tolist()))


def _corpus(n: int) -> Any:
    wire = _documents(n)[0]
    return _public("driftline.Corpus").from_texts(wire.texts, wire.times), wire.labels


def _changed_words() -> Callable[[], Any]:
    corpus, _ = _corpus(4_000)
    return lambda: _public("driftline.local.changed_words")(corpus.counts, times=corpus.times).p_value


def _local_logistic() -> Callable[[], Any]:
    corpus, labels = _corpus(1_500)
    model = _public("driftline.local.LocalLogisticRegression")(bandwidth="60d")
    return lambda: model.fit(corpus.counts, labels, times=corpus.times).coefficients(corpus.times[::300])


def _topics(name: str) -> Callable[[], Any]:
    corpus, _ = _corpus(3_000)
    model = _public(f"driftline.topics.{name}")(20, random_state=0)
    return lambda: model.fit(corpus.counts).components_


def _word_bursts() -> Callable[[], Any]:
    corpus, _ = _corpus(20_000)
    found = _public("driftline.intensity.WordBursts")()
    return lambda: found.fit(corpus.counts, times=corpus.times).bursts_["weight"].to_numpy()


def _intensity_tracker() -> Callable[[], Any]:
    rng = np.random.default_rng(0)
    times, evidence = np.cumsum(rng.exponential(size=3_000)), rng.normal(size=(3_000, 3))
    tracker = _public("driftline.intensity.IntensityTracker")(inference="ep", random_state=0)
    return lambda: tracker.fit(evidence, times=times).topic_proba_


def _frames(name: str, **options: Any) -> Callable[[], Any]:
    corpus, labels = _corpus(2_000)
    shown = np.where(np.random.default_rng(0).random(len(labels)) < 0.1, np.asarray(labels, dtype=object), None)
    model = _public(f"driftline.{name}")(**options)
    return lambda: model.fit(corpus.counts, shown, times=corpus.times, every="1mo").label_distributions_


def _coding(name: str) -> Callable[[], Any]:
    corpus, _ = _corpus(600)
    if name == "LocallyWeightedBagOfWords":
        words = [np.repeat(row.indices, row.data.astype(int)) for row in corpus.counts]
        model = _public(f"driftline.coding.{name}")()
        return lambda: model.fit(words).transform(words).sum(axis=0)
    model = _public(f"driftline.coding.{name}")(10, random_state=0)
    return lambda: model.fit(corpus.counts).topics_


def _count_words() -> Callable[[], Any]:
    wire = _documents(8_000)[0]
    return lambda: _public("driftline.Corpus").from_texts(wire.texts, wire.times).counts.data


def _read_file() -> Callable[[], Any]:
    path = Path(tempfile.mkdtemp()) / "stories.jsonl"
    rows = ({"id": str(i), "time": str(t), "text": x} for i, t, x, _ in _documents(8_000)[1])
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return lambda: _public("driftline.read")(str(path)).table()["text"].to_pylist()


def _label() -> Callable[[], Any]:
    corpus, labels = _corpus(1_500)
    shown = np.where(np.arange(len(labels)) % 10 == 0, np.asarray(labels, dtype=object), None)
    model = _public("driftline.EvolutionaryClassifier")()

    def frames() -> Any:
        classes = np.unique(np.asarray(labels, dtype=str))
        model.__dict__.pop("n_frames_", None)
        for part in np.array_split(np.arange(len(labels)), 6):
            model.partial_fit(corpus.counts[part], shown[part], classes=classes)
            model.suggest(5)
        return model.label_distributions_

    return frames


def _analyse() -> Callable[[], Any]:
    documents = _documents(800)[1]
    stream = _public("driftline.Stream").from_documents(documents)
    return lambda: len(_public("driftline.analyse")(stream).changed_words)


def _report() -> Callable[[], Any]:
    findings = _public("driftline.analyse")(_public("driftline.Stream").from_documents(_documents(800)[1]))
    return lambda: len(_public("driftline.report.page.render")(findings)) > 0


ROWS: dict[str, tuple[str, Callable[[], Callable[[], Any]]]] = {
    "words that changed, 4,000 stories": ("local", _changed_words),
    "local logistic regression": ("local", _local_logistic),
    "evolutionary classifier": ("evolving", lambda: _frames("EvolutionaryClassifier")),
    "manifold classifier": ("evolving", lambda: _frames("ManifoldClassifier")),
    "bursts of words": ("intensity", _word_bursts),
    "intensities, expectation propagation": ("intensity", _intensity_tracker),
    "LDA, 20 topics": ("topics", lambda: _topics("LDA")),
    "PLSA, 20 topics": ("topics", lambda: _topics("PLSA")),
    "sparse topical coding": ("coding", lambda: _coding("SparseTopicalCoding")),
    "locally weighted bags of words": ("coding", lambda: _coding("LocallyWeightedBagOfWords")),
    "frames, with suggestions": ("labelling", _label),
    "count the words of 8,000 stories": ("reading", _count_words),
    "read 8,000 lines of JSON": ("reading", _read_file),
    "analyse 800 stories": ("report", _analyse),
    "render their report": ("report", _report),
}
"""Row → its family, and what prepares the work that is measured."""


def measured(name: str) -> dict[str, Any]:
    """Return the least processor time of a row, and a digest of its result."""
    work = ROWS[name][1]()
    result = np.ascontiguousarray(np.asarray(work()))
    taken = []
    for _ in range(REPEATS):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    content = result.tobytes() if result.dtype != object else "\n".join(map(str, result.tolist())).encode()
    return {"seconds": min(taken), "digest": hashlib.sha256(content).hexdigest()}


def in_tree(tree: Path, names: list[str]) -> dict[str, dict[str, Any]]:
    """Measure rows with the sources of one tree."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.reliability.house_speed", "--rows", *names]
    path = os.pathsep.join([str(tree / "src"), str(ROOT)])
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": path}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"a row failed in {tree.name}:\n{done.stderr[-2_000:]}")
    found: dict[str, dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    print(tree.name, {name: round(row["seconds"], 3) for name, row in found.items()}, file=sys.stderr, flush=True)
    return found


def main() -> None:
    """Measure all rows in both trees in turn, and print the ratios."""
    if sys.argv[1:2] == ["--rows"]:
        print(json.dumps({name: measured(name) for name in sys.argv[2:]}))
        return
    trees = (Path(sys.argv[1]).resolve(), ROOT)
    names = sys.argv[2:] or list(ROWS)
    rounds = [[in_tree(tree, names) for tree in trees] for _ in range(ROUNDS)]
    rows, slow = [], []
    for name in names:
        before, now = (min(one[place][name]["seconds"] for one in rounds) for place in (0, 1))
        same = len({each[name]["digest"] for one in rounds for each in one}) == 1
        slow += [name] if now > SLOWER * before else []
        numbers = [f"{before:.3f}", f"{now:.3f}", f"{now / before:.2f}"]
        rows.append([ROWS[name][0], name, *numbers, "yes" if same else "no"])
    headings = ["family", "row", "before, s", "now, s", "now / before", "same result"]
    print_table("Two rows per family, before and after the folders were rearranged", headings, rows)
    print(f"\nSlower than {SLOWER}: {', '.join(slow) or 'none'}.")


if __name__ == "__main__":
    main()
