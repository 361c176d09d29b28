"""Polarity of documents from 25 positive and 25 negative words: 2,000 film reviews, area under the ROC curve.

The topic–sentiment mixture with polar words learned within it, as published, against counting the known words,
pseudo-labels with a logistic regression (the default of `TopicSentiment`) and its mixture with these polar words held
fixed. A supervised logistic regression, by ten folds, shows what labels would give. Mean of 3 starts; settings were
fixed before.

    python -m benchmarks.context.sentiment
"""

from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict

from benchmarks.measure import measure, print_table, real_data
from driftline.text import count_words
from driftline.topics import TopicSentiment
from driftline.topics.contexts.word_polarity import counted_polarity

POSITIVE = [
    "excellent",
    "perfect",
    "wonderful",
    "great",
    "best",
    "brilliant",
    "superb",
    "amazing",
    "fantastic",
    "beautiful",
    "outstanding",
    "love",
    "enjoyable",
    "memorable",
    "masterpiece",
    "powerful",
    "hilarious",
    "touching",
    "terrific",
    "fascinating",
    "effective",
    "solid",
    "fun",
    "good",
    "entertaining",
]
NEGATIVE = [
    "bad",
    "worst",
    "terrible",
    "awful",
    "boring",
    "stupid",
    "dull",
    "poor",
    "waste",
    "ridiculous",
    "lame",
    "mess",
    "horrible",
    "unfunny",
    "pointless",
    "annoying",
    "disappointing",
    "weak",
    "predictable",
    "fails",
    "bland",
    "wasted",
    "tedious",
    "worse",
    "embarrassing",
]
SEEDS, N_TOPICS = range(3), 10


def main() -> None:
    print(__doc__)
    table = pq.read_table(real_data("polarity2000"))
    y = np.array([label == "pos" for label in table["label"].to_pylist()])
    counts, vocabulary = count_words(table["text"].to_pylist(), min_df=5, max_df=0.6)
    X = sp.csr_array(counts).astype(float)
    words = [str(word) for word in vocabulary.words]
    known = [[words.index(word) for word in each if word in words] for each in (POSITIVE, NEGATIVE)]
    rows = []

    def add(name: str, scores: list[np.ndarray], seconds: float) -> None:
        values = [roc_auc_score(y, each) for each in scores]
        rows.append([name, f"{np.mean(values):.3f}", f"{seconds:.1f}"])

    found, cost = measure(lambda: counted_polarity(X, np.array(known[0]), np.array(known[1])))
    add("counting the known words", [found], cost.cpu_seconds)
    for polarity, name in (
        ("learned", "mixture, polar words learned within it"),
        ("pseudo-labels", "`TopicSentiment`, mixture"),
    ):
        scores, predicted, seconds = [], [], []
        for seed in SEEDS:
            model = TopicSentiment(
                N_TOPICS, positive=known[0], negative=known[1], polarity=polarity, max_steps=50, random_state=seed
            )
            _, cost = measure(lambda model=model: model.fit(X))
            seconds.append(cost.cpu_seconds)
            polar = model.sentiment_counts_.sum(axis=1)
            scores.append(polar[:, 0] / np.maximum(polar.sum(axis=1), 1e-12))
            predicted.append(model.predict_polarity(X))
        add(name, scores, float(np.mean(seconds)))
        if polarity == "pseudo-labels":
            add("`TopicSentiment.predict_polarity`", predicted, float(np.mean(seconds)))
    rows_of = TfidfTransformer(sublinear_tf=True).fit_transform(sp.csr_matrix(X))
    model = LogisticRegression(C=10.0, max_iter=1000)
    found, cost = measure(lambda: cross_val_predict(model, rows_of, y, cv=10, method="decision_function"))
    add("supervised, ten folds", [found], cost.cpu_seconds)
    print_table(f"{len(y)} reviews, {X.shape[1]} words", ["method", "AUC", "CPU s"], rows)


if __name__ == "__main__":
    main()
