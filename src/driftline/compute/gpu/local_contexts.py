"""Local contexts: gathered by the processor, which reads every word a few times and computes next to nothing."""

from driftline.compute.cpu.local_contexts import gather_contexts

__all__ = ["gather_contexts"]
