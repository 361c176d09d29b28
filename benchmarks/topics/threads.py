"""Same seed, same bytes: LDA with 1, 2 and 4 threads, and on two Dask workers, on real documents.

python -m benchmarks.topics.threads
"""

from __future__ import annotations

import hashlib

from benchmarks.measure import print_table
from benchmarks.topics.speed import counts_of
from driftline.topics import LDA


def fitted(train, **parameters):
    """Return the digest of the fitted topics."""
    model = LDA(50, max_epochs=5, burn_in=2, n_samples=3, random_state=0, **parameters)
    model.fit(train)
    return hashlib.sha256(model._word_topic_.tobytes()).hexdigest()[:16]


def main():
    train, _ = counts_of("20news_bydate", 3000)
    rows = []
    for inference in ("online", "gibbs"):
        for n_jobs in (1, 2, 4):
            digest = fitted(train, inference=inference, n_jobs=n_jobs)
            rows.append([inference, f"{n_jobs} threads", digest])
    for inference in ("online", "gibbs"):
        digest = fitted(train, inference=inference, n_partitions=2)
        rows.append([inference, "2 partitions, threads", digest])
    try:
        import distributed
    except ImportError:
        print("distributed is not installed (pip install distributed): no Dask rows")
    else:
        with (
            distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
            distributed.Client(cluster),
        ):
            for inference in ("online", "gibbs"):
                digest = fitted(train, inference=inference, n_partitions=2, engine="dask")
                rows.append([inference, "2 partitions, 2 Dask workers", digest])
    print_table("20 Newsgroups, K = 50", ["method", "where", "digest of the topics"], rows)


if __name__ == "__main__":
    main()
