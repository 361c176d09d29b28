"""A classifier corrected by the order of the stream, and the validation of that correction."""
