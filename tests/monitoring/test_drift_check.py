import numpy as np
import pytest
from tests.monitoring.streams import texts_of

from driftline.base.text_model import TextModel
from driftline.core.errors import InvalidInput
from driftline.local import ForwardClassifier, LocalNaiveBayes
from driftline.monitoring import TextClassifier, Thresholds, check_drift
from driftline.monitoring.drift_check import holm


@pytest.fixture(scope="module")
def model():
    texts, labels, times = texts_of(80, 6)
    return TextClassifier(ForwardClassifier(C=10.0)).fit(texts, labels, times=times)


def verdicts(found):
    return {part.name: part.verdict for part in found.parts}


def test_documents_like_those_learned_pass(model):
    texts, labels, times = texts_of(30, 6, first="2024-06-01", seed=5)
    found = check_drift(model, texts, labels, times=times)
    assert found.passed
    assert set(verdicts(found).values()) == {"passed"}
    assert found.words == []
    assert (found.n_documents, found.n_reference, found.n_units, found.unit) == (180, 480, 30, "day")


def test_new_words_fail_and_are_named(model):
    texts, labels, times = texts_of(30, 6, first="2024-06-01", seed=5, more=("crypto", "word1"))
    found = check_drift(model, texts, labels, times=times)
    assert not found.passed
    assert verdicts(found)["words"] == verdicts(found)["unknown words"] == "failed"
    words = {change.word: change for change in found.words}
    assert {"crypto", "word1"} <= set(words)
    assert not words["crypto"].known
    assert words["word1"].known
    assert words["word1"].low > 1


def test_parts_of_addresses_are_not_words_that_moved(model):
    texts, labels, times = texts_of(30, 6, first="2024-06-01", seed=5)
    linked = [f"{text} https://t.co/x{number}Qw mail{number}@example.org" for number, text in enumerate(texts)]
    assert verdicts(check_drift(model, linked, labels, times=times))["words"] == "failed", "links are a change"
    assert check_drift(model, linked, labels, times=times).words == []
    texts, labels, times = texts_of(30, 6, first="2024-06-01", seed=5, more=("https", "co"))
    assert {change.word for change in check_drift(model, texts, labels, times=times).words} == {"https", "co"}


def test_errors_and_predictions_fail_where_meanings_are_exchanged(model):
    texts, labels, times = texts_of(30, 6, first="2024-06-01", seed=5, own=("meeting notes", "pills offer"))
    found = check_drift(model, texts, labels, times=times)
    assert verdicts(found)["errors"] == "failed"
    assert verdicts(found)["words"] == "passed"
    part = next(part for part in found.parts if part.name == "errors")
    assert part.now > 0.9 > 0.1 > part.before
    only = check_drift(model, [f"pills word{k}" for k in range(40)] * 4, None, times=times[:160])
    assert verdicts(only)["predictions"] == "failed"
    assert verdicts(only)["errors"] == "not tested"


@pytest.mark.parametrize("missing", [None, float("nan"), -1])
def test_documents_without_a_label_are_no_errors(model, missing):
    texts, labels, times = texts_of(30, 6, first="2024-06-01", seed=5)
    some = [label if number % 2 else missing for number, label in enumerate(labels)]
    found = check_drift(model, texts, some, times=times)
    assert verdicts(found)["errors"] == "passed"
    assert next(part for part in found.parts if part.name == "errors").now < 0.1
    nothing = check_drift(model, texts, [missing] * len(texts), times=times)
    assert verdicts(nothing)["errors"] == "not tested"


def test_a_change_that_is_tolerated_passes(model):
    texts, labels, times = texts_of(30, 6, first="2024-06-01", seed=5, own=("meeting notes", "pills offer"))
    assert check_drift(model, texts, labels, times=times, thresholds=Thresholds(error_rise=1.0)).passed


def test_few_days_are_undecided(model):
    texts, labels, times = texts_of(3, 60, first="2024-06-01", seed=5, own=("meeting notes", "pills offer"))
    found = check_drift(model, texts, labels, times=times, thresholds=Thresholds(alpha=1e-6))
    assert verdicts(found)["errors"] == "undecided"
    assert found.passed


def test_learned_and_older_documents_are_left_out(model):
    old = texts_of(80, 6)
    new = texts_of(20, 6, first="2024-06-01", seed=5)
    late = texts_of(4, 6, first="2024-02-01", seed=9)
    parts = [(list(a), b, c) for a, b, c in (old, new, late)]
    found = check_drift(
        model,
        [text for texts, _, _ in parts for text in texts],
        np.concatenate([labels for _, labels, _ in parts]),
        times=np.concatenate([times for *_, times in parts]),
    )
    assert (found.n_documents, found.n_learned, found.n_older) == (120, 480, 24)
    with pytest.raises(InvalidInput, match="newer"):
        check_drift(model, late[0], late[1], times=late[2])


def test_the_same_seed_gives_the_same_answer(model):
    texts, labels, times = texts_of(30, 6, first="2024-06-01", seed=6)
    first, again = (check_drift(model, texts, labels, times=times, random_state=3) for _ in range(2))
    assert first == again


def test_a_model_without_validation_is_checked_by_words_alone():
    texts, labels, times = texts_of(80, 6)
    model = TextClassifier(LocalNaiveBayes(side="past"), weighting="counts").fit(texts, labels, times=times)
    new = texts_of(30, 6, first="2024-06-01", seed=5)
    found = check_drift(model, new[0], new[1], times=new[2])
    assert verdicts(found) == {
        "unknown words": "passed",
        "words": "passed",
        "predictions": "not tested",
        "errors": "not tested",
    }


def test_other_models_and_levels_are_refused(model):
    texts, labels, times = texts_of(10, 6)
    plain = TextModel(LocalNaiveBayes()).fit(texts, labels, times=times)
    with pytest.raises(InvalidInput, match="TextClassifier"):
        check_drift(plain, texts, times=times)
    with pytest.raises(InvalidInput, match="alpha"):
        check_drift(model, texts, times=times, thresholds=Thresholds(alpha=0.0))


def test_holm_is_the_plain_procedure():
    p = np.array([0.04, 0.001, 0.3, 0.02])
    assert holm(p).tolist() == pytest.approx([0.08, 0.004, 0.3, 0.06])


@pytest.mark.slow
def test_false_alarms_are_as_rare_as_promised():
    """Days assigned at random to learned and new documents: at alpha = 0.1 at most one check in ten may fail."""
    failures = 0
    for seed in range(40):
        texts, labels, times = texts_of(60, 5, seed=seed)
        model = TextClassifier(ForwardClassifier(candidates=["all"], C=10.0)).fit(
            texts[:200], labels[:200], times=times[:200]
        )
        found = check_drift(
            model,
            texts[200:],
            labels[200:],
            times=times[200:],
            thresholds=Thresholds(0.1, 0.0, 0.0, 0.0, 0.0),
            n_permutations=199,
            random_state=seed,
        )
        failures += not found.passed
    assert failures <= 8  # 4 expected at most; more than 8 has a probability of 1.5 %


@pytest.mark.slow
def test_a_label_that_dominates_raises_no_false_alarms():
    """Fits to fewer documents predict a rare label less often, so they must not be compared with the model."""
    alarms = 0
    for seed in range(40):
        texts, labels, times = rare_label(seed)
        model = TextClassifier(ForwardClassifier(candidates=["all"], C=10.0))
        model.fit(texts[:420], labels[:420], times=times[:420])
        found = check_drift(model, texts[420:], times=times[420:], n_permutations=199, n_words=0)
        alarms += next(part.p_value for part in found.parts if part.name == "predictions") <= 0.1
    assert alarms <= 8  # 4 expected; more than 8 has a probability of 1.5 %


def rare_label(seed, n=600, n_words=2000):
    """Return four texts of 20 words per day, a tenth of them with a label that is hard to tell from the other."""
    rng = np.random.default_rng(seed)
    frequent = 1 / np.arange(5, n_words + 5)
    rare = frequent * np.exp(np.random.default_rng(99).normal(0, 1.5, n_words))
    labels = np.where(rng.random(n) < 0.1, "rare", "frequent")
    shares = {"rare": rare / rare.sum(), "frequent": frequent / frequent.sum()}
    texts = [" ".join(f"word{k}" for k in rng.choice(n_words, 20, p=shares[label])) for label in labels]
    return texts, labels, np.datetime64("2024-01-01") + (np.arange(n) // 4).astype("timedelta64[D]")
