"""Draw the pictures of docs/gallery.md: ``python -m tools.gallery [NAME …]``.

Pictures of simulated streams need nothing but driftline; those of real streams need the data in the folder that
DRIFTLINE_DATA names. Figures are drawn by a Chromium on the PATH.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pyarrow.parquet as pq

from driftline import Corpus, EvolutionaryClassifier, Stream
from driftline.coding.text_flow import text_flow
from driftline.datasets import simulate_newswire
from driftline.figures import (
    plot_accuracy,
    plot_bursts,
    plot_changed_words,
    plot_coefficients,
    plot_drift_speed,
    plot_intensities,
    plot_topics,
    plot_word_curves,
)
from driftline.figures.flow import plot_flow
from driftline.intensity import IntensityTracker, WordBursts, simulate_intensity_stream
from driftline.local import LocalLogisticRegression, LocalMultinomial, changed_words, reading_curves
from driftline.local.reading.unit_drift import unit_drift_speed
from driftline.readers.book import book_of
from driftline.streams.unit_counts import unit_counts
from driftline.topics import LDA, topics_over_time

IMAGES = Path(__file__).parents[1] / "docs" / "images" / "gallery"
WIDTH = 860
LARGEST = 120_000
"""Largest size of a picture, in bytes."""


def word_curves() -> go.Figure:
    """Shares of documents with three words of a simulated newswire, with bands and the dashed truth."""
    words = ["orbit", "nova", "inflation"]
    wire = simulate_newswire(4000, random_state=0)
    corpus = Corpus.from_texts(wire.texts, wire.times, min_df=2)
    columns = [list(corpus.vocabulary).index(word) for word in words]
    curve = reading_curves(corpus.counts, times=corpus.times, columns=columns).curve
    truth = 1000 * wire.document_shares(words, curve.times)
    bands = (1000 * curve.value, 1000 * curve.lower, 1000 * curve.upper)
    return plot_word_curves(
        {word: (curve.times, *(each[i] for each in bands)) for i, word in enumerate(words)},
        truth={word: (curve.times, truth[:, i]) for i, word in enumerate(words)},
    )


def changed() -> go.Figure:
    """Strips of the words that changed most in the headlines of 2003."""
    corpus = _headlines()
    tested = changed_words(corpus.counts, times=corpus.times, vocabulary=corpus.vocabulary)
    best = tested.ranking("lasting")[:18]
    curve = reading_curves(corpus.counts, times=corpus.times, columns=tested.columns[best]).curve
    words = [tested.words[i] for i in best]
    return plot_changed_words({word: (curve.times, 1000 * curve.value[i]) for i, word in enumerate(words)})


def bursts() -> go.Figure:
    """Bursts of the headlines of 2003, nested ones darker."""
    corpus = _headlines()
    found = WordBursts(every="1d", vocabulary=corpus.vocabulary).fit(corpus.counts, times=corpus.times).bursts_
    words = list(dict.fromkeys(found["word"].to_pylist()))[:14]
    rows = [row for row in found.to_pylist() if row["word"] in words]
    return plot_bursts([(row["word"], row["start"], row["end"], row["level"], row["weight"]) for row in rows])


def topics() -> go.Figure:
    """Shares of three of twelve topics of the headlines of 2003, those that vary most."""
    corpus = _headlines()
    model = LDA(n_topics=12, vocabulary=corpus.vocabulary, random_state=0).fit(corpus.counts)
    shares = topics_over_time(model, corpus.counts, times=corpus.times)
    curves = {", ".join(words[:3]): shares.curve(topic) for topic, words in enumerate(model.top_words(3))}
    varied = sorted(curves, key=lambda name: np.nanmin(curves[name].value) - np.nanmax(curves[name].value))[:3]
    return plot_topics({name: curves[name] for name in varied})


def drift_speed() -> go.Figure:
    """Speed of drift of a simulated newswire above its noise floor."""
    wire = simulate_newswire(4000, random_state=0)
    corpus = Corpus.from_texts(wire.texts, wire.times, min_df=5)
    tested = changed_words(corpus.counts, times=corpus.times, vocabulary=corpus.vocabulary)
    days = np.arange("2025-01-10", "2025-12-21", dtype="datetime64[D]")
    found = unit_drift_speed(unit_counts(corpus.counts[:, tested.columns[tested.lasting]], times=corpus.times), days)
    if found is None:
        raise SystemExit("no word changed, so that there is no speed to draw")
    speed = found.speed
    events = [(burst.start, burst.end, burst.name) for burst in wire.bursts]
    return plot_drift_speed((days, speed.value, speed.lower, speed.upper), noise_floor=speed.noise_floor, events=events)


def few_labels() -> go.Figure:
    """Accuracy per month of a classifier that gets four labels per month, on a simulated newswire."""
    wire = simulate_newswire(1500, random_state=0)
    corpus = Corpus.from_texts(wire.texts, wire.times, labels=wire.true_labels, min_df=2)
    names = np.array(corpus.label_names)
    model = EvolutionaryClassifier(vocabulary=corpus.vocabulary)
    starts, accuracy, most_frequent = [], [], []
    for frame in corpus.frames("1mo"):
        true = names[frame.labels]
        model.partial_fit(frame.counts, times=frame.times)
        asked = model.suggest(4)
        model.add_labels(asked, true[asked])
        others = np.setdiff1d(np.arange(len(true)), asked)
        starts.append(frame.start)
        accuracy.append(np.mean(model.transduction_[others] == true[others]))
        most_frequent.append(np.unique(true, return_counts=True)[1].max() / len(true))
    return plot_accuracy((np.array(starts), np.array(accuracy)), baseline=most_frequent)


def changed_coefficients() -> go.Figure:
    """Coefficients of three words of a simulated stream, one of which changes sides."""
    rng = np.random.default_rng(0)
    times = np.sort(rng.uniform(0, 100, 1500))
    X = rng.poisson(0.6, (1500, 5)).astype(float)
    lean = 1.5 * np.cos(times / 100 * np.pi)
    y = (rng.random(1500) < 1 / (1 + np.exp(-(lean * X[:, 0] + X[:, 1] - 0.6)))).astype(int)
    words = ["turncoat", "faithful", "neutral", "b", "c"]
    model = LocalLogisticRegression(bandwidth=25.0, vocabulary=words).fit(X, y, times=times)
    return plot_coefficients([(word, "1", model.coefficient_curve(word)) for word in words[:3]])


def intensities() -> go.Figure:
    """Intensities of three topics of a simulated stream, estimated from texts that name the right topic 7 times in
    10."""
    stream = simulate_intensity_stream(600, 3, accuracy=0.7, transition=0.01, random_state=5)
    tracker = IntensityTracker(levels=stream.rates, transition=0.01).fit(stream.log_likelihoods, times=stream.times)
    bands = (tracker.intensity_, tracker.intensity_lower_, tracker.intensity_upper_)
    return plot_intensities(
        {f"topic {k + 1}": (stream.times, *(each[:, k] for each in bands)) for k in range(3)}, unit="documents per day"
    )


def bandwidths() -> go.Figure:
    """Share of one word of a simulated newswire at its own bandwidth and at one that is far too narrow."""
    wire = simulate_newswire(4000, random_state=0)
    corpus = Corpus.from_texts(wire.texts, wire.times, min_df=2)
    days = np.arange("2025-01-05", "2025-12-27", dtype="datetime64[D]")
    options = {"chosen bandwidth": "cv", "two days": 2.0}
    curves = {
        name: LocalMultinomial(bandwidth=width, vocabulary=corpus.vocabulary)
        .fit(corpus.counts, times=corpus.times)
        .frequency("nova", days)
        for name, width in options.items()
    }
    scaled = {name: (days, 1000 * curve.value) for name, curve in curves.items()}
    return plot_word_curves(scaled, unit="of 1,000 words")


def flow() -> go.Figure:
    """Themes of The Metamorphosis from its first word to its last."""
    table = pq.read_table(_data("kafka_metamorphosis.parquet"))
    book = book_of("\n\n".join(table["text"].to_pylist()))
    found = text_flow(book.paragraphs, n_topics=6)
    names = [", ".join(theme.words[:3]) for theme in found.themes]
    return plot_flow(
        found.shares, found.words, names, turns=[float(found.words[turn.start]) for turn in found.turns[1:]]
    )


PICTURES: dict[str, Callable[[], go.Figure]] = {
    "word-curves": word_curves,
    "changed-words": changed,
    "bursts": bursts,
    "topics": topics,
    "drift-speed": drift_speed,
    "few-labels": few_labels,
    "coefficients": changed_coefficients,
    "intensities": intensities,
    "bandwidths": bandwidths,
    "flow": flow,
}
"""Pictures of the gallery, by the name of their file."""


def _data(name: str) -> Path:
    return Path(os.environ.get("DRIFTLINE_DATA", "../shared/data")) / name


def _headlines() -> Corpus:
    table = pq.read_table(_data("abc_headlines_2003.parquet"))
    return Corpus.from_stream(Stream.from_table(table), min_df=5)


def main(names: list[str]) -> int:
    """Draw the named pictures, or all, and print the size of each."""
    from playwright.sync_api import sync_playwright

    IMAGES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 1200})
        for name in names or PICTURES:
            figure = PICTURES[name]()
            figure.update_layout(width=WIDTH)
            page.set_content(figure.to_html(full_html=True, config={"displayModeBar": False}))
            page.wait_for_selector(".plotly .main-svg")
            path = IMAGES / f"{name}.png"
            page.locator(".plotly").first.screenshot(path=str(path))
            size = path.stat().st_size
            print(f"{path.name}: {size:,} bytes")
            if size > LARGEST:
                raise SystemExit(f"{path.name} has more than {LARGEST:,} bytes")
        browser.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
