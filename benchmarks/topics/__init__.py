"""Topic models against tomotopy, gensim, scikit-learn and river; shares of topics over time."""
