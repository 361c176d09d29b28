"""What every device offers: sets of kernels with the same modules and the same functions, whatever they run on.

A family writes ``current_kernels().burst.cheapest_path(...)``; the classes here are what mypy knows of it, and what the
author of another device has to provide. Arguments and results are described where the functions are, in
``compute/cpu``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

Kernel: TypeAlias = Callable[..., Any]
"""A compiled function on plain arrays."""


class Burst(Protocol):
    """Kleinberg's automaton: cheapest state sequence, nested bursts, and all words of a corpus at once."""

    batch_costs: Kernel
    batch_levels: Kernel
    burst_weights: Kernel
    cheapest_path: Kernel
    nested_bursts: Kernel
    word_bursts: Kernel


class Completion(Protocol):
    """Topic shares of documents when the topics are known, and how well they predict further words."""

    DOCUMENTS: int
    predicted: Kernel
    settle: Kernel
    toss: Kernel


class Contexts(Protocol):
    """Local contexts: the kernel-weighted word distribution around a position of a document, as sparse rows."""

    gather_contexts: Kernel


class CosineScores(Protocol):
    """Cosine scores of words over time: the projection of a word's residuals on each cosine of the position in time."""

    cosine_scores: Kernel


class Counting(Protocol):
    """From UTF-8 bytes to word numbers to counted rows."""

    count_rows: Kernel
    find_marked: Kernel
    find_words: Kernel
    keep_known: Kernel
    mark_adjacent: Kernel
    number_words: Kernel
    place_rows: Kernel
    refill_slots: Kernel
    spell_ngrams: Kernel


class Dictionary(Protocol):
    """Topics on the simplex: projections, and one sweep of block-coordinate descent over sparse topics."""

    project_rows: Kernel
    sweep_topics: Kernel


class DirichletClusters(Protocol):
    """Collapsed Gibbs sampling of clusters of documents under a Chinese restaurant process."""

    score_documents: Kernel
    sweep_documents: Kernel


class Hellinger(Protocol):
    """Codes and topics under the Hellinger loss ‖√φ − √(Dβ)‖², by majorisation."""

    add_pulls: Kernel
    code_documents: Kernel


class HiddenMarkov(Protocol):
    """Hidden Markov models of many token sequences: expected counts and best paths."""

    best_sequences: Kernel
    expect_sequences: Kernel


class IntensityChains(Protocol):
    """One topic's chain of levels when the documents' topics are known, or known in part."""

    expected_topics: Kernel
    mean_field_chain: Kernel
    sample_levels: Kernel
    sample_topics: Kernel
    smooth_chain: Kernel


class IntensityEp(Protocol):
    """Expectation propagation for IDA-IT: one chain of levels per topic, tied together by the documents."""

    STRETCH: int
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
    """One document at a time: filter it, and smooth the document a fixed number of places back."""

    advance: Kernel


class LdaEpochs(Protocol):
    """Collapsed variational inference for LDA, all documents at once."""

    begin_documents: Kernel
    counts_of: Kernel
    forget: Kernel
    give_back: Kernel
    learn_documents: Kernel
    moved_by: Kernel
    sums_of: Kernel
    word_shares: Kernel


class LdaGibbs(Protocol):
    """Collapsed Gibbs sampling for LDA over packed documents, with the row of a word kept in the cache."""

    count_words: Kernel
    pack_documents: Kernel
    start_tokens: Kernel
    sweep_tokens: Kernel
    unpack_documents: Kernel


class LdaMemory(Protocol):
    """Arrays as the kernels of the topic models on this device want them: padded, aligned."""

    aligned: Kernel
    has_room: Kernel
    pad_columns: Kernel
    padded: Kernel
    scratch_rows: Kernel


class LdaOnline(Protocol):
    """Online collapsed variational inference for LDA, one (document, word) pair at a time."""

    add_up: Kernel
    arrange: Kernel
    fetch_rows: Kernel
    learn_pairs: Kernel
    store_rows: Kernel
    warm_documents: Kernel


class LdaVb(Protocol):
    """The E step of textbook variational inference for LDA, in double precision."""

    expect: Kernel


class LeaveOneOut(Protocol):
    """Leave-one-document-out probabilities of words, in closed form from local and global sums."""

    probabilities: Kernel
    scores: Kernel


class LeavePairOut(Protocol):
    """How often each labelled document would be ranked correctly if it and its opposite had not been labelled."""

    pair_placements: Kernel


class Logistic(Protocol):
    """Weighted logistic regression on sparse rows: Newton steps, solved by preconditioned conjugate gradients."""

    compact_rows: Kernel
    losses_of: Kernel
    newton: Kernel
    probabilities_of: Kernel


class LogisticPath(Protocol):
    """What a path of local fits answers: scores of documents, and the variance of a coefficient."""

    coefficient_variance: Kernel
    scores_by_group: Kernel


class LogisticSparse(Protocol):
    """Weighted logistic regression with an L1 or elastic-net penalty: proximal Newton steps by coordinate descent."""

    columns_of: Kernel
    proximal_newton: Kernel
    slide: Kernel


class Markov(Protocol):
    """Forward, backward and best-path recursions of a Markov chain whose state may have several independent factors."""

    backward_steps: Kernel
    best_steps: Kernel
    draw_state: Kernel
    forward_steps: Kernel
    sample_steps: Kernel
    trace_back: Kernel


class Memory(Protocol):
    """Memory of the device: arrays placed in it, fetched from it, and passing through it."""

    Pipeline: Kernel
    clear: Kernel
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


class NearCopies(Protocol):
    """Documents that repeat an earlier one of their unit with few other words."""

    first_alike: Kernel


class Neighbours(Protocol):
    """Exact nearest neighbours by cosine among sparse rows."""

    nearest_rows: Kernel


class Ngram(Protocol):
    """Local n-gram counts and the probability of every word given the words before it."""

    NEGLIGIBLE: float
    add_local: Kernel
    add_totals: Kernel
    clear_local: Kernel
    score_documents: Kernel
    score_forward: Kernel
    score_left_out: Kernel


class Particles(Protocol):
    """Particle filters: on the implicit model (IDA-IT) and on the explicit one (EDA-IT)."""

    explicit_filter: Kernel
    particle_filter: Kernel
    sample_smoothed: Kernel


class Passages(Protocol):
    """Passages that many documents share."""

    blank_words: Kernel
    count_windows: Kernel
    mark_windows: Kernel


class Plsa(Protocol):
    """EM for probabilistic latent semantic analysis."""

    added: Kernel
    begin_documents: Kernel
    begin_topics: Kernel
    expect: Kernel
    likelihood_of: Kernel
    topics_of: Kernel
    word_shares: Kernel


class Resampling(Protocol):
    """Resampling of particles, which only other kernels call."""


class RunningSums(Protocol):
    """Kernel-weighted sums of sparse counts over time."""

    direct_sums_at_pairs: Kernel
    sums_at_pairs: Kernel
    sums_on_grid: Kernel
    sums_on_ticks: Kernel


class Segments(Protocol):
    """The best cuts of a sequence of vectors into even segments."""

    best_cuts: Kernel


class SparseCoding(Protocol):
    """Non-negative sparse codes of local contexts by greedy coordinate descent (algorithm 1, corrected)."""

    code_documents: Kernel


class StickyChain(Protocol):
    """Forward-backward for a chain that copies its last state or draws a new one."""

    smooth_sticky: Kernel


class SwitchingKalman(Protocol):
    """Topics whose centroids drift (IDA-ITT): a mixture of Kalman filters, and the smoother of one topic's centroid."""

    mixture_filter: Kernel
    smooth_centroid: Kernel


class TopicalCoding(Protocol):
    """Sparse topical coding: codes of the words of a document under a Poisson loss."""

    best_topics: Kernel
    code_counts: Kernel


class Windows(Protocol):
    """Windows of time in which a word is most unusual, and what was counted inside and outside given windows."""

    best_windows: Kernel
    window_sums: Kernel


class KernelSet(Protocol):
    """The kernels of one device, by module."""

    burst: Burst
    completion: Completion
    contexts: Contexts
    cosine_scores: CosineScores
    counting: Counting
    dictionary: Dictionary
    dirichlet_clusters: DirichletClusters
    hellinger: Hellinger
    hidden_markov: HiddenMarkov
    intensity_chains: IntensityChains
    intensity_ep: IntensityEp
    intensity_exact: IntensityExact
    intensity_online: IntensityOnline
    lda_epochs: LdaEpochs
    lda_gibbs: LdaGibbs
    lda_memory: LdaMemory
    lda_online: LdaOnline
    lda_vb: LdaVb
    leave_one_out: LeaveOneOut
    leave_pair_out: LeavePairOut
    logistic: Logistic
    logistic_path: LogisticPath
    logistic_sparse: LogisticSparse
    markov: Markov
    memory: Memory
    message_passing: MessagePassing
    mixture_weights: MixtureWeights
    naive_bayes: NaiveBayes
    near_copies: NearCopies
    neighbours: Neighbours
    ngram: Ngram
    particles: Particles
    passages: Passages
    plsa: Plsa
    resampling: Resampling
    running_sums: RunningSums
    segments: Segments
    sparse_coding: SparseCoding
    sticky_chain: StickyChain
    switching_kalman: SwitchingKalman
    topical_coding: TopicalCoding
    windows: Windows
