from __future__ import annotations

import contextlib
import copy
import itertools
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import driftline
from driftline.core.errors import InvalidInput
from driftline.guidance import Guide, TagRule
from driftline.guidance.heeded import UnheededWishWarning, cosine
from driftline.topics import LDA, PLSA, MixtureOfUnigrams
from tests.topics.corpora import drawn

WORDS = [f"w{i}" for i in range(120)]
MODELS = {
    "online": lambda guide=None, k=4: LDA(k, guide=guide, doc_topic_prior=0.2, vocabulary=WORDS, random_state=0),
    "vb": lambda guide=None, k=4: LDA(
        k, "vb", guide=guide, doc_topic_prior=0.2, vocabulary=WORDS, random_state=0, max_epochs=25
    ),
    "gibbs": lambda guide=None, k=4: LDA(
        k, "gibbs", guide=guide, doc_topic_prior=0.2, vocabulary=WORDS, random_state=0, burn_in=8, n_samples=8
    ),
    "parts": lambda guide=None, k=4: LDA(
        k, guide=guide, doc_topic_prior=0.2, vocabulary=WORDS, random_state=0, n_partitions=3
    ),
    "sampled parts": lambda guide=None, k=4: LDA(
        k,
        "gibbs",
        guide=guide,
        doc_topic_prior=0.2,
        vocabulary=WORDS,
        random_state=0,
        n_partitions=3,
        burn_in=8,
        n_samples=8,
    ),
    "plsa": lambda guide=None, k=4: PLSA(k, guide=guide, vocabulary=WORDS, random_state=0),
    "mixture": lambda guide=None, k=4: MixtureOfUnigrams(k, guide=guide, vocabulary=WORDS, random_state=0),
}


@pytest.fixture(scope="module")
def corpus():
    X, truth = drawn(300, 120, 4, 60, seed=3)
    own = truth / truth.sum(axis=0)
    # words that are characteristic of one topic, commonest first
    seeds = [[WORDS[j] for j in np.argsort(-truth[k] * (own[k] > 0.9))[:3]] for k in range(4)]
    return X, truth, seeds


def whole_documents():
    """Return documents of one topic each, the topics, and words that are characteristic of them."""
    rng = np.random.default_rng(1)
    truth = rng.dirichlet(np.full(120, 0.05), 4)
    X = sp.csr_matrix(np.array([rng.multinomial(40, truth[k]) for k in rng.integers(0, 4, 300)], dtype=np.float64))
    own = truth / truth.sum(axis=0)
    return X, truth, [[WORDS[j] for j in np.argsort(-truth[k] * (own[k] > 0.9))[:3]] for k in range(4)]


@pytest.mark.parametrize("name", MODELS)
def test_an_empty_guide_gives_the_same_bytes_as_none(corpus, name):
    plain, empty = MODELS[name]().fit(corpus[0]), MODELS[name](Guide()).fit(corpus[0])
    assert plain.components_.tobytes() == empty.components_.tobytes()
    assert plain.transform(corpus[0]).tobytes() == empty.transform(corpus[0]).tobytes()
    assert not hasattr(empty, "topic_names_")
    assert len(empty.guide_report_) == 0


@pytest.mark.parametrize("name", MODELS)
def test_named_topics_are_the_requested_ones_in_order(corpus, name):
    X, truth, seeds = corpus if name != "mixture" else whole_documents()
    banned = WORDS[int(np.argmax(truth[3]))]
    # In a mixture a ban excludes whole documents.
    never = [banned] if name != "mixture" else []
    model = MODELS[name](Guide().topic("third", seeds[2], never=never).topic("first", seeds[0])).fit(X)
    assert model.topic_names_ == ["third", "first", "2", "3"]
    assert [int(np.argmax(truth @ model.components_[k])) for k in (0, 1)] == [2, 0]
    assert not never or model.components_[0, WORDS.index(banned)] < 1e-200
    assert [report.heeded for report in model.guide_report_] == [True, True]
    np.testing.assert_allclose(model.components_.sum(axis=1), 1)
    np.testing.assert_allclose(model.transform(X).sum(axis=1), 1)


@pytest.mark.parametrize("name", MODELS)
def test_guided_models_are_saved_with_guide_names_and_report(corpus, name, tmp_path):
    guide = Guide().topic("third", corpus[2][2], never=[corpus[2][0][0]]).label([0, 1], "third")
    with _quietly():
        model = MODELS[name](guide).fit(corpus[0])
    loaded = driftline.load(model.save(tmp_path / "model"))
    assert loaded.topic_names_ == model.topic_names_
    assert loaded.components_.tobytes() == model.components_.tobytes()
    assert repr(loaded.guide) == repr(guide)
    assert repr(list(loaded.guide_report_)) == repr(list(model.guide_report_))


@pytest.mark.parametrize("name", ["online", "vb", "plsa"])
def test_words_together_share_topics_and_words_apart_do_not(corpus, name):
    X, _, seeds = corpus
    guide = Guide().together(seeds[0][0], seeds[1][0]).apart(seeds[2][0], seeds[2][1])
    with _quietly():
        model = MODELS[name](guide).fit(X)
    weights = model.components_ * model.transform(X).sum(axis=0)[:, None]
    profile = weights / weights.sum(axis=0)
    a, b, c, d = (WORDS.index(word) for word in (seeds[0][0], seeds[1][0], seeds[2][0], seeds[2][1]))
    assert np.minimum(profile[:, a], profile[:, b]).sum() > 0.9
    assert np.minimum(profile[:, c], profile[:, d]).sum() < 0.1


@pytest.mark.parametrize("name", MODELS)
def test_labels_decide_what_a_topic_is_about(corpus, name):
    X, truth, _ = corpus
    strongest = np.argmax(X @ np.log(truth + 1e-9).T, axis=1)
    guide = Guide().topic("second").topic("fourth").label(strongest == 1, "second").label(strongest == 3, "fourth")
    model = MODELS[name](guide).fit(X)
    assert [int(np.argmax(truth @ model.components_[k])) for k in (0, 1)] == [1, 3]
    labels = [report for report in model.guide_report_ if report.name.startswith("label")]
    assert all(report.heeded and report.with_guide >= report.without for report in labels)


@pytest.mark.parametrize("name", ["online", "gibbs", "plsa", "mixture"])
def test_linked_documents_become_similar(corpus, name):
    X, truth, _ = corpus
    strongest = np.argmax(X @ np.log(truth + 1e-9).T, axis=1)
    order = np.argsort(strongest, kind="stable")
    links = [(int(a), int(b)) for a, b in itertools.pairwise(order) if strongest[a] == strongest[b]]
    guide = Guide().link([*links, *((b, a) for a, b in links)], strength=20)
    report = MODELS[name](guide).fit(X).guide_report_[0]
    assert report.heeded
    assert report.with_guide > report.without - 1e-9


@pytest.mark.parametrize("name", ["online", "vb", "plsa", "mixture"])
@pytest.mark.parametrize("grouped", [False, True])
def test_proportions_hold(corpus, name, grouped):
    X, _, seeds = corpus
    guide = Guide().topic("first", seeds[0]).topic("second", seeds[1])
    plain = MODELS[name](guide).fit(X).transform(X).mean(axis=0)[0]
    by = np.arange(300) % 2 if grouped else None
    wanted = guide.proportion("first", exactly=float(plain) + 0.1, by=by)
    with _quietly():
        model = MODELS[name](wanted).fit(X)
    report = model.guide_report_[2]
    # In a mixture, documents whose topic is certain by more than the largest multiplier stay where they are.
    assert report.with_guide == pytest.approx(plain + 0.1, abs=0.035 if name == "mixture" else 0.01)
    assert report.heeded or name == "mixture"
    assert report.without < report.with_guide + 0.02


@pytest.mark.parametrize("name", ["online", "vb", "plsa", "mixture"])
def test_a_proportion_of_all_documents_does_not_hold_in_every_group(corpus, name):
    X, _, seeds = corpus if name != "mixture" else whole_documents()
    guide = Guide().topic("first", seeds[0]).topic("second", seeds[1])
    shares = MODELS[name](guide).fit(X).transform(X)[:, 0]
    half = np.argsort(np.argsort(shares)) // 150  # documents with little of the topic, and with much
    share = float(shares.mean())
    with _quietly():
        wished = guide.proportion("first", about=(share - 0.02, share + 0.02)).proportion(
            "second", at_least=0.1, by=half
        )
        model = MODELS[name](wished).fit(X)
    of_all, by_half = model.guide_report_[2:]
    assert of_all.heeded
    assert of_all.with_guide == pytest.approx(share, abs=0.03)
    after = model.transform(X)[:, 0]
    assert after[half == 1].mean() - after[half == 0].mean() > 0.7 * (
        shares[half == 1].mean() - shares[half == 0].mean()
    )
    assert by_half.with_guide > 0.09


@pytest.mark.parametrize("name", ["online", "vb", "plsa"])
def test_proportions_of_many_groups_hold_beside_labels_and_links(corpus, name):
    X, _, seeds = corpus
    guide = Guide().topic("first", seeds[0]).label(np.arange(10), "first").link([(i, i + 1) for i in range(299)])
    with _quietly():
        model = MODELS[name](guide.proportion("first", at_least=0.35, by=np.arange(300) % 5)).fit(X)
    report = model.guide_report_[3]
    assert report.heeded
    assert report.with_guide > 0.34, "the share of the group that has least"


@pytest.mark.parametrize("name", ["online", "vb", "plsa"])
def test_a_refit_keeps_the_other_topics_and_their_numbers(corpus, name):
    X, truth, seeds = corpus
    model = MODELS[name](Guide().topic("first", seeds[0]), k=3).fit(X)
    before = model.components_.copy()
    model.refit(X, guide=Guide().topic("first", seeds[0]).topic("new", seeds[3]))
    assert model.topic_names_ == ["first", "1", "2", "new"]
    assert model.n_topics == 4
    assert int(np.argmax(truth @ model.components_[3])) == 3
    kept = [cosine(before[k], model.components_[k]) for k in range(3)]
    assert sum(value > 0.9 for value in kept) >= 2, "only the topic that lost its words changed"


def test_topics_without_names_can_be_kept_in_a_refit(corpus):
    X, _, seeds = corpus
    before = MODELS["online"]().fit(X)
    old = before.components_.copy()
    with pytest.warns(UnheededWishWarning, match="keep: 0, 1, 2, 3"):  # the wished topic takes the words of one
        after = copy.deepcopy(before).refit(X, guide=Guide().keep(before, range(4)).topic("wished", seeds[0]))
    assert after.topic_names_ == ["0", "1", "2", "3", "wished"]
    kept = [k for k in range(4) if cosine(old[k], after.components_[k]) > 0.9]
    assert len(kept) >= 3


def test_a_refit_of_a_mixture_keeps_the_other_topics():
    X, truth, seeds = whole_documents()
    model = MODELS["mixture"](Guide().topic("first", seeds[0]), k=3).fit(X)
    before = model.components_.copy()
    model.refit(X, guide=Guide().topic("first", seeds[0]).topic("new", seeds[2]))
    assert model.topic_names_ == ["first", "1", "2", "new"]
    assert int(np.argmax(truth @ model.components_[3])) == 2
    assert sum(cosine(before[k], model.components_[k]) > 0.9 for k in range(3)) >= 2
    again = model.components_.copy()
    assert min(cosine(a, b) for a, b in zip(again, model.refit(X).components_)) > 0.99, "nothing was corrected"


@pytest.mark.parametrize("name", ["online", "vb", "plsa", "mixture"])
def test_the_multiplier_of_a_proportion_is_reported(corpus, name):
    X, _, seeds = corpus
    guide = Guide().topic("first", seeds[0]).topic("second", seeds[1])
    plain = MODELS[name](guide.proportion("first", at_least=0.001)).fit(X).guide_report_[2]
    assert plain.notes == ("the bounds hold without a multiplier",)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnheededWishWarning)
        more = MODELS[name](guide.proportion("first", exactly=min(1.0, plain.with_guide + 0.1))).fit(X).guide_report_[2]
    (note,) = more.notes
    assert note.startswith("the bounds multiply the topic's odds in every document by ")
    assert float(note.rpartition(" ")[2]) > 1.0


def test_mergers_free_a_number_and_renaming_keeps_one(corpus):
    X, _, seeds = corpus
    model = MODELS["online"](Guide().topic("first", seeds[0]).topic("second", seeds[1])).fit(X)
    before = model.components_.copy()
    model.refit(X, guide=Guide().merge("first", "second").topic("named", number=3))
    assert model.topic_names_ == ["first", "1", "2", "named"]
    merged = before[0] * 0.5 + before[1] * 0.5
    assert cosine(model.components_[0], merged) > 0.8
    assert cosine(model.components_[3], before[3]) > 0.9


@pytest.mark.parametrize("name", ["online", "vb", "plsa", "mixture"])
def test_a_guide_with_kept_and_merged_topics_can_be_refitted_and_corrected_again(corpus, name):
    X, _, seeds = corpus if name != "mixture" else whole_documents()
    old = MODELS[name](Guide().topic("war", seeds[0]).topic("iraq", seeds[1])).fit(X)
    guide = Guide().keep(old, topics=["war"]).merge("war", "iraq").topic("third", seeds[2])
    model = MODELS[name](guide).fit(X)
    assert model.topic_names_ == ["war", "third", "2", "3"], "the merged topic needs no number"
    reports = {report.name: report for report in model.guide_report_}
    assert reports["keep: war"].with_guide > 0.8
    assert reports["merge: war, iraq"].measure == "cosine with the sum of the merged topics"
    assert reports["merge: war, iraq"].heeded
    merged = old.components_[:2].mean(axis=0)
    assert cosine(model.components_[0], merged) > 0.8, "both topics of the old model are in it"
    with _quietly():
        model.refit(X, guide=guide.topic("fourth", seeds[3]))
        assert model.topic_names_ == ["war", "third", "2", "3", "fourth"]
        assert model.refit(X).topic_names_ == ["war", "third", "2", "3", "fourth"]


def test_wishes_about_a_merged_topic_become_wishes_about_the_merger(corpus, tmp_path):
    X, _, seeds = corpus
    guide = Guide().topic("first", seeds[0]).topic("second", seeds[1]).label([0, 1], "second")
    model = MODELS["online"](guide).fit(X)
    merged = guide.merge("first", "second")
    with _quietly():
        model.refit(X, guide=merged)
    assert model.topic_names_ == ["first", "1", "2", "3"]
    columns = [WORDS.index(word) for word in (*seeds[0], *seeds[1])]
    assert (model.components_[0, columns] > 0.01).all(), "the words of both are in the merger"
    assert [report.name for report in model.guide_report_][1] == "topic second"
    loaded = driftline.load(model.save(tmp_path / "model"))
    np.testing.assert_array_equal(loaded.guided_shares(X), model.guided_shares(X))
    again = loaded.refit(X, guide=Guide().merge("first", "second"))
    assert again.topic_names_ == ["first", "1", "2", "3"], "what was merged before stays merged"
    with pytest.raises(InvalidInput, match="'second' is merged into 'first'; give the proportion of the merged topic"):
        model.refit(X, guide=merged.proportion("second", at_least=0.1))
    with pytest.raises(InvalidInput, match="there is no topic 'sekond'; did you mean 'second'"):
        MODELS["online"](Guide().topic("first", seeds[0]).topic("second", seeds[1]).label([0], "sekond")).fit(X)
    with pytest.raises(InvalidInput, match="there is no topic 'thrid'"):
        model.refit(X, guide=Guide().merge("first", "thrid"))


@pytest.mark.parametrize("name", ["online", "plsa", "mixture"])
def test_a_refit_that_fails_leaves_the_model_as_it_was(corpus, name):
    X, _, seeds = corpus
    guide = Guide().topic("first", seeds[0])
    with _quietly():
        model = MODELS[name](guide).fit(X)
    before = model.components_.copy()
    with pytest.raises(InvalidInput, match="no word is left"):
        model.refit(X, guide=guide.topic("new", ["unknown"]))
    assert (model.n_topics, model.topic_names_, model.guide) == (4, ["first", "1", "2", "3"], guide)
    np.testing.assert_array_equal(model.components_, before)


def test_the_report_of_a_refit_says_what_a_topic_had_of_its_words_before(corpus):
    X, _, seeds = corpus
    model = MODELS["online"](Guide().topic("first", seeds[0]), k=3).fit(X)
    assert np.isnan(model.guide_report_[0].without)
    model.refit(X, guide=model.guide.topic("new", seeds[3]))
    old, new = model.guide_report_
    assert old.without > 0.9
    assert new.without == 0.0
    assert new.with_guide > 0.5


def test_kept_topics_start_another_model(corpus):
    X, _, seeds = corpus
    old = MODELS["online"](Guide().topic("first", seeds[0])).fit(X[:150])
    new = MODELS["online"](Guide().keep(old, ["first"]).topic("second", seeds[1])).fit(X[150:])
    assert new.topic_names_[:2] == ["first", "second"]
    assert cosine(new.components_[0], old.components_[0]) > 0.9


def test_weak_seed_words_are_not_ignored_silently(corpus):
    X, truth, seeds = corpus
    weak = LDA(4, seed_words={3: seeds[0]}, seed_weight=0.5, vocabulary=WORDS, doc_topic_prior=0.2, random_state=0)
    assert int(np.argmax(truth @ weak.fit(X).components_[3])) == 0, "seeds start in their topic, whatever their weight"
    everywhere = np.full((300, 4), 0.2)
    everywhere[:, 3] = 0.0  # no document has the topic
    with pytest.warns(UnheededWishWarning, match=f"mostly used in other topics than their own: .*{seeds[0][0]!r}"):
        weak.fit(X, document_prior=everywhere)


def test_streams_take_wishes_about_words(corpus):
    X, truth, seeds = corpus
    model = LDA(4, guide=Guide().topic("third", seeds[2]), doc_topic_prior=0.2, vocabulary=WORDS, random_state=0)
    for _ in range(4):
        model.partial_fit(X)
    assert int(np.argmax(truth @ model.components_[0])) == 2
    assert model.topic_names_[0] == "third"
    with pytest.raises(InvalidInput, match="partial_fit takes only wishes about words"):
        LDA(4, guide=Guide().label([0], 0)).partial_fit(X)


def test_refused_combinations(corpus):
    X = corpus[0]
    bounded = Guide().proportion(0, at_least=0.3)
    for name in ("gibbs", "parts"):
        with pytest.raises(InvalidInput, match="proportions of topics need inference"):
            MODELS[name](bounded).fit(X)
    with pytest.raises(InvalidInput, match="either seed_words or a guide"):
        LDA(4, seed_words={0: [0]}, guide=Guide().topic("a", [1])).fit(X)
    with pytest.raises(InvalidInput, match="decoding of sequences"):
        LDA(4, guide=Guide().rule(TagRule.bio())).fit(X)
    with pytest.raises(InvalidInput, match="exclude each other"):
        LDA(4, doc_topic_prior="learned", guide=Guide().label([0], 0)).fit(X)
    with pytest.raises(InvalidInput, match="fixed temperature"):
        PLSA(4, guide=bounded, temperature="held-out").fit(X)
    with pytest.raises(InvalidInput, match="different topics"):
        MixtureOfUnigrams(4, guide=Guide().label([0], 1)).fit(X, [0] + [-1] * 299)


@contextlib.contextmanager
def _quietly():
    """Ignore that wishes were not heeded."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnheededWishWarning)
        yield


@pytest.mark.parametrize("guide", [Guide().link([(0, 0), (1, 9999)]), Guide().topic("a").label([9999], "a")])
def test_wishes_without_remaining_words_are_not_reported_as_heeded(guide):
    X = sp.csr_array(np.random.default_rng(0).poisson(0.3, (30, 120)).astype(float))
    with pytest.warns(UnheededWishWarning, match="not heeded"):
        model = LDA(3, guide=guide, vocabulary=WORDS, random_state=0, max_epochs=3).fit(X)
    assert not model.guide_report_[len(guide.wishes) - 1].heeded


@pytest.mark.parametrize("family", [LDA, PLSA, MixtureOfUnigrams])
def test_guided_models_can_return_frames(family):
    X = sp.csr_array(np.random.default_rng(0).poisson(0.3, (30, 120)).astype(float))
    guide = Guide().topic("a", [WORDS[0]]).label([0, 1], "a").link([(2, 3)])
    plain, framed = (family(3, guide=guide, vocabulary=WORDS, random_state=0) for _ in range(2))
    framed.set_output(transform="pandas")
    with _quietly():
        np.testing.assert_array_equal(plain.fit(X).components_, framed.fit(X).components_)
        assert repr(plain.guide_report_[1]) == repr(framed.guide_report_[1])
        more = guide.topic("b", [WORDS[1]])
        np.testing.assert_array_equal(plain.refit(X, guide=more).components_, framed.refit(X, guide=more).components_)


def test_wishes_are_described_in_the_singular_and_by_one_share():
    guide = Guide().topic("a", ["x"]).link([(0, 1)]).proportion("a", exactly=0.25)
    assert [wish.described() for wish in guide.wishes[1:]] == ["link: 1 link", "proportion of a: 0.25"]
