"""R̂ and effective sample sizes by the formulas, in plain loops."""

from __future__ import annotations

import math
from statistics import NormalDist, mean, median, variance


def split(chains):
    half = len(chains[0]) // 2
    return [list(chain[:half]) for chain in chains] + [list(chain[len(chain) - half :]) for chain in chains]


def scores(chains):
    every = sorted(value for chain in chains for value in chain)
    rank = {}
    for value in set(every):
        places = [i + 1 for i, other in enumerate(every) if other == value]
        rank[value] = mean(places)
    return [[NormalDist().inv_cdf((rank[value] - 3 / 8) / (len(every) + 1 / 4)) for value in c] for c in chains]


def r_hat(chains):
    n = len(chains[0])
    within = mean(variance(chain) for chain in chains)
    between = n * variance([mean(chain) for chain in chains])
    return math.sqrt(((n - 1) / n * within + between / n) / within)


def rank_normalised_r_hat(chains):
    parts = split(chains)
    middle = median(value for chain in parts for value in chain)
    folded = [[abs(value - middle) for value in chain] for chain in parts]
    return max(r_hat(scores(parts)), r_hat(scores(folded)))


def covariance(chain, lag):
    centre = mean(chain)
    return sum((chain[i] - centre) * (chain[i + lag] - centre) for i in range(len(chain) - lag)) / len(chain)


def size(chains):
    """Geyer's initial monotone sequence on the autocorrelations of several chains together."""
    m, n = len(chains), len(chains[0])
    within = mean(variance(chain) for chain in chains)
    spread = (n - 1) / n * within + variance([mean(chain) for chain in chains])

    def rho(lag):
        return 1.0 if lag == 0 else 1 - (within - mean(covariance(chain, lag) for chain in chains)) / spread

    total, least, lag = -1.0, math.inf, 0
    while rho(lag) + rho(lag + 1) > 0 and lag + 1 < n - 3:
        least = min(least, rho(lag) + rho(lag + 1))
        total += 2 * least
        lag += 2
    total += max(rho(lag), 0.0)
    return m * n / max(total, 1 / math.log10(m * n))


def bulk_size(chains):
    return size(scores(split(chains)))


def tail_size(chains, quantiles):
    parts = split(chains)
    return min(size([[float(value <= limit) for value in chain] for chain in parts]) for limit in quantiles)
