"""The default method: a pool of regressions that rely on the neighbour graph to different degrees."""
