"""Selection of bandwidths: the criteria, the searches, and mixtures of several widths."""
