"""Guidance: a user's wishes for topics, compiled to plain arrays that the model families take."""

from driftline.guidance.guide import Guide
from driftline.guidance.tag_rules import TagRule
from driftline.guidance.wish_report import WishReport

__all__ = ["Guide", "TagRule", "WishReport"]
