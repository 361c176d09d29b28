"""A classifier corrected by the order of the stream, and the evidence that decides how far."""
