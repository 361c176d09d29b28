"""How wide the windows in time are: the criteria, the searches, and mixtures of several widths."""
