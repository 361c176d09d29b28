"""Documents that are linked to each other."""
