"""A logistic regression whose coefficients change with time: single fits, fits along the stream, and selection."""
