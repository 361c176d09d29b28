"""Topic models: what documents are about, and how that changes."""

from driftline.topics.lda import LDA
from driftline.topics.lineage import Lineage, LineageEvent, topic_lineage
from driftline.topics.mixture_of_unigrams import MixtureOfUnigrams
from driftline.topics.over_time import TopicsOverTime, topics_over_time
from driftline.topics.plsa import PLSA
from driftline.topics.stream_learning import TopicBatch, learn_from_stream, topic_flow

__all__ = [
    "LDA",
    "PLSA",
    "Lineage",
    "LineageEvent",
    "MixtureOfUnigrams",
    "TopicBatch",
    "TopicsOverTime",
    "learn_from_stream",
    "topic_flow",
    "topic_lineage",
    "topics_over_time",
]
