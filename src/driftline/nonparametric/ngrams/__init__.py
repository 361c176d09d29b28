"""N-gram language models: the hierarchical Pitman-Yor model, and Kneser and Ney's smoothing beside it."""
