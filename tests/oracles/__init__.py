"""Slow, plain, obviously right versions of the fast routines."""
