"""Small streams of labelled texts for the tests of classifiers in use."""

import numpy as np

COMMON = [f"word{number}" for number in range(40)]


def texts_of(n_days, per_day, *, first="2024-01-01", seed=0, own=("pills offer", "meeting notes"), more=()):
    """Return texts, labels and times: two classes, each with its own words, and `more` words in half of the texts."""
    rng = np.random.default_rng(seed)
    day = np.repeat(np.arange(n_days), per_day)
    labels = rng.integers(0, 2, len(day))
    texts = []
    for label in labels:
        words = [*rng.choice(COMMON, 5), str(rng.choice(own[label].split()))]
        words += [word for word in more if rng.random() < 0.5]
        texts.append(" ".join(words))
    times = np.datetime64(first, "s") + (day * 86400 + rng.integers(0, 86400, len(day))).astype("timedelta64[s]")
    order = np.argsort(times)
    return [texts[i] for i in order], np.array(["spam", "ham"])[labels[order]], times[order]
