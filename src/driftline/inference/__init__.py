"""Each inference algorithm once, for every model family that needs it."""
