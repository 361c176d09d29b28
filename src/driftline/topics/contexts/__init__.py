"""Topics in context: shares, words and effects by group, author or time, with intervals; and the published models."""
