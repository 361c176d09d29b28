import numpy as np

from driftline.analysis.findings.classifier_comparison import compare_classifiers
from driftline.streams.corpus import Corpus


def reversing(n=800, early=()):
    """Two labels whose words change places half way, so that only a classifier that follows can learn them."""
    rng = np.random.default_rng(0)
    late = np.arange(n) >= n // 2
    label = rng.integers(0, 2, n)
    common = [f"word{i}" for i in range(30)]
    texts = [
        " ".join([*rng.choice(common, 5), *(["alpha"] * 2 if word_is_alpha else ["omega"] * 2)])
        for word_is_alpha in label.astype(bool) ^ late
    ]
    times = np.datetime64("2024-01-01", "us") + np.arange(n) * np.timedelta64(6, "h")
    times[: len(early)] = [np.datetime64(day, "us") for day in early]
    return Corpus.from_texts(texts, times, labels=np.array(["a", "b"])[label])


def test_following_wins_where_words_change_their_meaning():
    found = compare_classifiers(reversing())
    assert found.error_ignoring_drift > 0.3
    assert found.error_following_drift < 0.1
    assert found.p_value < 1e-6
    assert found.bandwidth_days < 100
    assert {word.word for word in found.words[:2]} == {"alpha", "omega"}
    assert found.n_fitted == 3 * found.n_tested


def test_a_lonely_document_is_not_a_reason_to_warn():
    found = compare_classifiers(reversing(early=["2021-01-01", "2022-01-01", "2023-01-01"]))  # the third is tested
    assert found.bandwidth_days < 300


def test_too_few_labels_say_nothing(corpus):
    assert compare_classifiers(corpus.where_label("sport")) is None
    assert compare_classifiers(Corpus.from_texts(["some text"] * 3, ["2024-01-01"] * 3)) is None


def test_documents_with_labels_and_hardly_any_word_say_nothing():
    texts = ["." if day % 9 else f"note{day} filed{day}" for day in range(400)]
    times = np.datetime64("2024-01-01", "us") + np.arange(400) * np.timedelta64(6, "h")
    assert compare_classifiers(Corpus.from_texts(texts, times, labels=["a", "b"] * 200)) is None
