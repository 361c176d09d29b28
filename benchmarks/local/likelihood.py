"""How likely are held-out documents under models that follow the drift? On real streams, offline and online.

    python -m benchmarks.local.likelihood [STREAM …]

Prints the log-likelihood per held-out word against the bandwidth, for every method of selecting it, with and without
repeated texts; the cross-validated bandwidth against the best one in hindsight; and the effect of fewer documents. No
setting was chosen on these numbers.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.measure import print_table, real_data
from driftline.core.errors import OutsideSupportWarning
from driftline.local import LocalMultinomial
from driftline.streams.corpus import Corpus
from driftline.text.tokenise import Tokenizer

STREAMS = ("abc_headlines_2003", "health_tweets", "gitlog_2003_2008", "maillists_2019_2026", "20news_bydate")
BANDWIDTHS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
CHOICES = ("cv", "cv-varying", "plugin", "per-word", "mix")
MOST_DOCUMENTS = 15_000
MOST_CHARACTERS = 600


def load(name: str, *, unique: bool) -> Corpus:
    """Return evenly spread documents of a stream; `unique` keeps the first of texts that are the same."""
    table = pq.read_table(real_data(name), columns=["time", "text"])
    table = table.filter(pc.and_(pc.is_valid(table["time"]), pc.is_valid(table["text"]))).sort_by("time")
    if unique:
        _, first = np.unique(np.asarray(table["text"].to_pylist(), dtype=object), return_index=True)
        table = table.take(np.sort(first))
    if len(table) > MOST_DOCUMENTS:
        table = table.take(np.linspace(0, len(table) - 1, MOST_DOCUMENTS).astype(np.int64))
    texts = pc.utf8_slice_codeunits(table["text"], 0, MOST_CHARACTERS)
    return Corpus.from_texts(texts, times=table["time"], tokenizer=Tokenizer(), min_df=5)


def held_out_scores(
    corpus: Corpus, side: str, choices: tuple[str, ...] = CHOICES, share: float = 1.0
) -> tuple[dict[object, float], float]:
    """Return the log-likelihood per word of a fifth of the documents by bandwidth, and the cross-validated bandwidth.

    `share` is how much of the rest is learned from.
    """
    rng = np.random.default_rng(0)
    held_out = rng.random(len(corpus)) < 0.2
    seen = ~held_out & (rng.random(len(corpus)) < share)
    train, test = corpus[seen], corpus[held_out]
    scores: dict[object, float] = {}
    chosen = np.nan
    for bandwidth in ("per-time", *BANDWIDTHS, "global", *choices):
        model = LocalMultinomial(bandwidth=bandwidth, side=side).fit(train.counts, times=train.times)
        scores[bandwidth] = model.score(test.counts, times=test.times)
        chosen = model.typical_bandwidth_ if bandwidth == "cv" else chosen
    return scores, chosen


def main() -> None:
    warnings.simplefilter("ignore", OutsideSupportWarning)
    against_bandwidth, against_global, optimum, kept = [], [], [], []
    names = sys.argv[1:] or STREAMS
    fixed = ("per-time", *BANDWIDTHS, "global")
    for name in names:
        for unique in (False, True):
            corpus = load(name, unique=unique)
            texts = "once" if unique else "all"
            for side in ("both", "past"):
                scores, chosen = held_out_scores(corpus, side)
                label = [name, len(corpus), texts, side]
                against_bandwidth.append([*label, *(scores[b] for b in fixed)])
                base = scores["global"]
                best_bandwidth = max(fixed, key=lambda b: scores[b])
                best = scores[best_bandwidth] - base
                gains = [scores[b] - base for b in CHOICES]
                against_global.append([*label, best, *gains])
                kept.append([gain / best if best > 0 else float("nan") for gain in gains])
                optimum.append([*label, chosen, str(best_bandwidth), gains[0], best, f"{100 * kept[-1][0]:.1f} %"])
                print(*label, "done", file=sys.stderr, flush=True)
    head = ["stream", "documents", "texts", "side"]
    print_table(
        "Log-likelihood per held-out word against the bandwidth in days (Dirichlet smoothing, its strength by CV)",
        [*head, "per-time", *(f"{h:g}" for h in BANDWIDTHS), "global"],
        against_bandwidth,
    )
    print_table("Gain over the global model, nats per held-out word", [*head, "best fixed", *CHOICES], against_global)
    print_table(
        "Cross-validation against the optimum (bandwidths in days, gains over the global model in nats per word)",
        [*head, "CV bandwidth", "best fixed", "gain, CV", "gain, best", "kept"],
        optimum,
    )
    kept_array = np.array(kept)
    summary = [
        [
            choice,
            float(np.median(kept_array[:, j])),
            float(kept_array[:, j].min()),
            int((kept_array[:, j] >= 0.986).sum()),
            int((kept_array[:, j] > kept_array[:, 0]).sum()) if j else "–",
        ]
        for j, choice in enumerate(CHOICES)
    ]
    print_table(
        f"Gain as a share of that of the best fixed bandwidth, {len(kept)} cases",
        ["choice", "median", "least", "cases with at least 98.6 %", "cases above cv"],
        summary,
    )
    rows = []
    few = ("cv", "cv-varying", "mix")
    for name in names[:3]:
        corpus = load(name, unique=True)
        for share in (1 / 16, 1 / 4, 1.0):
            scores, _ = held_out_scores(corpus, "both", few, share)
            rows.append(
                [
                    name,
                    int(0.8 * share * len(corpus)),
                    scores["global"],
                    scores["per-time"],
                    max(scores[b] for b in fixed),
                    *(scores[c] for c in few),
                ]
            )
    print_table(
        "Log-likelihood per held-out word by the number of documents learned from (offline, each text once)",
        ["stream", "documents, about", "global", "per-time", "best fixed", *few],
        rows,
    )


if __name__ == "__main__":
    main()
