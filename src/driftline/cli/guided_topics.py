"""Topics of a source under a guide: read the guide from its file, fit LDA, and report on every wish."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftline.core.display import one_line

if TYPE_CHECKING:
    from driftline.guidance import Guide, WishReport
    from driftline.streams.corpus import Corpus
    from driftline.topics import LDA

DEFAULT_TOPICS = 20
FREE_PER_NAMED = 1
"""Number of free topics per topic that the guide names, for the words that belong to no named topic."""


def read_guide(path: Path, corpus: Corpus) -> Guide:
    """Read a guide, and find its documents and calendar units in a corpus."""
    from driftline.guidance import Guide

    return Guide.read(path).for_documents(ids=corpus.ids.to_pylist(), times=corpus.times)


def guided_number(n_topics: int | None, guide: Guide | None) -> int:
    """Return the number of topics: as requested, or by default enough for as many free topics as the guide names."""
    if n_topics is not None or guide is None:
        return n_topics or DEFAULT_TOPICS
    return max(DEFAULT_TOPICS, (1 + FREE_PER_NAMED) * guide.n_named)


def fit_guided(corpus: Corpus, guide: Guide, n_topics: int, seed: int, inference: str, engine: str) -> LDA:
    """Fit LDA under a guide; its warnings are not shown, because its report contains them."""
    from driftline.guidance.heeded import UnheededWishWarning
    from driftline.guidance.word_wishes import UnknownWordsWarning
    from driftline.topics import LDA

    options: dict[str, Any] = {"inference": inference, "engine": engine, "n_jobs": -1, "random_state": seed}
    lda = LDA(n_topics, guide=guide, vocabulary=corpus.vocabulary, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnheededWishWarning)
        warnings.simplefilter("ignore", UnknownWordsWarning)
        return lda.fit(corpus.counts)


def wish_notes(reports: list[WishReport]) -> list[str]:
    """Return a line for every wish that was not heeded, and for every note on a wish."""
    lines = []
    for report in reports:
        if not report.heeded:
            measured = "" if math.isnan(report.with_guide) else f" ({report.measure}: {report.with_guide:.2f})"
            lines.append(f"not heeded: {one_line(report.name)}{measured}")
        lines += [f"{one_line(report.name)}: {one_line(note)}" for note in report.notes]
    return lines
