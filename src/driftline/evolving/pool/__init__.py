"""The default method: a pool of regressions with different weights of the neighbour graph."""
