"""Bursts and intensities: modules and functions of a device."""

from __future__ import annotations

from typing import Protocol

from driftline.compute.contracts.kernel import Kernel


class Burst(Protocol):
    """Kleinberg's automaton: cheapest state sequence, nested bursts, and all words of a corpus at once."""

    batch_costs: Kernel
    batch_levels: Kernel
    burst_weights: Kernel
    cheapest_path: Kernel
    nested_bursts: Kernel
    word_bursts: Kernel


class IntensityChains(Protocol):
    """One topic's chain of levels if the documents' topics are known, fully or partly."""

    expected_topics: Kernel
    mean_field_chain: Kernel
    sample_levels: Kernel
    sample_topics: Kernel
    smooth_chain: Kernel


class IntensityEp(Protocol):
    """Expectation propagation for IDA-IT: one chain of levels per topic, tied together by the documents."""

    SEGMENT: int
    as_shares: Kernel
    decays_of: Kernel
    filter_stream: Kernel
    mix: Kernel
    sweep: Kernel


class IntensityExact(Protocol):
    """The implicit model (IDA-IT) over the joint state of all topics."""

    joint_log_likelihood: Kernel
    summarise_levels: Kernel
    topics_and_levels: Kernel


class IntensityOnline(Protocol):
    """Online filtering of one document at a time, and smoothing with a fixed lag."""

    advance: Kernel


class Particles(Protocol):
    """Particle filters: on the implicit model (IDA-IT) and on the explicit one (EDA-IT)."""

    explicit_filter: Kernel
    particle_filter: Kernel
    sample_smoothed: Kernel


class SwitchingKalman(Protocol):
    """Topics whose centroids drift (IDA-ITT): a mixture of Kalman filters, and the smoother of one topic's centroid."""

    mixture_filter: Kernel
    smooth_centroid: Kernel


class StickyChain(Protocol):
    """Forward-backward for a chain that copies its last state or draws a new one."""

    smooth_sticky: Kernel
