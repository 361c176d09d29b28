"""Models of token sequences: what a word says depends on where in its document it stands."""

from driftline.sequences.hidden_markov_model import HiddenMarkovModel

__all__ = ["HiddenMarkovModel"]
