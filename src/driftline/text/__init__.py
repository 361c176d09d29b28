"""Strings to ids: tokenise, vocabulary, counts, token sequences."""
