"""Bursts, intensities, and classifiers corrected by them."""
