"""Mixtures and topic models whose clusters and topics are born, change and end over time."""
