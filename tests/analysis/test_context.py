import numpy as np
import pytest

from driftline.analysis import context as module
from driftline.analysis.context import N_POINTS, N_POINTS_OF_SMALL, Context, Options
from driftline.analysis.finding import Finding
from driftline.core.errors import NoWords
from driftline.streams.stream import Stream

WEATHER = [
    (f"2024-01-{day:02}", text) for day in range(1, 29) for text in ("rain again", "snow" if day < 15 else "sun")
]


def test_what_findings_share_is_computed_once(monkeypatch):
    calls = []

    def counted(function):
        def call(*arguments, **options):
            calls.append(function.__name__)
            return function(*arguments, **options)

        return call

    for name in ("prepare", "set_aside", "items_of", "texts_of", "changed_items", "unit_counts", "describe_headlines"):
        monkeypatch.setattr(module, name, counted(getattr(module, name)))
    context = Context(Stream.from_documents(WEATHER), Options(fewest_documents=50))
    for _ in range(2):
        assert context.measured.headlines is context.measured.headlines
        assert len(context.corpus) == len(context.part) == len(context.times) == 56
        assert len(context.when) == N_POINTS
        assert len(context.by_unit.times) == 28
    assert sorted(calls) == sorted(set(calls))
    assert len(calls) == 7


def test_a_finding_that_others_build_on_is_found_once():
    calls = []
    base = Finding("base", lambda context: calls.append("base") or 3, since=1)
    above = Finding("above", lambda context: context[base] + context.once(len_of_base), empty=int, always=True, since=1)

    def len_of_base(context):
        return context[base] * 10

    context = Context(Stream.from_documents(WEATHER))
    assert context[above] == context[above] == 33
    assert calls == ["base"]


def test_empty_streams_and_streams_without_words_are_small():
    empty = Context(Stream.from_documents([]))
    assert empty.is_empty
    assert empty.is_small
    assert len(empty.times) == 0
    wordless = Context(Stream.from_documents([("2024-01-01", "https://example.org"), ("2024-01-03", "https://a.org")]))
    assert wordless.is_small
    assert not wordless.is_empty
    assert len(wordless.when) == N_POINTS_OF_SMALL
    assert wordless.when[0] == np.datetime64("2024-01-01")
    for name in ("corpus", "with_phrases"):
        with pytest.raises(NoWords, match="no word to count"):
            getattr(wordless, name)


def test_words_are_tested_without_phrases():
    seas = ("heavy rain again", "calm sea")
    stream = Stream.from_documents([(time, f"{text} {seas[i % 2]}") for i, (time, text) in enumerate(WEATHER)])
    context = Context(stream, Options(fewest_documents=50))
    n_words = context.corpus.counts.shape[1]
    assert context.with_phrases.counts.shape[1] > n_words
    assert context.tests.columns.max() >= n_words > context.word_tests.columns.max()
