"""Layout of a saved stream of stories."""

from __future__ import annotations

from driftline.base.state_layout import COLUMNS, TIME_AXIS, Array, Layout, Number, Optional
from driftline.nonparametric.stories.link_models import N_FEATURES
from driftline.nonparametric.stories.story_book import BOOK
from driftline.nonparametric.stories.window import WINDOW

STREAM: Layout = {
    **COLUMNS,
    **TIME_AXIS,
    "_window_": WINDOW,
    "_stories_": BOOK,
    "_n_containing_": Array("words", kind="i8", least=0),
    "_n_uses_": Array("words", kind="f8", least=0),
    "_n_tokens_": Array(1, kind="f8", least=0),
    "_origin_": Number(),
    "_period_": Number(least=0),
    "_latest_": Number(),
    "_seed_": Number(least=0, whole=True),
    "_coefficients_": Optional(Array(N_FEATURES, kind="f8")),
    "_calibration_": Array(2, None, kind="f8"),
    "_cut_": Optional(Number()),
    "_known_odds_": Array("known", kind="f8"),
    "_known_same_": Array("known", kind="b"),
    "labels_": Array("labels", kind="i8", least=-1),
    "link_documents_": Array("labels", kind="i8", least=-1),
    "link_probabilities_": Array("labels", kind="f8", least=0, most=1),
    "n_documents_": Number(least=0, whole=True),
    "n_empty_": Number(least=0, whole=True),
}
"""Kinds, shapes and ranges of the learned attributes."""
