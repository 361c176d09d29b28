"""From strings to ids: tokenising, vocabularies, counts and token sequences."""

from driftline.text.counts import WordCounter, count_words
from driftline.text.sequences import TokenSequences, token_sequences
from driftline.text.tokenise import Tokenizer
from driftline.text.vocabulary import Pruned, Vocabulary

__all__ = ["Pruned", "TokenSequences", "Tokenizer", "Vocabulary", "WordCounter", "count_words", "token_sequences"]
