"""Stories of a stream: groups of documents that begin, split, merge and end; and clusters of streams of vectors."""

from driftline.nonparametric.stories.clu_stream import CluStream
from driftline.nonparametric.stories.den_stream import DenStream
from driftline.nonparametric.stories.story_results import Story, StoryEvent, StoryShares
from driftline.nonparametric.stories.story_stream import StoryStream

__all__ = ["CluStream", "DenStream", "Story", "StoryEvent", "StoryShares", "StoryStream"]
