from __future__ import annotations

import pytest

from driftline.datasets.newswire_sentences import FOLLOW_UPS, LEADS, LENGTHS, SHARES, STOCK


def test_shares_and_lengths_are_distributions():
    assert sum(SHARES.values()) == pytest.approx(1)
    assert sum(LENGTHS.values()) == pytest.approx(1)


def test_every_topic_has_its_sentences_and_none_occurs_twice():
    assert set(LEADS) == set(FOLLOW_UPS) == set(SHARES)
    every = [text for texts in (*LEADS.values(), *FOLLOW_UPS.values(), STOCK) for text in texts]
    assert len(set(every)) == len(every)
    assert not any(character.isdigit() or character == "'" for character in "".join(every))
