r"""Forward-backward for a chain that copies its last state or draws a new one.

    p(y_t = k | y_{t-1} = j) = ρ δ_jk + (1 - ρ) π_k                                            (1)

Because every draw is from the same π, a step costs O(K), not the O(K²) of a general transition matrix.
"""

import numpy as np

from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def smooth_sticky(likelihood, stay, shares, posterior):
    """Fill `posterior` with p(y_t | all data), documents × classes.

    Returns the expected number of copied states, the expected number of draws of every class (the first state is a
    draw), and the log-evidence.
    """
    n, width = likelihood.shape
    evidence = 0.0
    scales = np.empty(n)
    for t in range(n):
        total = 0.0
        for k in range(width):
            predicted = shares[k]
            if t > 0:
                predicted = stay * posterior[t - 1, k] + (1 - stay) * shares[k]  # Eq. 1
            posterior[t, k] = predicted * likelihood[t, k]
            total += posterior[t, k]
        scales[t] = total
        evidence += np.log(total)
        for k in range(width):
            posterior[t, k] /= total
    n_copied = 0.0
    n_drawn = np.zeros(width)
    after = np.ones(width)
    for t in range(n - 1, -1, -1):
        drawn = 0.0
        for k in range(width):
            filtered = posterior[t, k]
            posterior[t, k] = filtered * after[k]
            after[k] *= likelihood[t, k] / scales[t]
            if t > 0:
                n_copied += stay * posterior[t - 1, k] * after[k]
                n_drawn[k] += (1 - stay) * shares[k] * after[k]
                drawn += shares[k] * after[k]
            else:
                n_drawn[k] += posterior[0, k]
        for k in range(width):
            after[k] = stay * after[k] + (1 - stay) * drawn
    return n_copied, n_drawn, evidence
