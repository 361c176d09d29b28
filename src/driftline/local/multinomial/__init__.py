"""A word distribution that changes with time, and how fast it changes."""
