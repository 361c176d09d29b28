"""Few labels on drifting streams, against logistic regression and semi-supervised methods."""
