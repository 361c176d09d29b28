"""N-gram language models: the hierarchical Pitman-Yor model, and Kneser-Ney smoothing for comparison."""
