"""Clusters whose number is not given, against rivals that are given it."""
