"""Documents in time order: the stream, the corpus counted from it, its time steps, and what was kept out."""
