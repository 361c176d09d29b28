"""An n-gram language model whose probabilities change with time."""
