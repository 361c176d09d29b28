"""How far the kernels of LDA on a graphics processor are from its limits: bytes, registers, occupancy.

A pass over the documents is timed on the device. The bytes that a pass must request are counted: every pair reads the
row of its word and adds a row to the counts of that word, every document reads and writes its own counts. In fixed
point, where most additions are zero and left out, only what is read is counted. The bytes are compared with what a copy
within the device moves per second, measured in the same process; rows come from the cache in part, so the share may
exceed one. Registers are those of the compiled kernel, and limit how many blocks, thus warps, a multiprocessor has at
once.

    python -m benchmarks.topics.gpu_limits FOLDER [TOPICS[:REGISTERS] …]

reads the counts that `benchmarks.topics.gpu prepare` writes. With a number of registers, kernels that add floats are
compiled with that number instead of their own. Where Nsight Compute is installed, the same is counted by the hardware
with

    ncu --kernel-name regex:learn --launch-count 8 --metrics dram__bytes.sum,lts__t_bytes.sum,\
smsp__inst_executed.sum,sm__warps_active.avg.pct_of_peak_sustained_active \
        python -m benchmarks.topics.gpu_limits FOLDER 256
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.topics.gpu import head, prepared, row, seconds_of
from benchmarks.topics.speed import BETA, DATA
from driftline.compute.devices import check_device
from driftline.engines.gpu import GpuEngine
from driftline.inference.pairs import Pairs

SIZES = ("64", "256", "1024")
KINDS = {"fixed point": ("variational", True), "floats": ("variational", False), "floats, sampled": ("sampled", False)}
PASSES = 20
COPIED = 2**30
REGISTERS, WARPS = 65_536, 64
"""Registers, and warps at most, of a multiprocessor of compute capability 9.0."""
BLOCK = 128
"""Number of lanes of a block."""


def copied_per_second():
    """Return the bytes read and written per second by copies within the device."""
    from driftline.compute.gpu import memory

    source, target = (memory.empty(COPIED, np.uint8) for _ in range(2))
    target.copy_to_device(source, stream=memory.streams()[0])

    def copy():
        for _ in range(PASSES):
            target.copy_to_device(source, stream=memory.streams()[0])
        memory.streams()[0].synchronize()

    return 2 * PASSES * COPIED / seconds_of(copy)[1]


def pass_of(pairs, n_words, n_topics, kind, deterministic):
    """Return the seconds of a pass, its bytes, and the registers of the kernel for documents of one team."""
    from driftline.compute.gpu import lda_epochs, lda_memory, lda_sampled, memory
    from driftline.compute.gpu.lanes import layout_of

    width, n = lda_memory.padded(n_topics), pairs.n_documents
    placed = [memory.place(array) for array in pairs]
    alpha = memory.place(lda_epochs.prior_of(np.full(n_topics, 5 / n_topics), n_topics))
    start = np.random.default_rng(0).gamma(1.0, 1.0, (n_words, n_topics)).astype(np.float32)
    n_tokens = float(pairs.counts.sum(dtype=np.float64)) * (PASSES + 3)
    sums = lda_epochs.sums_of(start, n_words, n_topics, n_tokens, deterministic)
    documents = lda_epochs.begin_documents(n, n_topics)
    shares = lda_epochs.word_shares(sums, n_words, n_topics, BETA)
    fixed = (documents, *placed, shares, alpha, sums, n_topics, lda_epochs.n_long(pairs.indptr))

    def learn(n_passes, n_warm=0):
        for i in range(n_passes):
            if kind == "variational" or n_warm:
                lda_epochs.learn_documents(*fixed, n_warm, 1.0, 0, 1)
            else:
                lda_sampled.sample_documents(*fixed, 1.0, i)
            memory.streams()
        memory.streams()[0].synchronize()

    learn(1, n_warm=2)
    learn(1)
    taken = seconds_of(lambda: learn(PASSES))[1] / PASSES
    n_bytes = len(pairs.words) * (8 + (2 if deterministic else 6) * width) + n * 8 * width
    compiled = lda_epochs._learning if kind == "variational" else lda_sampled._sampling
    kernel = compiled(layout_of(n_topics), deterministic, True, 1, lda_epochs.LONG)
    return taken, n_bytes, max(kernel.get_regs_per_thread().values())


@contextmanager
def limited_to(n_topics, registers):
    """Compile kernels that add floats with so many registers."""
    from driftline.compute.gpu import lda_epochs, lda_sampled
    from driftline.compute.gpu.lanes import layout_of

    own = {(False, layout_of(n_topics).per_lane): registers}
    with ExitStack() as stack:
        for module, compiled in ((lda_epochs, lda_epochs._learning), (lda_sampled, lda_sampled._sampling)):
            compiled.cache_clear()
            stack.callback(compiled.cache_clear)
            stack.enter_context(patch.dict(module.REGISTERS, own))
        yield


def main():
    folder, sizes = Path(sys.argv[1]), sys.argv[2:] or SIZES
    print(f"Device: {check_device('gpu').name}; NumPy {np.__version__}.", flush=True)
    train, _ = prepared(folder, DATA[-1])
    lengths = np.diff(train.indptr)
    pairs = Pairs.of(train[np.argsort(-lengths, kind="stable")])
    with GpuEngine():
        limit = copied_per_second()
        head(
            f"One pass of LDA over {DATA[-1]}; copies within the device move {limit / 1e12:.2f} TB/s.",
            *("K", "additions", "ms", "G tokens/s", "TB/s requested", "share of a copy's"),
            *("registers", "warps at most"),
        )
        for size in sizes:
            n_topics, *most = map(int, size.split(":"))
            for name, (kind, deterministic) in KINDS.items():
                if most and deterministic:
                    continue
                with limited_to(n_topics, *most) if most else nullcontext():
                    taken, n_bytes, registers = pass_of(pairs, train.shape[1], n_topics, kind, deterministic)
                rate, tokens = n_bytes / taken, float(train.sum()) / taken
                blocks = REGISTERS // (BLOCK * 8 * -(-registers // 8))
                row(
                    *(n_topics, name, f"{1e3 * taken:.2f}", f"{tokens / 1e9:.2f}", f"{rate / 1e12:.2f}"),
                    *(f"{rate / limit:.2f}", registers, min(WARPS, blocks * BLOCK // 32)),
                )


if __name__ == "__main__":
    main()
