"""Models of token sequences, in which the position of a word matters."""

from driftline.sequences.hidden_markov_model import HiddenMarkovModel

__all__ = ["HiddenMarkovModel"]
