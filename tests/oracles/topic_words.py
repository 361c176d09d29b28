"""The words to show for a topic, word by word in plain Python (`driftline.topics.shown_words`, Eq. 1–6)."""

from __future__ import annotations

from math import exp, log


def word_score(phi, shares, uses, k, w, *, shrinkage=10.0, power=0.3):
    """Return s_kw (2) from topics × words, their shares, and the uses of all words."""

    def exclusivity(j):
        expected = sum(share * row[w] for share, row in zip(shares, phi))
        own = uses[w] * shares[j] * phi[j][w] / expected
        return (own + shrinkage * shares[j]) / (uses[w] + shrinkage) / shares[j]

    return log(phi[k][w]) + power * log(exclusivity(k) / sum(exclusivity(j) for j in range(len(phi))))


def specificity(phi, k, words):
    """Return the specificity of topic k with these shown words (`driftline.topics.topic_states`, Eq. 4)."""
    own_parts = [phi[k][w] / sum(row[w] for row in phi) for w in words]
    return 1 + sum(log(part) for part in own_parts) / len(words) / log(len(phi))


def association(documents, w, v):
    """Return b_wv (5) from documents as lists of counts."""
    both, by_chance = together(documents, w, v)
    return log((both + 1) / (by_chance + 1))


def expected_npmi(documents, w, v):
    """Return a_wv (4)."""
    both, by_chance = together(documents, w, v)
    mean = by_chance * (both + 0.3) / (by_chance + 0.3)
    npmi = log(mean / by_chance) / -log(mean / len(documents))
    never = exp(-mean / 3)
    return (1 - never) * npmi - never


def together(documents, w, v):
    """Return the number of documents with both words, and the number by chance."""
    with_w, with_v = ({d for d, row in enumerate(documents) if row[x] > 0} for x in (w, v))
    return len(with_w & with_v), len(with_w) * len(with_v) / len(documents)


def shown(phi, shares, documents, k, n, *, candidates=60, rounds=3):
    """Return the n words of topic k, best first (6)."""
    words = range(len(phi[k]))
    uses = [sum(row[w] for row in documents) for w in words]
    score = {w: word_score(phi, shares, uses, k, w) for w in words if uses[w] > 0}
    best = sorted(score, key=lambda w: (-score[w], w))[:candidates]
    chosen = best[:n]
    for _ in range(rounds):
        total = {}
        for w in best:
            others = [v for v in chosen if v != w]
            coherent = [10 * expected_npmi(documents, w, v) + 8 * association(documents, w, v) for v in others]
            total[w] = score[w] + sum(coherent) / max(len(others), 1)
        chosen = sorted(best, key=lambda w: (-total[w], best.index(w)))[:n]
    return chosen
