import numpy as np

import driftline
from driftline.labelling.growing_vocabulary import NO_WORD, FrameLearner

FIRST = ["rain and wind", "goal and match", "wind wind", "match of the day"]
SECOND = ["rain today", "snow and wind", "snow again", "match again"]


def test_a_word_gets_its_column_when_it_has_been_in_two_documents_of_any_frames():
    learner = FrameLearner().begin()
    learner.learn(FIRST, ["weather", "sport", None, None], 0.0)
    assert learner.classifier_.vocabulary.words.tolist() == [NO_WORD, "wind", "match"]
    learner.learn(SECOND, [None] * 4, 1.0)
    assert learner.classifier_.vocabulary.words.tolist() == [NO_WORD, "wind", "match", "rain", "snow"]
    assert dict(zip(learner.vocabulary_.words, learner.documents_with_))["match"] == 3


def test_min_df_of_one_takes_every_word():
    learner = FrameLearner(min_df=1).begin()
    learner.learn(["red fish"], [None], 0.0)
    assert set(learner.classifier_.vocabulary.words) == {NO_WORD, "red", "fish"}


def test_frames_without_labels_words_or_company_are_learned():
    learner = FrameLearner().begin()
    learner.learn(["something"], [None], 0.0)
    assert learner.labels == []
    learner.learn([""], ["empty"], 1.0)
    learner.learn(["", "other words here"], [None, "full"], 2.0)
    assert learner.labels == ["empty", "full"]
    assert learner.probabilities(["", "never seen"]).sum(axis=1).round(9).tolist() == [1.0, 1.0]


def test_it_goes_on_after_being_saved_as_if_it_had_not_been(tmp_path):
    learner = FrameLearner().begin()
    learner.learn(FIRST, ["weather", "sport", None, None], 0.0)
    learner.save(tmp_path / "learner")
    loaded = driftline.load(tmp_path / "learner")
    for each in (learner, loaded):
        each.learn(SECOND, [None, None, "winter", None], 1.0)
    assert learner.labels == loaded.labels == ["sport", "weather", "winter"]
    assert np.array_equal(learner.classifier_.label_distributions_, loaded.classifier_.label_distributions_)
