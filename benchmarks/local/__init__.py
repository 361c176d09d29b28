"""Models that follow the drift: likelihood, bands, classifiers, changed words, curves for reading."""
