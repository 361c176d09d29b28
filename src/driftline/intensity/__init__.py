"""Topics, their intensities and their bursts, tracked together."""

from driftline.intensity.burst_automaton import BurstAutomaton
from driftline.intensity.classifier import IntensityClassifier
from driftline.intensity.explicit import filter_explicit_stream
from driftline.intensity.simulate import IntensityStream, simulate_intensity_stream, simulate_published_stream
from driftline.intensity.topic_drift import TopicDriftTracker
from driftline.intensity.tracker import IntensityTracker
from driftline.intensity.watcher import IntensityWatcher
from driftline.intensity.word_bursts import WordBursts

__all__ = [
    "BurstAutomaton",
    "IntensityClassifier",
    "IntensityStream",
    "IntensityTracker",
    "IntensityWatcher",
    "TopicDriftTracker",
    "WordBursts",
    "filter_explicit_stream",
    "simulate_intensity_stream",
    "simulate_published_stream",
]
