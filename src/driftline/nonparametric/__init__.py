"""Models whose size is inferred from the data."""

from driftline.inference.sampled_number import SampledNumber
from driftline.nonparametric.dirichlet_process_mixture import DirichletProcessMixture
from driftline.nonparametric.features.hierarchical_beta_process import HierarchicalBetaProcess
from driftline.nonparametric.features.indian_buffet import IndianBuffet
from driftline.nonparametric.hdp import HDP
from driftline.nonparametric.ngrams.hpylm import HPYLM
from driftline.nonparametric.priors import (
    BetaProcess,
    ChineseRestaurant,
    DirichletProcess,
    IndianBuffetProcess,
    NestedChineseRestaurant,
    RecurrentChineseRestaurant,
    StickBreaking,
)
from driftline.nonparametric.stories import CluStream, DenStream, Story, StoryEvent, StoryShares, StoryStream
from driftline.nonparametric.temporal.cluster_history import ClusterHistory, ClusterLife
from driftline.nonparametric.temporal.evolutionary_hdp import EvolutionaryHDP
from driftline.nonparametric.temporal.infinite_dynamic_topics import InfiniteDynamicTopics
from driftline.nonparametric.temporal.temporal_dpm import TemporalDPM
from driftline.nonparametric.temporal.time_sensitive_dpm import TimeSensitiveDPM
from driftline.nonparametric.trees.hierarchical_lda import HierarchicalLDA
from driftline.nonparametric.trees.node_tree import NodeTree

__all__ = [
    "HDP",
    "HPYLM",
    "BetaProcess",
    "ChineseRestaurant",
    "CluStream",
    "ClusterHistory",
    "ClusterLife",
    "DenStream",
    "DirichletProcess",
    "DirichletProcessMixture",
    "EvolutionaryHDP",
    "HierarchicalBetaProcess",
    "HierarchicalLDA",
    "IndianBuffet",
    "IndianBuffetProcess",
    "InfiniteDynamicTopics",
    "NestedChineseRestaurant",
    "NodeTree",
    "RecurrentChineseRestaurant",
    "SampledNumber",
    "StickBreaking",
    "Story",
    "StoryEvent",
    "StoryShares",
    "StoryStream",
    "TemporalDPM",
    "TimeSensitiveDPM",
]
