import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from driftline.engines.blas import one_blas_thread


def blas_threads():
    np.ones((2, 2)) @ np.ones((2, 2))
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_one_thread_inside_and_as_before_afterwards():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        assert before
        with one_blas_thread():
            assert set(blas_threads()) == {1}
        assert blas_threads() == before
        with pytest.raises(ZeroDivisionError), one_blas_thread():
            raise ZeroDivisionError
        assert blas_threads() == before
