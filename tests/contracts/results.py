"""A small result of every kind, with hostile words in it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

import driftline
from driftline.coding.text_flow import text_flow
from driftline.core.results import Result, Results
from driftline.intensity.bursts.burst_watcher import BurstEvent, WatchedDocument
from driftline.intensity.tracking.information_gain import Suggestions
from driftline.intensity.tracking.known_topics import intensities_of_known_topics
from driftline.intensity.tracking.online_state import IntensityUpdate
from driftline.local.multinomial.drift_speed import DriftSpeed
from driftline.local.reading.word_cycles import Cycles
from driftline.monitoring.drift_check import CheckedPart, DriftCheck, Thresholds
from driftline.monitoring.word_changes import WordChange
from driftline.topics.topic_ladder import LadderStep

HOSTILE = "<img src=x onerror=alert(1)>"
WORDS = [HOSTILE, "peace", "\x1b[31mwar\u202e", "=1+1"]
DAYS = np.datetime64("2003-01-01", "us") + np.arange(80).astype("timedelta64[D]")


@cache
def counts() -> sp.csr_matrix:
    rng = np.random.default_rng(5)
    rates = np.column_stack([np.linspace(0.2, 4, 80), np.linspace(4, 0.2, 80), np.ones(80), np.ones(80)])
    return sp.csr_matrix(rng.poisson(rates) + (np.arange(4) == 2))


@cache
def lda() -> Any:
    model = driftline.LDA(n_topics=2, random_state=0).fit(counts())
    model.vocabulary = WORDS
    return model


@cache
def findings() -> Any:
    texts = [f"{'rain' if day < 40 else 'sun'} again {HOSTILE}" for day in range(80) for _ in range(3)]
    return driftline.analyse(driftline.Stream.from_documents(zip(np.repeat(DAYS, 3).tolist(), texts)), n_words=5)


def coefficient_changes() -> Any:
    y = (np.asarray(counts()[:, 0].todense()).ravel() > 1).astype(int)
    model = driftline.LocalLogisticRegression(bandwidth=20.0).fit(counts(), y, times=np.arange(80.0))
    return model.changed_coefficients(3)


def evolving() -> Any:
    y = np.where(np.arange(80) % 3, np.arange(80) % 2, -1)
    model = driftline.EvolutionaryClassifier(keep_history=True)
    for rows in (slice(0, 40), slice(40, 80)):
        model.partial_fit(counts()[rows], y[rows], classes=[0, 1])
    return model


def labelling() -> Any:
    rows = [(str(n), day, f"{HOSTILE} {n % 3}", "a" if n % 2 else None) for n, day in enumerate(DAYS.tolist())]
    return driftline.StreamLabeller().label(driftline.Stream.from_documents(rows).table(), n_suggestions=2)


def lineage() -> Any:
    other = driftline.LDA(n_topics=3, random_state=1).fit(counts())
    return driftline.topic_lineage(lda(), other)


def grid() -> Any:
    y = np.arange(80) % 2
    return driftline.forward_validation(
        driftline.EvolutionaryClassifier(method="paper"), counts(), y, {"gamma_a": [0.01, 1.0]}, every=4
    )


def description() -> Any:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        lda().save(f"{folder}/model")
        return driftline.describe(f"{folder}/model")


def shares() -> Any:
    held_out = np.column_stack([np.linspace(0, 1, 40), np.linspace(1, 0, 40)])
    return driftline.predicted_shares(held_out, held_out, (np.arange(40) < 20).astype(int), times=np.arange(40.0))


def topic_batch() -> Any:
    stream = driftline.Stream.from_documents([("2003-03-20", "war"), ("2003-03-21", "peace")])
    model = driftline.learn_from_stream(driftline.LDA(n_topics=2, random_state=0), stream, ["war", "peace"])
    return next(driftline.topic_flow(model, stream))


def drift_check() -> Any:
    word = WordChange(HOSTILE, 0.1, 0.3, 3.0, 2.0, 4.5, 0.01, True, None)
    part = CheckedPart("words", "failed", 0.1, 0.3, 0.2, 0.1, 0.001, 0.004, "")
    return DriftCheck(False, [part], [word], 80, 90, 0, 0, "day", 20, 30, Thresholds())


@cache
def topic_map() -> Any:
    return driftline.TopicMap(n_topics=2, random_state=0, vocabulary=WORDS).fit(counts())


def node_tree() -> Any:
    model = driftline.HierarchicalLDA(depth=2, n_chains=1, burn_in=2, n_samples=1, random_state=0, vocabulary=WORDS)
    return model.fit(counts()).tree_


@cache
def timed_clusters() -> Any:
    model = driftline.TemporalDPM(every=4, n_chains=1, burn_in=5, n_samples=5, random_state=0, vocabulary=WORDS)
    return model.fit(counts(), times=DAYS)


@cache
def stories() -> Any:
    return driftline.StoryStream(memory=30, vocabulary=WORDS, random_state=0).fit(counts(), times=DAYS)


RESULTS: dict[str, Callable[[], Result]] = {
    "ChangedWords": lambda: driftline.changed_words(counts(), times=DAYS, vocabulary=WORDS),
    "ClusterHistory": lambda: timed_clusters().history_,
    "ClusterLife": lambda: timed_clusters().lifetimes_,
    "ClassificationScores": lambda: driftline.classification_scores(
        [HOSTILE, "a", "b"], [[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]], ["a", "b"]
    ),
    "CompletionScore": lambda: driftline.document_completion(lda(), counts()),
    "Corpus": lambda: driftline.Corpus.from_texts([HOSTILE, "war"], ["2003-01-01", "2003-01-02"], [HOSTILE, None]),
    "Curve": lambda: driftline.LocalMultinomial(bandwidth=20.0).fit(counts(), times=np.arange(80.0)).frequency([1]),
    "Curve of several": lambda: (
        findings()
        .volume._replace(value=np.ones((2, 3)), lower=np.zeros((2, 3)))
        ._replace(times=np.arange(3.0), upper=np.ones((2, 3)), effective_size=np.ones((2, 3)))
    ),
    "Cycles": lambda: Cycles("week", np.array([1]), np.ones((1, 7)), *[np.array([3])] * 5),
    "Discoveries": lambda: driftline.compare_discoveries([HOSTILE, "b"], ["b", "c"]),
    "DriftCheck": drift_check,
    "DriftSpeed": lambda: DriftSpeed(np.arange(5.0), *[np.ones(5)] * 5),
    "ExplicitFilter": lambda: driftline.filter_explicit_stream(
        np.log(np.full((9, 2), 0.5)), np.arange(9.0), rates=[0.1, 1.0], n_particles=20, random_state=0
    ),
    "Findings": findings,
    "ForwardScore": grid,
    "FrameDiagnostics": lambda: evolving().diagnostics_,
    "IntensityStream": lambda: driftline.simulate_intensity_stream(20, 2, random_state=0),
    "IntensityUpdate": lambda: IntensityUpdate(3, np.array([0.2, 0.8]), np.array([1.0, 2.0]), np.eye(2), None),
    "Labelling": labelling,
    "LabelledFrame": lambda: labelling().frames,
    "LadderStep": lambda: Results(LadderStep, [LadderStep(5, -7.0, 0.8, 5.0)], name="n_topics", quantity="agreement"),
    "Lineage": lineage,
    "ModelDescription": description,
    "NodeTree": node_tree,
    "PredictedShares": shares,
    "PrequentialScore": lambda: driftline.prequential_score(driftline.LDA(n_topics=2, random_state=0), [counts()] * 3),
    "ReadingCurves": lambda: driftline.reading_curves(counts(), times=DAYS),
    "SearchResult": lambda: driftline.SearchIndex([("2001-10-03", f"gas pipeline {HOSTILE}")]).search("gas"),
    "SetComparison": lambda: driftline.compare_sets(counts(), np.arange(80) < 40, np.arange(80) >= 40, times=DAYS),
    "SimulatedNewswire": lambda: driftline.simulate_newswire(20),
    "Story": lambda: stories().stories_,
    "StoryEvent": lambda: stories().events_,
    "StoryShares": lambda: stories().share_,
    "SuggestedDocument": lambda: labelling().suggestions,
    "Suggestions": lambda: Suggestions(np.array([4, 2]), np.array([0.5, 0.1])),
    "TextFlow": lambda: text_flow(
        [f"{HOSTILE} sea ship sail wave {n % 5}" for n in range(40)]
        + [f"house garden tree {n % 7}" for n in range(40)],
        n_topics=2,
    ),
    "TopicBatch": topic_batch,
    "TopicCard": lambda: topic_map().topics_,
    "TopicGroup": lambda: topic_map().cut(1),
    "TopicIntensity": lambda: next(
        iter(
            intensities_of_known_topics(
                DAYS, np.arange(80) // 40, 2, np.arange(80), levels=np.array([0.01, 1.0]), transition=0.02, interval=0.9
            )
        )
    ),
    "TopicPlaces": lambda: driftline.topic_places(driftline.topic_distances(lda().components_)),
    "TopicTree": lambda: driftline.topic_tree(lda().components_, [0.5, 0.5]),
    "Contrasts": lambda: driftline.contrasts(lda(), counts(), between=["a", "b"] * 40),
    "Coverage": lambda: driftline.coverage(lda(), counts(), by=["a", "b"] * 40),
    "Effects": lambda: driftline.effects(lda(), counts(), "side", data={"side": ["a", "b"] * 40}),
    "TopicsOverTime": lambda: driftline.topics_over_time(lda(), counts(), times=DAYS),
    "WatchedDocument": lambda: WatchedDocument(3, HOSTILE, 0.5, (BurstEvent("begins", HOSTILE, 1.0, 2.0, 0.9),)),
    "WeightChange": lambda: evolving().weight_changes(3),
    "CoefficientChange": coefficient_changes,
}
"""A way to make each kind of result; lists of records are named by the record."""

NOT_RESULTS = {
    "BetaProcess",
    "Burst",
    "ChineseRestaurant",
    "DirichletProcess",
    "Guide",
    "Hit",
    "IndianBuffetProcess",
    "LifeCycle",
    "LineageEvent",
    "NestedChineseRestaurant",
    "Pruned",
    "RecurrentChineseRestaurant",
    "SampledNumber",
    "StickBreaking",
    "TagRule",
    "Templates",
    "TermDependenceRanker",
    "Thresholds",
    "TokenSequences",
    "Tokenizer",
    "WishReport",
}
"""Public records that are parts of results, or values that are given to functions."""
WITHOUT_PICTURE = {
    "CompletionScore",
    "Corpus",
    "ModelDescription",
    "SimulatedNewswire",
    "TopicPlaces",
    "WatchedDocument",
}
"""Results of a few numbers or of documents; their table is shown instead."""


def rows_of(frame: Any) -> int:
    """Return the number of rows of a data frame of any kind."""
    return frame.num_rows if isinstance(frame, pa.Table) else len(frame)
