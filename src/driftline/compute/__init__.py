"""The hot loops, on plain arrays and nothing else; each device has the same files with the same functions."""
