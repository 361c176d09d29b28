"""Registers and local memory of the kernels on a graphics processor, compiled without a device.

    python -m benchmarks.topics.gpu_registers PTXAS [TOPICS …]

needs numba-cuda and the program `ptxas` of a CUDA toolkit that is as new as numba-cuda's compiler. Kernels are compiled
for compute capability 9.0. Registers limit how many warps a multiprocessor has at once; an array in local memory, or a
register that is spilled there, is slow.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numba.cuda.dispatcher
from numba import cuda, types

from benchmarks.topics.gpu import head, row
from benchmarks.topics.gpu_limits import BLOCK, REGISTERS, WARPS
from driftline.compute.gpu import lda_epochs, lda_sampled, sparse_coding
from driftline.compute.gpu.lanes import layout_of

CAPABILITY = (9, 0)
SIZES = (64, 256, 1024)
I1, I4, I8, F2, F4, F8 = types.int8, types.int32, types.int64, types.float16, types.float32, types.float64


def without_device():
    """Let numba-cuda compile for a device that is not there."""
    found = SimpleNamespace(compute_capability=CAPABILITY)
    cuda.get_current_device = numba.cuda.dispatcher.get_current_device = lambda: found


def flat(*kinds):
    return tuple(types.Array(kind, 1, "C") for kind in kinds)


def square(*kinds):
    return tuple(types.Array(kind, 2, "C") for kind in kinds)


def of_lda(n_topics):
    """Return the kernels of a pass over documents of one team, and the types of their arguments."""
    layout = layout_of(n_topics)
    for name, module, compiled, more in (
        ("variational", lda_epochs, lda_epochs._learning, (I8, I8, I8)),
        ("sampled", lda_sampled, lda_sampled._sampling, (I8,)),
    ):
        for fixed in (True, False):
            kind = I8 if fixed else F4
            arguments = (*flat(I8, I4, F4, F2, F4, F4, kind, I8), kind, F4, *more)
            most = module.REGISTERS.get((fixed, layout.per_lane))
            kernel = compiled(layout, fixed, True, 1, lda_epochs.LONG)
            yield f"{name}, {'fixed point' if fixed else 'floats'}", n_topics, kernel, arguments, True, most


def of_coding():
    """Return the kernel that codes local contexts, and the types of its arguments."""
    contexts, topics = flat(I8, I4, F8, I8), (*flat(I8, I4, F8), *square(F8), *flat(F8), *square(F8))
    scratch = (*flat(I1), *square(F8, F8, F8, I4, F8), *flat(F8))
    arguments = (*contexts, *topics, F8, F8, F8, I8, *scratch)
    most = sparse_coding.REGISTERS.get("max_registers")
    yield "local contexts", "", sparse_coding._coding, arguments, False, most


def compiled_by(ptxas, kernel, arguments, fast, most):
    """Return the registers, and the bytes of local memory, of a lane."""
    code, _ = cuda.compile_ptx(kernel.py_func, arguments, cc=CAPABILITY, fastmath=fast)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernel.ptx"
        source.write_text(code, encoding="utf-8")
        limits = [] if most is None else [f"--maxrregcount={most}"]
        command = [ptxas, "-arch=sm_90", "-v", *limits, str(source), "-o", str(source.with_suffix(".cubin"))]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    return int(re.search(r"Used (\d+) registers", told).group(1)), int(re.search(r"(\d+) bytes stack", told).group(1))


def main():
    ptxas, sizes = sys.argv[1], tuple(map(int, sys.argv[2:])) or SIZES
    without_device()
    head(
        "Kernels compiled for compute capability 9.0.",
        *("kernel", "K", "registers", "bytes in local memory", "warps at most"),
    )
    for name, n_topics, *kernel in (*(one for n in sizes for one in of_lda(n)), *of_coding()):
        registers, n_bytes = compiled_by(ptxas, *kernel)
        blocks = REGISTERS // (BLOCK * 8 * -(-registers // 8))
        row(name, n_topics, registers, n_bytes, min(WARPS, blocks * BLOCK // 32))


if __name__ == "__main__":
    main()
