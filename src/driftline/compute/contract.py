"""Contract of all devices: sets of kernels with the same modules and the same functions.

A family writes ``current_kernels().burst.cheapest_path(...)``; the classes here are its types for mypy, and list what
another device must provide. Arguments and results are documented with the functions, in ``compute/cpu``.
"""

from __future__ import annotations

from typing import Protocol

from driftline.compute.contracts import coding, inference, intensity, local, text, topics


class KernelSet(Protocol):
    """The kernels of one device, by module."""

    burst: intensity.Burst
    clauses: inference.Clauses
    document_completion: topics.Completion
    local_contexts: coding.Contexts
    cosine_scores: local.CosineScores
    counting: text.Counting
    crf: inference.Crf
    decayed_clusters: inference.DecayedClusters
    dictionary: coding.Dictionary
    dirichlet_clusters: inference.DirichletClusters
    epoch_clusters: inference.EpochClusters
    fields: inference.Fields
    franchise: inference.Franchise
    gamma_tails: local.GammaTails
    gaussian_clusters: inference.GaussianClusters
    hellinger: coding.Hellinger
    hidden_markov: inference.HiddenMarkov
    intensity_chains: intensity.IntensityChains
    intensity_ep: intensity.IntensityEp
    intensity_exact: intensity.IntensityExact
    intensity_online: intensity.IntensityOnline
    latent_features: inference.LatentFeatures
    lda_epochs: topics.LdaEpochs
    lda_gibbs: topics.LdaGibbs
    lda_memory: topics.LdaMemory
    lda_online: topics.LdaOnline
    lda_sampled: topics.LdaSampled
    lda_vb: topics.LdaVb
    leave_one_out: local.LeaveOneOut
    leave_pair_out: local.LeavePairOut
    logistic: local.Logistic
    logistic_path: local.LogisticPath
    logistic_sparse: local.LogisticSparse
    markov: inference.Markov
    memory: inference.Memory
    message_passing: inference.MessagePassing
    mixture_weights: local.MixtureWeights
    naive_bayes: local.NaiveBayes
    near_copies: text.NearCopies
    neighbours: text.Neighbours
    nested_topics: inference.NestedTopics
    ngram: local.Ngram
    ngram_seating: inference.NgramSeating
    particles: intensity.Particles
    passages: text.Passages
    plsa: topics.Plsa
    postings: text.Postings
    resampling: inference.Resampling
    running_sums: local.RunningSums
    segments: coding.Segments
    small_chains: inference.SmallChains
    sparse_coding: coding.SparseCoding
    sticky_chain: intensity.StickyChain
    story_links: text.StoryLinks
    story_seating: text.StorySeating
    story_words: text.StoryWords
    switching_kalman: intensity.SwitchingKalman
    topical_coding: coding.TopicalCoding
    unigrams: topics.Unigrams
    windows: local.Windows
