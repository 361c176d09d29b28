"""Guided topics: words, labels, links and proportions against simple rivals, and what a correction changes."""
