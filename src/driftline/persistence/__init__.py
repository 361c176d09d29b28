"""Models on disk: arrays, vocabulary and manifest, without pickle."""
