"""Near-copies the slow way: every document is compared with the first of every text of its unit."""

from __future__ import annotations


def distinct_texts(documents, units, least_similarity, fewest_words):
    """Return the text of every document (a set of words), numbered by the first document of each."""
    firsts, numbers = [], []
    for row, words in enumerate(documents):
        text = row
        for first in firsts:
            shared = len(words & documents[first])
            alike = shared >= least_similarity * len(words | documents[first]) - 1e-9
            if units[first] == units[row] and alike and len(words) >= fewest_words:
                text = first
                break
        if text == row and len(words) >= fewest_words:
            firsts.append(row)
        numbers.append(text)
    order = {first: number for number, first in enumerate(sorted(set(numbers)))}
    return [order[text] for text in numbers]
