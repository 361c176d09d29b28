"""Topics in a tree whose width is inferred."""
