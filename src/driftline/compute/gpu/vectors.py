"""Four numbers at once: one load, or one addition in memory, of 16 bytes instead of four of 4.

Numba has no such access to arrays of float32, so it is written as the instruction itself. The simulator, which has no
instructions, and devices that lack the addition (before compute capability 9.0) process one number after the other.
"""

from __future__ import annotations

import functools
from typing import Any

from numba import cuda, float32, types

from driftline.compute.contracts.kernel import Kernel
from driftline.compute.gpu.driver import is_simulated

LOAD = "ld.global.v4.f32 {$0,$1,$2,$3}, [$4];"
LOAD_HALVES = """{ .reg .b32 lo, hi; .reg .b16 a, b, c, d;
ld.global.v2.b32 {lo, hi}, [$4]; mov.b32 {a, b}, lo; mov.b32 {c, d}, hi;
cvt.f32.f16 $0, a; cvt.f32.f16 $1, b; cvt.f32.f16 $2, c; cvt.f32.f16 $3, d; }"""
ADD = "red.global.add.v4.f32 [$0], {$1,$2,$3,$4};"
ADDS_FOUR = (9, 0)
"""First compute capability that adds four numbers at once."""


@cuda.jit(device=True)
def _load_one_by_one(array, start):
    return array[start], array[start + 1], array[start + 2], array[start + 3]


@cuda.jit(device=True)
def _load_halves_one_by_one(array, start):
    return float32(array[start]), float32(array[start + 1]), float32(array[start + 2]), float32(array[start + 3])


@cuda.jit(device=True)
def _add_one_by_one(array, start, a, b, c, d):
    cuda.atomic.add(array, start, a)
    cuda.atomic.add(array, start + 1, b)
    cuda.atomic.add(array, start + 2, c)
    cuda.atomic.add(array, start + 3, d)


def load_four() -> Kernel:
    """Return the function (array, start) → the four elements from `start`, a multiple of four, of a flat array."""
    return _load_one_by_one if is_simulated() else _loading(LOAD)


def load_four_halves() -> Kernel:
    """Return the same function for arrays of float16; the four elements are float32."""
    return _load_halves_one_by_one if is_simulated() else _loading(LOAD_HALVES)


@functools.cache
def _loading(instructions: str) -> Kernel:
    from llvmlite import ir
    from numba.cuda.extending import intrinsic

    @intrinsic
    def load(typing_context, array, start):
        signature = types.UniTuple(types.float32, 4)(array, types.int64)

        def generate(context, builder, signature, arguments):
            place = _place(context, builder, signature, arguments)
            four = ir.LiteralStructType([ir.FloatType()] * 4)
            code = ir.InlineAsm(ir.FunctionType(four, [place.type]), instructions, "=f,=f,=f,=f,l", side_effect=True)
            found = builder.call(code, [place])
            values = [builder.extract_value(found, i) for i in range(4)]
            return context.make_tuple(builder, signature.return_type, values)

        return signature, generate

    return load


@functools.cache
def add_four() -> Kernel:
    """Return the function (array, start, a, b, c, d) that adds to four elements from `start`, a multiple of four."""
    if is_simulated() or cuda.get_current_device().compute_capability < ADDS_FOUR:
        return _add_one_by_one
    from llvmlite import ir
    from numba.cuda.extending import intrinsic

    @intrinsic
    def add(typing_context, array, start, a, b, c, d):
        signature = types.void(array, types.int64, *[types.float32] * 4)

        def generate(context, builder, signature, arguments):
            place = _place(context, builder, signature, arguments)
            kinds = [place.type, *[ir.FloatType()] * 4]
            code = ir.InlineAsm(ir.FunctionType(ir.VoidType(), kinds), ADD, "l,f,f,f,f,~{memory}", side_effect=True)
            builder.call(code, [place, *arguments[2:]])
            return context.get_dummy_value()

        return signature, generate

    return add


def _place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return the address of an element."""
    data = context.make_array(signature.args[0])(context, builder, value=arguments[0]).data
    return builder.gep(data, [arguments[1]])
