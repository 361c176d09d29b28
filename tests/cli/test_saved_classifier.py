import pytest
from sklearn.linear_model import LogisticRegression

import driftline
from driftline.base.text_model import TextModel
from driftline.cli.saved_classifier import load_classifier, load_text_model, require_documents
from driftline.core.errors import InvalidInput
from driftline.local import ForwardClassifier, LocalMultinomial
from driftline.monitoring import TextClassifier
from tests.monitoring.streams import texts_of

TEXTS, LABELS, TIMES = texts_of(10, 6)


def test_a_classifier_is_loaded(tmp_path):
    TextClassifier(ForwardClassifier(C=1.0)).fit(TEXTS, LABELS, times=TIMES).save(tmp_path / "m")
    assert load_classifier(tmp_path / "m", "check").n_documents_ == 60


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (TextModel(LocalMultinomial(bandwidth=9.0)).fit(TEXTS, times=range(len(TEXTS))), "language model"),
        (TextModel(LogisticRegression(), weighting="tf-idf").fit(TEXTS, LABELS), "fit it again"),
        (LocalMultinomial(bandwidth=2.0).fit([[1, 2], [2, 1]], times=range(2)), "without a vocabulary"),
    ],
)
def test_other_models_are_refused_with_the_reason(model, reason, tmp_path):
    model.save(tmp_path / "m")
    with pytest.raises(InvalidInput, match=reason):
        load_classifier(tmp_path / "m", "update")


def test_any_model_with_words_can_predict(tmp_path):
    TextModel(LocalMultinomial(bandwidth=9.0)).fit(TEXTS, times=range(len(TEXTS))).save(tmp_path / "m")
    assert load_text_model(tmp_path / "m").weighting == "counts"


def test_a_source_without_documents_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("time,text\n2024-01-01,some text\n")
    table = driftline.read(tmp_path / "a.csv").table()
    require_documents(table, "a.csv")
    with pytest.raises(InvalidInput, match=r"a\.csv has no documents"):
        require_documents(table[:0], "a.csv")
