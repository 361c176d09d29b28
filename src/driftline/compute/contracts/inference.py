"""Methods of inference that several families share, and memory: modules and functions of a device."""

from __future__ import annotations

from typing import Protocol

from driftline.compute.contracts.kernel import Kernel


class Crf(Protocol):
    """Linear-chain conditional random fields: losses, gradients, stochastic steps, marginals, best tags."""

    best_tags: Kernel
    learn_sentences: Kernel
    loss_and_gradient: Kernel
    score_tokens: Kernel
    several_best: Kernel
    tag_marginals: Kernel


class Clauses(Protocol):
    """Ground formulas as clauses: searches for worlds that satisfy most, and samples of worlds that satisfy all."""

    sample_sat: Kernel
    true_formulas: Kernel
    walk: Kernel


class DecayedClusters(Protocol):
    """Gibbs sampling of clusters of documents whose earlier members are discounted by age."""

    log_seats_in_time: Kernel
    seats_in_time: Kernel
    sweep_in_time: Kernel


class DirichletClusters(Protocol):
    """Collapsed Gibbs sampling of clusters of documents under a Chinese restaurant process."""

    score_documents: Kernel
    seat_documents: Kernel
    sweep_documents: Kernel


class EpochClusters(Protocol):
    """Gibbs sampling of clusters of documents in epochs, whose popularity decays and whose words may drift."""

    score_epoch: Kernel
    sweep_epochs: Kernel


class Fields(Protocol):
    """Single variables of a factor graph given the others: Gibbs sampling, and steps that raise the score."""

    climb: Kernel
    sweep: Kernel


class Franchise(Protocol):
    """Gibbs sampling for the Chinese restaurant franchise by direct assignment."""

    draw_tables: Kernel
    sweep_until_birth: Kernel


class GaussianClusters(Protocol):
    """Collapsed Gibbs sampling of clusters of rows: normal columns, normal-gamma prior."""

    score_rows: Kernel
    seat_rows: Kernel
    sweep_rows: Kernel


class HiddenMarkov(Protocol):
    """Hidden Markov models of many token sequences: expected counts and best paths."""

    best_sequences: Kernel
    expect_sequences: Kernel
    gaussian_logs: Kernel
    gaussian_sums: Kernel


class LatentFeatures(Protocol):
    """Gibbs sampling of binary features of rows under an Indian buffet process."""

    MOST_NEW: int
    expect_features: Kernel
    sweep_features: Kernel


class Markov(Protocol):
    """Forward, backward and best-path recursions of a Markov chain whose state may have several independent factors."""

    backward_steps: Kernel
    best_steps: Kernel
    draw_state: Kernel
    forward_steps: Kernel
    packed: Kernel
    sample_steps: Kernel
    trace_back: Kernel


class Memory(Protocol):
    """Memory of the device: arrays placed in it, fetched from it, and passing through it."""

    Pipeline: Kernel
    clear: Kernel
    empty: Kernel
    explained: Kernel
    fetch: Kernel
    give_back: Kernel
    limit_bytes: Kernel
    pinned: Kernel
    pinned_like: Kernel
    place: Kernel


class MessagePassing(Protocol):
    """Sum-product and max-product on factor graphs, and the Bethe approximation."""

    log_partition: Kernel
    send_messages: Kernel


class NestedTopics(Protocol):
    """Gibbs sampling of paths through a tree and of levels, and paths of further documents."""

    infer_paths: Kernel
    sweep_paths: Kernel


class NgramSeating(Protocol):
    """Gibbs sampling of the seats of a hierarchical Pitman-Yor language model, and its probabilities of words."""

    add_probabilities: Kernel
    sweep_customers: Kernel


class Resampling(Protocol):
    """Resampling of particles, which only other kernels call."""


class SmallChains(Protocol):
    """Recursions of Markov chains of at most four states, which only other kernels call."""
