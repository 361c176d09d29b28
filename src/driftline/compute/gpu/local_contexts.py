"""Local contexts: gathered by the processor, because this is mostly reading and hardly any computation."""

from driftline.compute.cpu.local_contexts import gather_contexts

__all__ = ["gather_contexts"]
