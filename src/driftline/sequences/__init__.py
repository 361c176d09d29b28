"""Models of sequences, in which position matters: words of sentences, and levels of a series."""

from driftline.sequences.constrained_tagger import ConstrainedTagger
from driftline.sequences.crf import CRF
from driftline.sequences.hidden_markov_model import HiddenMarkovModel
from driftline.sequences.hidden_markov_tagger import HiddenMarkovTagger
from driftline.sequences.local_crf import LocalCRF
from driftline.sequences.name_finder import NameFinder
from driftline.sequences.regimes import Regimes
from driftline.sequences.shipped_tagger import english_tagger, names_in, noun_phrases_in
from driftline.sequences.spans import spans_of
from driftline.sequences.templates import Templates
from driftline.sequences.text_sentences import sentences_of

__all__ = [
    "CRF",
    "ConstrainedTagger",
    "HiddenMarkovModel",
    "HiddenMarkovTagger",
    "LocalCRF",
    "NameFinder",
    "Regimes",
    "Templates",
    "english_tagger",
    "names_in",
    "noun_phrases_in",
    "sentences_of",
    "spans_of",
]
