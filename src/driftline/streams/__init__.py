"""Documents in time order: the stream, the corpus counted from it, its time steps, and rejected records."""
