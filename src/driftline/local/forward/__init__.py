"""Classification of the next documents by a fit to the past, whose extent is selected by forward validation."""
