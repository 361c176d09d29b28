"""Headlines: changes that are certainly large, their intervals, and words of the same story."""

from driftline.analysis.headlines.cross_fit import CrossFit, cross_fit, cross_fit_short
from driftline.analysis.headlines.groups import Groups
from driftline.analysis.headlines.measured_headlines import describe_headlines
from driftline.analysis.headlines.presence import Presence
from driftline.analysis.headlines.rules import HeadlineRules
from driftline.analysis.headlines.story_headlines import Found, find_headlines

__all__ = [
    "CrossFit",
    "Found",
    "Groups",
    "HeadlineRules",
    "Presence",
    "cross_fit",
    "cross_fit_short",
    "describe_headlines",
    "find_headlines",
]
