from __future__ import annotations

import numpy as np
import pytest

from driftline import CRF, ConstrainedTagger, Templates
from driftline.sequences.chain_weight import CHAIN_WEIGHTS, N_FOLDS, chosen_weight, train_chain
from driftline.sequences.crf_training import Weights, loss_of
from driftline.sequences.tagging_problem import tagging_problem

WORD = Templates(((("word", 0),),))
LIMITS = (0.5, 300, 1e-10)


def sentences(n, seed, connected):
    """Return sentences whose words are hardly informative; the previous tag is informative if `connected`."""
    rng = np.random.default_rng(seed)
    tokens, tags = [], []
    for _ in range(n):
        states = [int(rng.integers(0, 2))]
        for _ in range(7):
            states.append(int(rng.random() < 0.9) ^ (1 - states[-1]) if connected else int(rng.integers(0, 2)))
        tokens.append([f"w{state if rng.random() < 0.75 else 1 - state}" for state in states])
        tags.append([("A", "B")[state] for state in states])
    return tokens, tags


def right_tags(tokens, tags, weight):
    """Count correct tags fold by fold: the templates are read again, and every fit starts from zero."""
    total = 0
    for number in range(N_FOLDS):
        learned = [i for i in range(len(tokens)) if i % N_FOLDS != number]
        tested = [i for i in range(len(tokens)) if i % N_FOLDS == number]
        problem = tagging_problem(WORD, [tokens[i] for i in learned], [tags[i] for i in learned], None)
        field = CRF(WORD)._keep(problem, train_chain(problem, weight, *LIMITS))
        for i, found in zip(tested, field.predict([tokens[i] for i in tested])):
            total += sum(a == b for a, b in zip(found.tolist(), tags[i]))
    return total


@pytest.mark.parametrize("connected", [True, False])
def test_the_weight_has_the_most_correct_held_out_tags(connected):
    tokens, tags = sentences(30, 3, connected)
    counts = [right_tags(tokens, tags, weight) for weight in CHAIN_WEIGHTS]
    found = chosen_weight(tagging_problem(WORD, tokens, tags, None), *LIMITS)
    assert found == CHAIN_WEIGHTS[int(np.argmax(counts))]
    assert (found > 0) == connected


@pytest.mark.parametrize("weight", [0.0, 1 / 16, 1.0])
def test_the_weights_minimise_the_penalised_loss(weight):
    problem = tagging_problem(WORD, *sentences(12, 1, True), None)
    best = train_chain(problem, weight, *LIMITS).weights
    pairs = problem.pairs._replace(trained=np.ones((2, 2), dtype=bool))

    def objective(weights):
        extra = float((weights.transition**2).sum()) / weight if weight else 0.0
        return loss_of(weights, problem.sentences, pairs)[0] + 0.5 * (float(weights.pairs @ weights.pairs) + extra)

    rng, least = np.random.default_rng(0), objective(best)
    for _ in range(40):
        moved = rng.normal(0, 0.05, (2, 2)) if weight else np.zeros((2, 2))
        other = Weights(best.pairs + rng.normal(0, 0.05, best.pairs.shape), best.transition + moved)
        assert objective(other) > least
    assert bool(best.transition.any()) == (weight > 0)


def test_unknown_tags_are_not_counted_and_a_single_sentence_has_no_chain():
    tokens, tags = sentences(30, 3, True)
    hidden = [None if i % 7 == 0 else [None, *one[1:]] for i, one in enumerate(tags)]
    assert chosen_weight(tagging_problem(WORD, tokens, hidden, None), *LIMITS) > 0
    assert ConstrainedTagger(WORD).fit(tokens[:1], tags[:1]).chain_weight_ == 0


def test_one_fold_of_many_sentences(monkeypatch):
    from driftline.sequences import chain_weight

    calls = []
    monkeypatch.setattr(chain_weight, "_right_tags", lambda *_: calls.append(1) or np.arange(len(CHAIN_WEIGHTS)))
    assert chosen_weight(tagging_problem(WORD, *sentences(500, 0, True), None), *LIMITS) == CHAIN_WEIGHTS[-1]
    assert len(calls) == 1
