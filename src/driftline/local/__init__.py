"""Local likelihood: language models and classifiers that follow the drift."""
