"""Linear algebra in one thread, for many small systems that threads would slow down.

A BLAS starts a thread per core even for systems of a few hundred unknowns, and these threads wait for each other by
spinning. A factorisation then costs several times its CPU time, and on a busy machine many times its wall time, because
each call waits for a thread that is not running.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import scipy.linalg  # noqa: F401  (loads SciPy's own BLAS, which the controller must find)
from threadpoolctl import ThreadpoolController


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Run the body with BLAS and LAPACK in the calling thread alone; the former setting is restored afterwards.

    >>> with one_blas_thread():
    ...     scipy.linalg.cholesky([[4.0]])
    array([[2.]])
    """
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> ThreadpoolController:
    """Return the controller of the loaded libraries; finding them takes milliseconds, so it is cached."""
    return ThreadpoolController()
