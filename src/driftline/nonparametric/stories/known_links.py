"""Learning to recognise links, from documents whose groups are known."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import logit

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.inference.partition_agreement import bcubed
from driftline.nonparametric.stories.link_finder import DocumentLinks, LinkSettings
from driftline.nonparametric.stories.link_models import (
    CUTS,
    NO_KNOTS,
    learn_coefficients,
    learned_odds,
    link_features,
    recalibrated,
)
from driftline.nonparametric.stories.story_book import StoryBook
from driftline.nonparametric.stories.window import Window


class LearnedLinks(NamedTuple):
    """Coefficients of the log odds, their calibration, and the minimum log odds of a link that is followed."""

    coefficients: Floats
    calibration: Floats
    cut: float


def learn_links(window: Window, groups: Ints, settings: LinkSettings, n_words: int) -> LearnedLinks:
    """Learn links from the candidates of documents whose groups are known (−1 where unknown)."""
    finder = DocumentLinks(window, StoryBook(n_words), settings, NO_KNOTS, 0, n_words)
    found = finder.candidates(0, len(window.times), learn=True)
    exist = found.exist & (groups[:, None] >= 0) & (groups[window.targets] >= 0)
    same = exist & (groups[:, None] == groups[window.targets])
    features = link_features(found, settings.memory)
    coefficients, calibration = learn_coefficients(features, exist, same)
    odds = learned_odds(features, found.exist, coefficients)
    odds = np.where(found.exist, recalibrated(odds, calibration), -np.inf)
    return LearnedLinks(coefficients, calibration, chosen_cut(window, odds, groups))


def chosen_cut(window: Window, odds: Floats, groups: Ints) -> float:
    """Return the minimum log odds of links to follow, chosen for the best agreement of stories with known groups."""
    known, rows, best = groups >= 0, np.arange(len(odds)), odds.argmax(axis=1)
    scores = []
    for cut in CUTS:
        links = np.where(odds[rows, best] >= logit(cut), window.targets[rows, best], -1)
        stories = np.full(len(odds), -1, np.int64)
        current_kernels().story_links.follow_links(0, links, window.offsets, stories, 0)
        scores.append(bcubed(groups[known], np.where(stories < 0, -1 - rows, stories)[known]).f)
    return float(logit(CUTS[int(np.argmax(scores))]))
