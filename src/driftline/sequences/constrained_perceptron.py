r"""Joint training of tags under rules: an averaged perceptron that corrects the errors of constrained decoding.

For every sentence, in random order, the best tags under the rules :math:`\hat y` are found, and
:math:`w \leftarrow w + f(x, y) - f(x, \hat y)`. The result is the mean of the weights after all sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.inference.contract import Info
from driftline.inference.run import run
from driftline.inference.stopping import Stop
from driftline.sequences.crf_training import Pairs, Sentences, Trained, Weights

Decode = Callable[[int, Weights], Ints]
"""A function of the number of a sentence and of weights that returns its best tags under the rules."""


class Perceptron(NamedTuple):
    """The weights, the sums of weight × number of the sentence, for the mean, and the number of sentences so far."""

    pairs: Floats
    transition: Floats
    late_pairs: Floats
    late_transition: Floats
    n_seen: int = 0


class PerceptronProblem(NamedTuple):
    """Sentences with known tags, the weights that exist, and the decoding under the rules."""

    sentences: Sentences
    pairs: Pairs
    keys: Ints
    decode: Decode


class ConstrainedPerceptron:
    """One pass over all sentences per step; the objective is minus the number of wrong tags."""

    def init(self, problem: PerceptronProblem, rng: np.random.Generator) -> Perceptron:
        """Start with zero weights."""
        n, n_tags = len(problem.pairs.pair_tags), len(problem.pairs.starts)
        return Perceptron(np.zeros(n), np.zeros((n_tags, n_tags)), np.zeros(n), np.zeros((n_tags, n_tags)))

    def step(self, state: Perceptron, problem: PerceptronProblem, rng: np.random.Generator) -> tuple[Perceptron, Info]:
        """Correct the weights by the errors in every sentence."""
        sentences, wrong, n_seen = problem.sentences, 0, state.n_seen
        for number in rng.permutation(len(sentences.offsets) - 1):
            begin, end = sentences.offsets[number : number + 2]
            right = sentences.tags[begin:end]
            found = problem.decode(int(number), Weights(state.pairs, state.transition))
            n_seen += 1
            places = np.flatnonzero(found != right)
            if not len(places):
                continue
            wrong += len(places)
            for tags, sign in ((right, 1.0), (found, -1.0)):
                attributes = sentences.attributes[begin:end][places]
                chosen = _pairs_of(problem.keys, attributes, tags[places], len(state.transition))
                np.add.at(state.pairs, chosen, sign)
                np.add.at(state.late_pairs, chosen, sign * n_seen)
                moves = (tags[:-1], tags[1:])
                change = sign * problem.pairs.trained[moves]
                np.add.at(state.transition, moves, change)
                np.add.at(state.late_transition, moves, change * n_seen)
        return state._replace(n_seen=n_seen), Info(-float(wrong))

    def summary(self, states: Sequence[Perceptron]) -> Weights:
        """Return the mean weights: an update at sentence i of n is included n − i + 1 times."""
        last = states[-1]
        n = max(last.n_seen, 1)
        return Weights(
            last.pairs - (last.late_pairs - last.pairs) / n,
            last.transition - (last.late_transition - last.transition) / n,
        )


def train_perceptron(
    sentences: Sentences, pairs: Pairs, decode: Decode, epochs: int, rng: np.random.Generator, verbose: bool
) -> Trained:
    """Train on sentences whose tags are all known."""
    n_tags = len(pairs.starts)
    attributes = np.repeat(np.arange(len(pairs.pointers) - 1), np.diff(pairs.pointers))
    problem = PerceptronProblem(sentences, pairs, attributes * n_tags + pairs.pair_tags, decode)
    done = run(ConstrainedPerceptron(), problem, stop=Stop(epochs), rng=rng, progress="epochs", verbose=verbose)
    return Trained(done.result, -np.array([info.objective for info in done.infos[0]]))


def _pairs_of(keys: Ints, attributes: Ints, tags: Ints, n_tags: int) -> Ints:
    """Return the weights of the attributes of tokens with these tags; pairs without a weight are left out."""
    wanted = (attributes.astype(np.int64) * n_tags + tags[:, None])[attributes >= 0]
    places = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    found: Ints = places[keys[places] == wanted]
    return found
