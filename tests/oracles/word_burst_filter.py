"""The filter of word bursts, one word at a time and in plain Python."""

from math import exp, lgamma, log

from driftline.service.learning.hourly_bursts import (
    ABSORBED,
    CHANGE,
    FALL,
    FEWEST,
    IN_DOUBT,
    RISE,
    SPREAD,
    WARM_UP,
)

N = 7


def _step(belief):
    new = [0.0] * N
    for level, p in enumerate(belief):
        if level == 0:
            new[0] += p * (1 - RISE)
            for other in range(1, N):
                new[other] += p * RISE / (N - 1)
        else:
            near = [k for k in (level - 1, level + 1) if 1 <= k < N]
            new[level] += p * (1 - FALL - CHANGE)
            new[0] += p * FALL
            for other in near:
                new[other] += p * CHANGE / len(near)
    return new


def _log_nb(c, mean, size):
    share = mean / (mean + size)
    return lgamma(c + size) - lgamma(size) - lgamma(c + 1) + size * log(1 - share) + c * log(share)


def slow_filter(hours):
    """Return (hour, word, kind, probability) of all events; hours are (documents, documents with each word)."""
    n_words = len(hours[0][1])
    usual_with, total = [0.0] * n_words, 0.0
    belief = [None] * n_words
    reported, seen = [False] * n_words, [0.0] * n_words
    events = []
    for hour, (n, counts) in enumerate(hours):
        for word in range(n_words):
            c, a = float(counts[word]), usual_with[word]
            usual = (a + 0.5) / (total + 1)
            if not c and belief[word] is None:
                continue
            start = belief[word] if belief[word] is not None else [1.0] + [0.0] * (N - 1)
            prior = _step(start)
            size = 1 / (1 / (a + 0.5) + 1 / SPREAD)
            weights = [p * exp(_log_nb(c, n * usual * 2**level, size)) for level, p in enumerate(prior)]
            now = [weight / sum(weights) for weight in weights]
            above = 1 - now[0]
            if above < 0.1:
                seen[word] = 0.0
            seen[word] += c
            if total >= WARM_UP:
                if not reported[word] and above >= 0.9 and seen[word] >= FEWEST:
                    reported[word] = True
                    events.append((hour, word, "begins", above))
                elif reported[word]:
                    if above < 0.5:
                        reported[word] = False
                        events.append((hour, word, "ends", above))
                    else:
                        events.append((hour, word, "continues", above))
            belief[word] = now if above >= IN_DOUBT or reported[word] else None
            kept = above * (1 - ABSORBED)
            usual_with[word] = a + (1 - kept) * c + kept * n * usual
        total += n
    return events
