"""Search, slowly: counts of phrases and windows by looking at every position, scores document by document."""

from __future__ import annotations

import itertools
import math


def phrase_count(document, words, shifts):
    """How often `words[k]` stands `shifts[k]` places after a position; `document` maps positions to words."""
    return sum(
        all(document.get(place + shift) == word for word, shift in zip(words, shifts)) for place in sorted(document)
    )


def window_count(document, words, width):
    """The number of disjoint windows of at most `width` places that contain all words, each as far left as possible."""
    places = sorted(document)
    found, start = 0, -1
    while True:
        usable = [place for place in places if place > start]
        ends = []
        for first in usable:
            last = first + width - 1
            inside = [place for place in usable if first <= place <= last]
            if set(words) <= {document[place] for place in inside}:
                # The window ends where the last of the words that are needed first occurs
                ends.append(max(min(p for p in inside if document[p] == word) for word in words))
        if not ends:
            return found
        found, start = found + 1, min(ends)


def dirichlet(count, length, total, n_tokens, mu):
    """ln of the smoothed probability of a feature in a document."""
    return math.log((count + mu * total / n_tokens) / (length + mu))


def bm25(count, length, n_with, n_documents, mean_length, k1, b):
    """BM25's potential with Lucene's inverse document frequency."""
    idf = math.log(1 + (n_documents - n_with + 0.5) / (n_with + 0.5))
    return idf * count / (count + k1 * (1 - b + b * length / mean_length))


def average_precision(ranked, relevant):
    """The mean of the precisions at the relevant documents of a ranked list."""
    precisions = [
        len(relevant & set(ranked[: place + 1])) / (place + 1) for place, doc in enumerate(ranked) if doc in relevant
    ]
    return sum(precisions) / len(relevant)


def sequential_scores(documents, lengths, words, weights, mu):
    """Scores of all documents: terms, ordered pairs, windows of eight; features found nowhere are left out."""
    n_tokens = sum(lengths)
    features = [(weights[0], [sum(w == word for w in d.values()) for d in documents]) for word in words]
    for pair in itertools.pairwise(words):
        features.append((weights[1], [phrase_count(d, pair, (0, 1)) for d in documents]))
        if pair[0] != pair[1]:
            features.append((weights[2], [window_count(d, pair, 8) for d in documents]))
    scores = [0.0] * len(documents)
    for weight, counts in features:
        if sum(counts):
            for i, count in enumerate(counts):
                scores[i] += weight * dirichlet(count, lengths[i], sum(counts), n_tokens, mu)
    return scores
