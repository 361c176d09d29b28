"""Can local context codes beat words and word pairs on 20 Newsgroups? Several bandwidths, poolings, idf, tf-idf.

Blocks of features are concatenated, and every combination is scored on three held-out quarters of the training
documents. Of each kind, the combination that is best *there* is the one reported; accuracies on the test documents are
printed for all. ``python -m benchmarks.coding.beyond all`` takes all 20 groups instead of comp.*.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import scipy.sparse as sp

from benchmarks.coding.newsgroups import News, fitted, grams, load, root_idf, score, tf_idf
from benchmarks.measure import print_table

SPLITS = 3
KINDS = {
    "codes alone": [
        ("near",),
        ("near", "peaks"),
        ("near", "wide"),
        ("near", "wide", "whole"),
        ("near", "peaks", "wide", "whole"),
    ],
    "codes with tf-idf": [
        ("words", "near"),
        ("words", "near", "wide"),
        ("words", "near", "wide", "whole"),
        ("words", "near", "peaks", "wide", "whole"),
    ],
    "without codes": [("words",), ("pairs",)],
    "codes with 1–2-grams": [("pairs", "near"), ("pairs", "near", "wide", "whole")],
}
NAMES = {
    "words": "tf-idf",
    "pairs": "1–2-grams",
    "near": "h = 1",
    "peaks": "h = 1, max-pooled",
    "wide": "h = 3",
    "whole": "h = ∞",
}


def blocks(news: News) -> dict[str, Any]:
    """Return every block of features; those that only add to another count half."""
    near = fitted(news, 4000, weighting="idf")
    wide = fitted(news, 2000, bandwidth=3.0, weighting="idf")
    whole = fitted(news, 1000, bandwidth=math.inf, weighting="idf")
    made = {
        "words": tf_idf(news, news.counts),
        "pairs": tf_idf(news, grams(news)[0]),
        "near": root_idf(news, near.transform(news.words)),
        "wide": 0.5 * root_idf(news, wide.transform(news.words)),
        "whole": 0.5 * root_idf(news, whole.transform(news.words)),
    }
    made["peaks"] = 0.5 * root_idf(news, near.set_params(pooling="max").transform(news.words))
    return made


def main(arguments: list[str] | None = None) -> None:
    arguments = sys.argv[1:] if arguments is None else arguments
    news = load("" if "all" in arguments else "comp.", 3)
    made = blocks(news)
    for kind, tried in KINDS.items():
        features = {parts: sp.hstack([made[part] for part in parts], format="csr") for parts in tried}
        found = {parts: score(news, matrix, SPLITS) for parts, matrix in features.items()}
        chosen = max(found, key=lambda parts: found[parts].validation)
        rows = [
            [
                " + ".join(NAMES[part] for part in parts) + (" (chosen)" if parts == chosen else ""),
                features[parts].shape[1],
                f"{got.validation:.1f}",
                f"{got.test:.1f}",
            ]
            for parts, got in found.items()
        ]
        print_table(
            f"{news.name}, V = {len(news.vocabulary)}: {kind}",
            ["features concatenated", "features", "held-out training documents, %", "test, %"],
            rows,
        )


if __name__ == "__main__":
    main()
