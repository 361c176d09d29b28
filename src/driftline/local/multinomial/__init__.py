"""A word distribution that changes with time, and the speed of its change."""
