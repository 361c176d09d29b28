"""The modules that every device offers, by the family that calls them."""
