"""Topic models: what documents are about, and how that changes."""

from driftline.inference.lineage import Lineage, LineageEvent, topic_lineage
from driftline.topics.contexts.comparative_topics import ComparativeTopics
from driftline.topics.contexts.contextual_topics import ContextualTopics
from driftline.topics.contexts.contrasts import Contrasts, contrasts
from driftline.topics.contexts.coverage import Coverage, coverage
from driftline.topics.contexts.effects import Effects, effects
from driftline.topics.contexts.life_cycle import LifeCycle
from driftline.topics.contexts.topic_sentiment import TopicSentiment
from driftline.topics.lda import LDA
from driftline.topics.mixture_of_unigrams import MixtureOfUnigrams
from driftline.topics.networks.network_plsa import NetworkPLSA
from driftline.topics.networks.network_topics import NetworkTopics
from driftline.topics.over_time import TopicsOverTime, topics_over_time
from driftline.topics.plsa import PLSA
from driftline.topics.shown_words import show_words
from driftline.topics.stream_learning import TopicBatch, learn_from_stream, topic_flow
from driftline.topics.topic_cards import TopicCard, TopicGroup
from driftline.topics.topic_ladder import LadderStep, topic_ladder
from driftline.topics.topic_layout import TopicPlaces, TopicTree, topic_distances, topic_places, topic_tree
from driftline.topics.topic_map import TopicMap

__all__ = [
    "LDA",
    "PLSA",
    "ComparativeTopics",
    "ContextualTopics",
    "Contrasts",
    "Coverage",
    "Effects",
    "LadderStep",
    "LifeCycle",
    "Lineage",
    "LineageEvent",
    "MixtureOfUnigrams",
    "NetworkPLSA",
    "NetworkTopics",
    "TopicBatch",
    "TopicCard",
    "TopicGroup",
    "TopicMap",
    "TopicPlaces",
    "TopicSentiment",
    "TopicTree",
    "TopicsOverTime",
    "contrasts",
    "coverage",
    "effects",
    "learn_from_stream",
    "show_words",
    "topic_distances",
    "topic_flow",
    "topic_ladder",
    "topic_lineage",
    "topic_places",
    "topic_tree",
    "topics_over_time",
]
