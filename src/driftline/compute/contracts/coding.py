"""Sparse codes of local contexts: modules and functions of a device."""

from __future__ import annotations

from typing import Protocol

from driftline.compute.contracts.kernel import Kernel


class Contexts(Protocol):
    """Local contexts: the kernel-weighted word distribution around a position of a document, as sparse rows."""

    gather_contexts: Kernel


class Dictionary(Protocol):
    """Topics on the simplex: projections, and one sweep of block-coordinate descent over sparse topics."""

    project_rows: Kernel
    sweep_topics: Kernel


class Hellinger(Protocol):
    """Codes and topics under the Hellinger loss ‖√φ − √(Dβ)‖², by majorisation."""

    add_pulls: Kernel
    code_documents: Kernel


class Segments(Protocol):
    """The best cuts of a sequence of vectors into even segments."""

    best_cuts: Kernel


class SparseCoding(Protocol):
    """Non-negative sparse codes of local contexts by greedy coordinate descent (algorithm 1, corrected)."""

    CONTEXTS: int
    GRAM_TOPICS: int
    code_documents: Kernel


class TopicalCoding(Protocol):
    """Sparse topical coding: codes of the words of a document under a Poisson loss."""

    best_topics: Kernel
    code_counts: Kernel
