"""Topic models: modules and functions of a device."""

from __future__ import annotations

from typing import Protocol

from driftline.compute.contracts.kernel import Kernel


class Completion(Protocol):
    """Topic shares of documents under known topics, and their prediction of further words."""

    DOCUMENTS: int
    predicted: Kernel
    settle: Kernel
    toss: Kernel


class LdaEpochs(Protocol):
    """Collapsed variational inference for LDA, all documents at once."""

    begin_documents: Kernel
    counts_of: Kernel
    forget: Kernel
    forget_moved: Kernel
    give_back: Kernel
    learn_documents: Kernel
    moved_by: Kernel
    n_long: Kernel
    prior_of: Kernel
    sums_of: Kernel
    word_shares: Kernel


class LdaGibbs(Protocol):
    """Collapsed Gibbs sampling for LDA over packed documents, with the row of a word kept in the cache."""

    count_words: Kernel
    pack_documents: Kernel
    start_tokens: Kernel
    sweep_forest: Kernel
    sweep_tokens: Kernel
    unpack_documents: Kernel


class LdaMemory(Protocol):
    """Arrays in the layout of the topic models' kernels on this device: padded, aligned."""

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


class LdaSampled(Protocol):
    """Gibbs sampling of the topic shares and topic counts of documents, with the topics fixed during a pass."""

    can_sample: Kernel
    sample_documents: Kernel


class LdaVb(Protocol):
    """The E step of textbook variational inference for LDA, in double precision."""

    expect: Kernel


class Plsa(Protocol):
    """EM for probabilistic latent semantic analysis."""

    added: Kernel
    begin_documents: Kernel
    begin_topics: Kernel
    expect: Kernel
    likelihood_of: Kernel
    topics_of: Kernel
    word_shares: Kernel


class Unigrams(Protocol):
    """EM for a mixture of unigrams."""

    DOCUMENTS: int
    added: Kernel
    begin: Kernel
    evidence_of: Kernel
    expect: Kernel
    joint: Kernel
    log_prior: Kernel
    maximise: Kernel
    parameters_of: Kernel
