"""The loop of `driftline label`: suggested against random labels, and its cost."""
