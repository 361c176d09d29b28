"""The public classifiers of the family, and the base class they share."""
