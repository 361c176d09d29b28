from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.nonparametric.stories.test_link_finder import sparse_stream

import driftline
from driftline import StoryStream
from driftline.core.errors import InvalidInput, UnorderedTimes

# The order of the documents is their time, which is what most of these tests mean
pytestmark = pytest.mark.filterwarnings("ignore::driftline.core.errors.TimesAssumedWarning")

OPTIONS = [{}, {"link": "crp", "concentration": 20.0}, {"max_live": 4}, {"min_size": 2, "min_probability": 0.5}]
DAYS = np.datetime64("2003-03-01", "us")


@pytest.mark.parametrize("options", OPTIONS)
def test_parts_of_a_stream_give_the_same_stories_as_all_of_it(options, monkeypatch):
    X, times = sparse_stream(7, n=300)
    whole = StoryStream(memory=8.0, random_state=0, **options).fit(X, times=times)
    parts, labels = StoryStream(memory=8.0, random_state=0, **options), []
    for rows in np.split(np.arange(300), [1, 40, 41, 170]):
        parts.partial_fit(X[rows], times=times[rows])
        labels.append(parts.labels_)
    assert parts.stories_ == whole.stories_
    assert parts.events_ == whole.events_
    assert np.array_equal(parts.share_.share, whole.share_.share)
    if "min_size" not in options:  # no story was split after its documents had been labelled
        assert parts.resolve(np.concatenate(labels)).tolist() == whole.labels_.tolist()
    monkeypatch.setattr(driftline.nonparametric.stories.story_stream, "CHUNK", 17)
    chunks = StoryStream(memory=8.0, random_state=0, **options).fit(X, times=times)
    assert chunks.labels_.tolist() == whole.labels_.tolist()
    assert np.array_equal(chunks.link_documents_, whole.link_documents_)


def test_words_of_equal_weight_do_not_depend_on_the_parts():
    rng = np.random.default_rng(0)
    topics = [rng.permutation(60)[:25] for _ in range(8)]
    X = np.zeros((240, 60))
    for row in X:
        row[rng.choice(topics[rng.integers(8)], 12, replace=False)] = 1.0
    whole = StoryStream(memory=8.0, random_state=0).fit(X, times=np.arange(240.0))
    parts = StoryStream(memory=8.0, random_state=0)
    for rows in np.split(np.arange(240), range(7, 240, 7)):
        parts.partial_fit(X[rows], times=rows.astype(float))
    assert parts.stories_ == whole.stories_
    assert any(len(story.words) == 10 for story in whole.stories_)


@pytest.mark.parametrize("options", OPTIONS)
def test_a_saved_model_continues_with_the_same_ids(options, tmp_path):
    X, times = sparse_stream(8, n=300)
    whole = StoryStream(memory=8.0, random_state=0, **options).fit(X[:200], times=times[:200])
    loaded = driftline.load(whole.save(tmp_path / "model"))
    for model in (whole, loaded):
        model.partial_fit(X[200:], times=times[200:])
    assert loaded.labels_.tolist() == whole.labels_.tolist()
    assert loaded.stories_ == whole.stories_
    assert loaded.events_ == whole.events_


def test_single_updates_are_parts_too():
    X, times = sparse_stream(9)
    one, all_at_once = StoryStream(memory=8.0, random_state=0), StoryStream(memory=8.0, random_state=0)
    all_at_once.fit(X, times=times)
    updates = [one.update(x, time) for x, time in zip(X, times)]
    assert one.resolve([update.story for update in updates]).tolist() == all_at_once.labels_.tolist()
    assert [update.linked_to for update in updates] == all_at_once.link_documents_.tolist()
    assert all(update.is_new == (update.story not in {u.story for u in updates[:i]})
               for i, update in enumerate(updates) if update.story >= 0)  # fmt: skip


def test_predictions_are_those_of_an_update_without_learning():
    X, times = sparse_stream(10)
    for options in OPTIONS[:2]:
        model = StoryStream(memory=8.0, random_state=0, **options).fit(X[:100], times=times[:100])
        before = model.predict(X[100:120], times=times[100:120])
        assert model.predict(X[100:120], times=times[100:120]).tolist() == before.tolist()
        for x, time, story in zip(X[100:120], times[100:120], before):
            copy = StoryStream(memory=8.0, random_state=0, **options).fit(X[:100], times=times[:100])
            update = copy.update(x, time)
            assert (-1 if update.is_new else update.story) == story


def test_a_learned_link_uses_known_groups_and_beats_the_cosine():
    rng = np.random.default_rng(0)
    n, centres = 900, rng.dirichlet(np.full(80, 0.15), 300)
    groups = np.sort(rng.integers(0, 300, n) + rng.integers(-8, 9, n)) // 3
    X = np.array([rng.multinomial(8, 0.6 * centres[k] + 0.4 / 80) for k in groups]).astype(float)
    from driftline.inference.partition_agreement import bcubed

    learned = StoryStream(memory=60.0, link="learned", random_state=0).fit_links(X[:450], groups[:450])
    plain = StoryStream(memory=60.0, random_state=0)
    scores = [bcubed(groups[450:], model.fit(X).labels_[450:]).f for model in (learned, plain)]
    assert scores[0] > scores[1]
    names = np.array([f"group {k}" for k in groups])
    by_y = StoryStream(memory=60.0, link="learned", random_state=0).fit(X[:450], names[:450])
    assert by_y.partial_fit(X[450:]).labels_.tolist() == learned.fit(X).labels_[450:].tolist() or by_y._known_odds_.size
    unknown = StoryStream(memory=60.0, link="learned", random_state=0).fit(X)
    assert unknown.labels_.tolist() == plain.labels_.tolist()  # the decayed cosine while no link is known


def test_known_groups_recalibrate_later_links():
    rng = np.random.default_rng(1)
    centres = rng.dirichlet(np.full(60, 0.2), 40)
    groups = rng.integers(0, 40, 800)
    X = np.array([rng.multinomial(10, centres[k]) for k in groups]).astype(float)
    model = StoryStream(memory=100.0, link="learned", random_state=0).fit_links(X[:300], groups[:300])
    wrong = np.arange(800)  # nothing belongs together any more
    model.fit(X, wrong)
    assert model.link_probabilities_[-100:].mean() < model.link_probabilities_[:100].mean() / 2


def test_bad_input_is_named():
    X, times = sparse_stream(0)
    with pytest.raises(UnorderedTimes, match="document 1 is 3 older"):
        StoryStream(memory=5.0).fit(X[:3], times=[5.0, 2.0, 6.0])
    late = StoryStream(memory=5.0, reorder_within=3.0).fit(X[:3], times=[5.0, 2.0, 6.0])
    assert late.n_documents_ == 3
    with pytest.raises(UnorderedTimes, match="2 d"):
        StoryStream().partial_fit(X[:5], times=DAYS + np.arange(5).astype("timedelta64[D]")).partial_fit(
            X[:1], times=[DAYS + np.timedelta64(2, "D")]
        )
    bad = X.copy()
    bad[4, 2] = np.nan
    for rows in (bad, sp.csr_matrix(bad), sp.csc_matrix(bad)):
        with pytest.raises(InvalidInput, match=r"NaN. It is in row 4"):
            StoryStream().fit(rows, times=times)
    for options, message in (({"memory": 0.0}, "memory must be positive"), ({"memory": np.inf}, "memory must be"),
                             ({"decay": 0.0}, "decay must be positive")):  # fmt: skip
        with pytest.raises(InvalidInput, match=message):
            StoryStream(**options).fit(X, times=times)
    with pytest.raises(InvalidInput, match="link='learned'"):
        StoryStream().fit_links(X, np.arange(len(X)), times=times)


def test_empty_documents_are_counted_and_have_no_story():
    X = np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    model = StoryStream().fit(X)
    assert model.labels_.tolist() == [0, -1, 0]
    assert model.n_empty_ == 1
    assert model.link_documents_.tolist() == [-1, -1, 0]
    only = StoryStream().fit(np.zeros((3, 2)))
    assert only.labels_.tolist() == [-1] * 3
    assert (only.stories_, only.events_) == ([], [])
    assert only.share_.share.shape[0] == 1


def test_identical_documents_are_one_story_even_with_one_word():
    for row in ([3.0, 2.0, 1.0], [1.0, 0.0, 0.0]):
        model = StoryStream().fit(np.tile(row, (12, 1)))
        assert set(model.labels_.tolist()) == {0}
    assert StoryStream().fit([[2.0, 1.0]]).labels_.tolist() == [0]


def test_a_year_of_silence_ends_all_stories():
    X, times = sparse_stream(3)
    dates = DAYS + (times * 86400e6).astype("timedelta64[us]")
    model = StoryStream(random_state=0).fit(X, times=dates)
    model.update(X[0] + 1, dates[-1] + np.timedelta64(365, "D"))
    assert [story.state for story in model.stories_].count("live") == 1
    ends = {story.end for story in model.stories_ if story.state == "ended"}
    assert max(ends) <= dates[-1]


def test_too_many_stories_end_the_one_that_was_silent_the_longest():
    model = StoryStream(memory=100.0, max_live=3).fit(np.eye(5))
    assert model.n_crowded_out_ == 2
    assert [story.id for story in model.stories_ if story.state == "live"] == [2, 3, 4]
    assert model.update(np.eye(5)[0], 5.0).story == 5  # its story has ended
    assert model.update(np.eye(5)[4], 6.0).story == 4


def test_shares_sum_to_one_and_lie_within_their_bands():
    X, times = sparse_stream(11, n=400)
    shares = StoryStream(memory=8.0, random_state=0).fit(X, times=times).shares(5)
    assert shares.share.shape == shares.lower.shape == shares.upper.shape == (6, len(shares.times))
    assert (shares.lower <= shares.share).all()
    assert (shares.share <= shares.upper).all()
    some = shares.upper.sum(axis=0) > 0
    assert shares.share.sum(axis=0)[some] == pytest.approx(1.0)
    assert shares.stories[-1] == -1


def test_bands_contain_the_true_share():
    rng = np.random.default_rng(0)
    truth = 0.2 + 0.5 * np.linspace(0, 1, 3000)
    X = np.where((rng.random(3000) < truth)[:, None], [3.0, 0.0], [0.0, 3.0])
    shares = StoryStream(memory=500.0, random_state=0).fit(X).shares(2)
    row = 0 if shares.share[0, 0] < 0.5 else 1
    expected = np.interp(shares.times, np.arange(3000), truth)
    inside = (shares.lower[row] <= expected) & (expected <= shares.upper[row])
    assert inside.mean() >= 0.85


def test_words_and_lineage_are_in_the_table_of_stories():
    X = sp.csr_matrix(np.repeat([[2, 1, 0, 0], [0, 0, 3, 1]], 6, axis=0))
    model = StoryStream(vocabulary=["war", "iraq", "sars", "flu"]).fit(X)
    frame = model.stories_.to_frame()
    assert list(frame["words"][1]) == ["sars", "flu"]
    assert model.events_.to_frame()["kind"].tolist() == ["born", "born"]
    assert set(model.share_.to_frame().columns) == {"story", "time", "share", "lower", "upper"}


def test_old_stories_are_dropped_beyond_the_limit():
    X = np.repeat(np.eye(30), 2, axis=0)
    model = StoryStream(memory=1.0, max_ended=4).fit(X, times=np.repeat(np.arange(30) * 5.0, 2))
    assert [story.id for story in model.stories_] == [25, 26, 27, 28, 29]


def test_a_model_continues_with_more_words():
    X, times = sparse_stream(12)
    words = [f"w{column}" for column in range(X.shape[1])]
    early, later = X[:80].copy(), X[80:]
    early[:, 30:] = 0
    narrow = StoryStream(memory=8.0, random_state=0, vocabulary=words[:30]).fit(early[:, :30], times=times[:80])
    wide = StoryStream(memory=8.0, random_state=0, vocabulary=words).fit(early, times=times[:80])
    narrow.widen(words)
    for model in (narrow, wide):
        model.partial_fit(later, times=times[80:])
    assert narrow.labels_.tolist() == wide.labels_.tolist()
    assert narrow.stories_ == wide.stories_
    with pytest.raises(InvalidInput, match="begin with the words"):
        narrow.widen(words[::-1])
    with pytest.raises(InvalidInput, match="cannot be changed"):
        StoryStream().fit(X).widen(["a", "b"])
