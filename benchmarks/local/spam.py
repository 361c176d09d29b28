"""A spam filter by naive Bayes, week by week: all the past, a kernel of 60 days, and the last 28 days only.

Every mail is scored by what was learned from mails of earlier weeks (for `LocalNaiveBayes`: from all earlier mails).
AUC over all mails after the first four weeks that have both classes, and the cost per mail if losing a good mail costs
ten times as much as letting spam through, at the threshold 10/11.

    python -m benchmarks.local.spam [--row]
"""

from __future__ import annotations

import sys

import numpy as np
import pyarrow.parquet as pq
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import MultinomialNB

from benchmarks.measure import measure, print_table, real_data
from driftline.datasets.newswire import simulate_newswire
from driftline.local import LocalNaiveBayes
from driftline.text.counts import count_words

COST = 10.0


def mails():
    """Return counts of words, whether each mail is spam, and its time in days."""
    table = pq.read_table(real_data("spamassassin")).to_pydict()
    times = np.array(table["time"], dtype="datetime64[s]")
    order = np.argsort(times, kind="stable")
    texts = [f"{table['subject'][i] or ''}\n{(table['text'][i] or '')[:5000]}" for i in order]
    spam = np.array([table["label"][i] == "spam" for i in order])
    return count_words(texts, min_df=5)[0], spam, times[order].astype(np.int64) / 86400


def simulated():
    """Return stories of a simulated newswire; those of its first label are "spam"."""
    wire = simulate_newswire(3000, random_state=0)
    labels = np.array([str(label) for label in wire.labels])
    times = np.asarray(wire.times, dtype="datetime64[s]").astype(np.int64) / 86400
    return count_words(wire.texts, min_df=5)[0], labels == np.unique(labels)[0], times


def by_week(X, spam, times, window):
    """Return the probability of spam by the mails of earlier weeks, of the last `window` days only."""
    weeks = np.floor((times - times[0]) / 7).astype(int)
    found = np.full(len(times), np.nan)
    for week in np.unique(weeks):
        start = times[0] + 7 * week
        past = (weeks < week) & (times >= start - window)
        if len(np.unique(spam[past])) == 2:
            found[weeks == week] = MultinomialNB().fit(X[past], spam[past]).predict_proba(X[weeks == week])[:, 1]
    return found


def cost_of(p, spam):
    """Return the cost per mail at the threshold that minimises it if probabilities are right."""
    called = p > COST / (1 + COST)
    return (COST * (called & ~spam) + (~called & spam)).mean()


def main():
    X, spam, times = simulated() if "--row" in sys.argv else mails()
    rivals = {
        "naive Bayes, all the past": lambda: by_week(X, spam, times, np.inf),
        "naive Bayes, last 28 days": lambda: by_week(X, spam, times, 28.0),
        "LocalNaiveBayes(60 days, past)": lambda: local(X, spam, times, 60.0),
        'LocalNaiveBayes("cv", past)': lambda: local(X, spam, times, "cv"),
    }
    scores = {name: measure(work) for name, work in rivals.items()}
    judged = (times >= times[0] + 28) & np.all([np.isfinite(p) for p, _ in scores.values()], axis=0)
    rows = [
        (name, f"{roc_auc_score(spam[judged], p[judged]):.4f}", f"{cost_of(p[judged], spam[judged]):.3f}",
         f"{taken.cpu_seconds:.1f}")
        for name, (p, taken) in scores.items()
    ]  # fmt: skip
    title = f"{judged.sum():,} mails judged, {spam[judged].mean():.0%} spam"
    print_table(title, ["filter", "AUC", "cost per mail", "CPU s"], rows)


def local(X, spam, times, bandwidth):
    model = LocalNaiveBayes(bandwidth=bandwidth, side="past").fit(X, spam.astype(int), times=times)
    if bandwidth == "cv":
        print(f"chosen bandwidth: {model.bandwidth_} days")
    return model.predict_proba(X, times=times)[:, 1]


if __name__ == "__main__":
    main()
