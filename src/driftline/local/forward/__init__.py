"""Classification of the next documents: how far back to learn from, selected by forward validation."""
