"""The estimator contract: declared parameters, checked input, the `times` keyword, state in and out."""
