"""Codes of the variants that kernels compute, the same on every device."""

from __future__ import annotations

DIRICHLET, ADDITIVE, JELINEK_MERCER = 0, 1, 2
"""Ways of smoothing word probabilities (`leave_one_out`)."""

GAP, OPERATIONAL, INDEX = 0, 1, 2
"""Measures of the time between documents (`intensity_online`)."""
