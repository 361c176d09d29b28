"""Models that change over time, and smoothing in time: modules and functions of a device."""

from __future__ import annotations

from typing import Protocol

from driftline.compute.contracts.kernel import Kernel


class CosineScores(Protocol):
    """Cosine scores of words over time: the projection of a word's residuals on each cosine of the position in time."""

    cosine_scores: Kernel


class GammaTails(Protocol):
    """Tails of gamma distributions of scale one, as logarithms."""

    LARGEST_SHAPE: float
    log_tails: Kernel


class LeaveOneOut(Protocol):
    """Leave-one-document-out probabilities of words, in closed form from local and global sums."""

    probabilities: Kernel
    scores: Kernel


class LeavePairOut(Protocol):
    """Leave-pair-out ranks: how often a labelled document is ranked correctly if neither of a pair has a label."""

    pair_placements: Kernel


class Logistic(Protocol):
    """Weighted logistic regression on sparse rows: Newton steps, solved by preconditioned conjugate gradients."""

    compact_rows: Kernel
    losses_of: Kernel
    newton: Kernel
    probabilities_of: Kernel


class LogisticPath(Protocol):
    """Evaluation of a path of local fits: scores of documents, and the variances of coefficients."""

    coefficient_variances: Kernel
    scores_by_group: Kernel


class LogisticSparse(Protocol):
    """Weighted logistic regression with an L1 or elastic-net penalty: proximal Newton steps by coordinate descent."""

    columns_of: Kernel
    proximal_newton: Kernel
    slide: Kernel


class MixtureWeights(Protocol):
    """EM for the weights of a mixture whose parts are fixed."""

    em: Kernel


class NaiveBayes(Protocol):
    """Class-wise local word counts, and the joint log-probability of document and class under them."""

    add_documents: Kernel
    class_shares: Kernel
    clear_documents: Kernel
    joint_scores: Kernel
    joint_scores_forward: Kernel


class Ngram(Protocol):
    """Local n-gram counts and the probability of every word given the words before it."""

    NEGLIGIBLE: float
    add_local: Kernel
    add_totals: Kernel
    clear_local: Kernel
    score_documents: Kernel
    score_forward: Kernel
    score_left_out: Kernel


class RunningSums(Protocol):
    """Kernel-weighted sums of sparse counts over time."""

    direct_sums_at_pairs: Kernel
    sums_at_pairs: Kernel
    sums_on_grid: Kernel
    sums_on_ticks: Kernel


class Windows(Protocol):
    """Windows of time in which the frequency of a word is most unusual, and counts inside and outside given windows."""

    best_windows: Kernel
    window_sums: Kernel
