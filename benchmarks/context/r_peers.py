"""R's `stm` and `keyATM` beside `effects`, `coverage` and the guided LDA, on the same documents.

First, what `estimateEffect` of stm and our `effects` and `coverage` find in documents of two groups (`simulated.py`):
slope of the estimated differences on the truth (1 is right), and coverage of 95 % intervals of the difference. Both
systems learn ten topics, which are matched to the true ones by their cosine; ours are also given the true topics,
which stm cannot be: it can start with them (a row of its own), but changes them. stm has `prevalence = ~group`, the
spectral start that it recommends, `uncertainty = "Global"` and its other defaults; the LDA has its defaults. `effects`
is also given the topics that stm learned, which separates the topics from the regression. The simple rival is the
difference of the LDA's mean posterior shares. Then keyATM (`base`, 1,500 sweeps, as many topics without words as with
them) and the guided LDA with the same words, counts and number of topics: a tenth of the 20 newsgroups. Settings were
fixed before the run; the row of 300 epochs was added after it, when the LDA's topics had been found to be worse than
those of stm. Documents are drawn from Dirichlet shares, as the LDA assumes, not from the logistic normal shares of
stm. Processor seconds are those of fit and estimate, without reading and writing.

The R packages are looked for in the folder that `DRIFTLINE_R_LIBRARY` names, and in R's own; rows of those that are
not installed are left out, with a sentence.

    DRIFTLINE_R_LIBRARY=FOLDER python -m benchmarks.context.r_peers [stm | keyatm | --row]
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import scipy.io
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment

from benchmarks.context.coverage import N_REFITS, of_means
from benchmarks.context.simulated import N_TOPICS, TwoGroups, two_groups
from benchmarks.guidance.keyword_models import KEYATM_SWEEPS, SHARE, by_complement, guided, top_ten
from benchmarks.guidance.newsgroups import Newsgroups, newsgroups
from benchmarks.guidance.words import N_GROUPS, scores, with_error
from benchmarks.measure import measure, print_table
from driftline.topics import LDA, coverage, effects

PROGRAM = Path(__file__).with_name("r_peers.R")
N_WORDS, N_DOCUMENTS = (40, 200), 1500
SEEDS = range(8)
LONG = 300
"""Epochs of a longer fit: ten times the default."""
OUR_SEEDS, KEYATM_SEEDS = range(5), range(3)


class Answer(NamedTuple):
    """What R has written: arrays without their shape, and processor seconds."""

    arrays: dict[str, np.ndarray]
    seconds: float


class Difference(NamedTuple):
    """Share in A less that in B, with its interval, for every learned topic; the topics; processor seconds."""

    estimate: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    topics: np.ndarray
    seconds: float


def environment() -> dict[str, str]:
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    return {**os.environ, **one, "R_LIBS": os.environ.get("DRIFTLINE_R_LIBRARY", "")}


def version_of(package: str) -> str | None:
    """Return the version of an R package, or print a sentence if there is none."""
    if shutil.which("Rscript") is None:
        print(f"\nRscript is not installed: the rows of {package} are left out.")
        return None
    asked = f'suppressPackageStartupMessages(library({package})); cat(as.character(packageVersion("{package}")))'
    done = subprocess.run(["Rscript", "-e", asked], env=environment(), capture_output=True, text=True)
    if done.returncode:
        print(f"\nThe R package {package} is not installed (see DRIFTLINE_R_LIBRARY): its rows are left out.")
        return None
    return done.stdout.strip().splitlines()[-1]


def ask_r(package: str, counts: Any, inputs: dict[str, str | bytes], answers: tuple[str, ...]) -> Answer:
    """Run the R program on these counts; `inputs` are further files that it reads."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scipy.io.mmwrite(folder / "counts.mtx", sp.coo_matrix(counts), field="integer")
        for file, content in inputs.items():
            (folder / file).write_bytes(content if isinstance(content, bytes) else f"{content}\n".encode())
        done = subprocess.run(
            ["Rscript", str(PROGRAM), package, name], env=environment(), capture_output=True, text=True
        )
        if done.returncode:
            raise SystemExit(f"{package} ended with an error:\n{done.stderr}")
        arrays = {each: np.fromfile(folder / each) for each in answers}
        return Answer(arrays, float(np.fromfile(folder / "seconds")[0]))


def by_stm(drawn: TwoGroups, seed: int, start: np.ndarray | None = None) -> Difference:
    """Return the effect of the group by stm, with the spectral start or from these topics."""
    used = np.flatnonzero(np.asarray(drawn.counts.sum(axis=0)).ravel())
    inputs: dict[str, str | bytes] = {"seed": str(seed + 1), "n_topics": str(N_TOPICS)}
    inputs["group"] = "\n".join(map(str, drawn.group))
    if start is not None:
        inputs["start"] = np.ascontiguousarray(start[:, used] / start[:, used].sum(axis=1)[:, None]).tobytes()
    answer = ask_r("stm", drawn.counts[:, used], inputs, ("effects", "topics"))
    topics = np.zeros((N_TOPICS, drawn.counts.shape[1]))
    topics[:, used] = answer.arrays["topics"].reshape(N_TOPICS, -1)
    estimate, lower, upper = answer.arrays["effects"].reshape(N_TOPICS, 3).T
    return Difference(-estimate, -upper, -lower, topics, answer.seconds)  # B less A: the sign changes


def by_effects(model: Any, drawn: TwoGroups, before: float) -> Difference:
    """Return the effect of the group; `before` are the seconds that the model took."""
    found, cost = measure(lambda: effects(model, drawn.counts, "group", data={"group": drawn.group.astype(str)}))
    of_b = (found.coefficient[:, 1], found.upper[:, 1], found.lower[:, 1])
    return Difference(*(-each for each in of_b), model.components_, before + cost.cpu_seconds)


def by_coverage(model: Any, drawn: TwoGroups, before: float, **options: Any) -> Difference:
    found, cost = measure(lambda: coverage(model, drawn.counts, by=drawn.group, **options))
    interval = (found.difference_lower[0], found.difference_upper[0])
    return Difference(found.difference[0], *interval, model.components_, before + cost.cpu_seconds)


def by_mean_shares(model: LDA, drawn: TwoGroups, before: float) -> Difference:
    (share, half), cost = measure(lambda: of_means(model.transform(drawn.counts), drawn.group))
    estimate, width = share[0] - share[1], np.hypot(*half)
    return Difference(estimate, estimate - width, estimate + width, model.components_, before + cost.cpu_seconds)


def differences(drawn: TwoGroups, seed: int, has_stm: bool) -> Iterator[tuple[str, Difference]]:
    if has_stm:
        found = by_stm(drawn, seed)
        yield "stm, `estimateEffect`, its own topics", found
        theirs = SimpleNamespace(components_=found.topics)
        yield "`effects`, topics learned by stm", by_effects(theirs, drawn, found.seconds)
        yield "stm, the same, started with the true topics", by_stm(drawn, seed, drawn.topics)
    model, cost = measure(lambda: LDA(N_TOPICS, random_state=seed).fit(drawn.counts))
    learned = cost.cpu_seconds
    yield "mean posterior shares, topics learned by LDA", by_mean_shares(model, drawn, learned)
    yield "`effects`, topics learned by LDA", by_effects(model, drawn, learned)
    yield "`coverage`, topics learned by LDA", by_coverage(model, drawn, learned)
    refits = {"uncertainty": "topics", "n_refits": N_REFITS, "random_state": seed}
    yield '`coverage`, the same, `uncertainty="topics"`', by_coverage(model, drawn, learned, **refits)
    longer, cost = measure(lambda: LDA(N_TOPICS, max_epochs=LONG, tolerance=0.0, random_state=seed).fit(drawn.counts))
    yield f"`effects`, topics learned by LDA in {LONG} epochs", by_effects(longer, drawn, cost.cpu_seconds)
    known = SimpleNamespace(components_=drawn.topics)
    yield "`effects`, topics given", by_effects(known, drawn, 0.0)
    yield "`coverage`, topics given", by_coverage(known, drawn, 0.0)


def matched(found: np.ndarray, true: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the found topic of every true one, so that the sum of their cosines is largest, and the mean cosine."""
    cosine = (true / np.linalg.norm(true, axis=1)[:, None]) @ (found / np.linalg.norm(found, axis=1)[:, None]).T
    rows, order = linear_sum_assignment(-cosine)
    return order, float(cosine[rows, order].mean())


def rows_of_groups(n_words: int, n_documents: int, seeds: range, has_stm: bool) -> list[list[object]]:
    by_method: dict[str, list[tuple[np.ndarray, ...]]] = {}
    for seed in seeds:
        drawn = two_groups(n_words, n_documents, seed)
        truth = drawn.shares[0] - drawn.shares[1]
        for name, found in differences(drawn, seed, has_stm):
            order, cosine = matched(found.topics, drawn.topics)
            covered = (found.lower[order] <= truth) & (truth <= found.upper[order])
            cell = (truth, found.estimate[order], covered, np.array(cosine), np.array(found.seconds))
            by_method.setdefault(name, []).append(cell)
    rows: list[list[object]] = []
    for name, cells in by_method.items():
        truth, estimate, covered, cosine, seconds = (np.array(each) for each in zip(*cells))
        slope = np.polyfit(truth.ravel(), estimate.ravel(), 1)[0]
        of_seed = covered.mean(axis=1)
        error = of_seed.std(ddof=1) / np.sqrt(len(of_seed))
        rows.append([name, f"{slope:.2f}", f"{covered.mean():.0%} ± {error:.0%}"])
        rows[-1] += [f"{cosine.mean():.2f}", f"{seconds.mean():.1f}"]
    return rows


def compare_effects(lengths: tuple[int, ...] = N_WORDS, n_documents: int = N_DOCUMENTS, seeds: range = SEEDS) -> None:
    version = version_of("stm")
    if version:
        print(f"\nstm {version}")
    heads = ["method", "slope", "covered", "cosine of topics", "processor seconds"]
    rows_of_groups(8, 100, range(2), False)  # compiled code
    for n_words in lengths:
        rows = rows_of_groups(n_words, n_documents, seeds, version is not None)
        title = f"{n_documents:,} documents of {n_words} words, {N_TOPICS} topics, {len(seeds)} corpora"
        print_table(title, heads, rows)


def by_keyatm(data: Newsgroups, seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return shares of documents, topics, and processor seconds; documents without words have no shares."""
    used = np.flatnonzero(np.asarray(data.counts.sum(axis=1)).ravel())
    keywords = "\n".join(",".join(map(str, data.columns[k])) for k in range(N_GROUPS))
    inputs: dict[str, str | bytes] = {"seed": str(seed + 1), "keywords": keywords, "sweeps": str(KEYATM_SWEEPS)}
    answer = ask_r("keyATM", data.counts[used], inputs, ("shares", "topics"))
    shares = np.zeros((len(data.labels), 2 * N_GROUPS))
    shares[used] = answer.arrays["shares"].reshape(len(used), 2 * N_GROUPS)
    return shares, answer.arrays["topics"].reshape(2 * N_GROUPS, -1), answer.seconds


def measured(fit: Callable[[], tuple[np.ndarray, Any]]) -> tuple[np.ndarray, Any, float]:
    (shares, topics), cost = measure(fit)
    return shares, topics, cost.cpu_seconds


def compare_guided() -> None:
    version = version_of("keyATM")
    data = newsgroups(SHARE)
    guided(data, 0, True)  # compiled code
    methods = {
        "LDA, guide": (lambda seed: measured(lambda: guided(data, seed, False)), OUR_SEEDS),
        "LDA, guide with `spread`": (lambda seed: measured(lambda: guided(data, seed, True)), OUR_SEEDS),
        "complement naive Bayes on the words' labels": (
            lambda seed: measured(lambda: by_complement(data, seed)),
            range(1),
        ),
    }
    if version:
        methods[f"keyATM {version}, base"] = (lambda seed: by_keyatm(data, seed), KEYATM_SEEDS)
    rows: list[list[object]] = []
    for name, (fit, seeds) in methods.items():
        found = [fit(seed) for seed in seeds]
        accuracy, auc, least = zip(*(scores(shares, data.labels) for shares, _, _ in found))
        first = [top_ten(topics, data) for _, topics, _ in found if topics is not None]
        cells = [with_error(accuracy, 3), with_error(auc, 3), f"{np.mean(least):.3f}"]
        ten = f"{np.mean(first):.2f}" if first else ""
        rows.append([name, *cells, ten, f"{np.mean([seconds for _, _, seconds in found]):.1f}"])
    heads = ["method", "accuracy", "mean AUC", "least AUC", "words in the top ten", "processor seconds"]
    seeds = f"{len(OUR_SEEDS)} seeds of ours, {len(KEYATM_SEEDS)} of keyATM"
    print_table(f"20 newsgroups: {len(data.labels):,} documents, {len(data.words):,} words; {seeds}", heads, rows)


def main() -> None:
    warnings.simplefilter("ignore")
    if "--row" in sys.argv:
        compare_effects((40,), 300, range(2))
        return
    print(__doc__)
    parts = {"stm": compare_effects, "keyatm": compare_guided}
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()
