"""A naive Bayes classifier whose word distributions and class shares change with time."""
