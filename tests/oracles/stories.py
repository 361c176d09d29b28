"""Stories by plain loops: nearest earlier documents, seats of a restaurant process, micro-clusters of raw rows."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln


def unit_rows(X):
    """Weigh each document by the documents so far that lack its words; return one dictionary word → weight each."""
    rows, containing, n = [], np.zeros(X.shape[1]), 0
    for x in X:
        if x.sum() == 0:
            rows.append({})
            continue
        n += 1
        containing += x > 0
        row = {}
        for v in np.flatnonzero(x):
            row[v] = (1 + math.log(max(x[v], 1.0))) * math.log(1 + (n - containing[v] + 0.5) / (containing[v] + 0.5))
        length = math.sqrt(sum(value**2 for value in row.values()))
        rows.append({v: value / length for v, value in row.items()})
    return rows


def nearest_stories(X, times, memory, decay, threshold):
    """Return each document's story: that of the best of the five nearest earlier documents, if it is near enough."""
    rows, stories, n = unit_rows(X), [], 0
    for d, row in enumerate(rows):
        candidates = []
        for e in range(d):
            shared = set(row) & set(rows[e])
            if shared and times[e] >= times[d] - memory:
                cosine = min(1.0, sum(row[v] * rows[e][v] for v in shared))
                candidates.append((cosine * math.exp(-(times[d] - times[e]) / decay), e, cosine))
        best, most = -1, -1.0
        for score, e, cosine in sorted(candidates, reverse=True)[:5]:
            relative = min(score / threshold, cosine / min(0.8, 2 / math.sqrt(len(row) * len(rows[e]))))
            if relative > most:
                best, most = e, relative
        if not row:
            stories.append(-1)
        elif most >= 1:
            stories.append(stories[best])
        else:
            stories.append(n)
            n += 1
    return stories


def seats(X, times, memory, decay, concentration, strength):
    """Return each document's story under the decayed restaurant process: the likeliest one."""
    stories, members, uses, n_words = [], [], np.zeros(X.shape[1]), X.shape[1]

    def log_probability(x, counts, prior):
        total = prior + counts
        found = gammaln(total.sum()) - gammaln(total.sum() + x.sum())
        return found + (gammaln(total + x) - gammaln(total)).sum()

    for d, x in enumerate(X):
        if x.sum() == 0:
            stories.append(-1)
            continue
        prior = strength * (uses + 1) / (uses.sum() + n_words)
        new = math.log(concentration) + log_probability(x, np.zeros(n_words), prior)
        best, score = len(members), new
        for k, documents in enumerate(members):
            counts = X[documents].sum(axis=0)
            if times[documents[-1]] < times[d] - memory or not (counts[x > 0] > 0).any():
                continue
            weight = sum(math.exp(-(times[d] - times[e]) / decay) for e in documents)
            value = math.log(weight) + log_probability(x, counts, prior)
            if value > score:
                best, score = k, value
        if best == len(members):
            members.append([])
        members[best].append(d)
        stories.append(best)
        uses += x
    return stories


def joined_exactly(targets, links, sides, times, decay, first, least):
    """Return the probability that two sets of documents are joined, over every way to draw the links."""
    choices = []
    for row, probabilities in zip(targets, links):
        options = [(e, p) for e, p in zip(row, probabilities) if p > 0]
        choices.append([*options, (-1, 1 - sum(p for _, p in options))])

    def mass(d, side):
        return sum(math.exp((times[e] - times[d]) / decay) for e in range(d) if sides[e] == side)

    def share(d):
        own, other = mass(d, sides[d]), mass(d, 1 - sides[d])
        return other / (own + other) if own + other else 0.0

    def total(d, drawn, probability):
        if d == len(choices):
            used = [(s, e) for s, e in drawn if s >= first and e >= 0 and sides[s] >= 0 and sides[e] >= 0]
            crossing = sum(sides[s] != sides[e] for s, e in used)
            return probability if len(used) >= least and crossing >= sum(share(s) for s, _ in used) / 2 else 0.0
        return sum(total(d + 1, [*drawn, (d, e)], probability * p) for e, p in choices[d] if p > 0)

    return total(0, [], 1.0)


def den_stream(rows, times, radius, min_weight, outlier_share, half_life):
    """Return the potential and the outlier micro-clusters as lists of row numbers, by summing raw rows every time."""
    least = outlier_share * min_weight
    every = half_life * math.log2(least / (least - 1))
    potential, outliers, next_check = [], [], times[0] + every

    def facts(members, now):
        f = np.array([2 ** (-(now - times[i]) / half_life) for i in members])
        x = np.array([rows[i] for i in members])
        centre = (f[:, None] * x).sum(axis=0) / f.sum()
        return f.sum(), centre, math.sqrt(max(0.0, (f * ((x - centre) ** 2).sum(axis=1)).sum() / f.sum()))

    for i, now in enumerate(times):
        if now >= next_check:
            next_check = now + every
            potential = [c for c in potential if facts(c, now)[0] >= least]
            ages = [(now - times[c[0]] + every) / half_life for c in outliers]
            lowest = [(2**-age - 1) / (2 ** (-every / half_life) - 1) for age in ages]
            outliers = [c for c, low in zip(outliers, lowest) if facts(c, now)[0] >= low]
        for group in (potential, outliers):
            if not group:
                continue
            best = min(group, key=lambda c: np.linalg.norm(facts(c, now)[1] - rows[i]))
            if facts([*best, i], now)[2] <= radius:
                best.append(i)
                if group is outliers and facts(best, now)[0] >= least:
                    outliers = [c for c in outliers if c is not best]
                    potential.append(best)
                break
        else:
            outliers.append([i])
    return potential, outliers


def clu_stream(rows, times, n_micro_clusters, boundary, horizon, n_relevant):
    """Return the micro-clusters as lists of row numbers, by summing raw rows every time."""
    from scipy.stats import norm

    clusters = []

    def centre(c):
        return np.mean([rows[i] for i in c], axis=0)

    def relevance(c):
        arrived = np.array([times[i] for i in c])
        if len(c) < 2 * n_relevant:
            return arrived.mean()
        return arrived.mean() + arrived.std() * norm.ppf(1 - n_relevant / (2 * len(c)))

    for i, row in enumerate(rows):
        if len(clusters) < n_micro_clusters:
            clusters.append([i])
            continue
        best = min(clusters, key=lambda c: np.linalg.norm(centre(c) - row))
        if len(best) > 1:
            reach = boundary * math.sqrt(np.mean([((rows[j] - centre(best)) ** 2).sum() for j in best]))
        else:
            reach = min(np.linalg.norm(centre(c) - centre(best)) for c in clusters if c is not best)
        if np.linalg.norm(centre(best) - row) <= reach:
            best.append(i)
            continue
        oldest = min(clusters, key=relevance)
        if relevance(oldest) < times[i] - horizon:
            clusters = [c for c in clusters if c is not oldest]
        else:
            pairs = [(a, b) for a in range(len(clusters)) for b in range(a + 1, len(clusters))]
            a, b = min(pairs, key=lambda p: np.linalg.norm(centre(clusters[p[0]]) - centre(clusters[p[1]])))
            clusters[a] = clusters[a] + clusters[b]
            del clusters[b]
        clusters.append([i])
    return clusters
