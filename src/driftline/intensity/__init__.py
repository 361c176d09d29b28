"""Topics, their intensities and their bursts, tracked together."""

from driftline.intensity.bursts.burst_automaton import BurstAutomaton
from driftline.intensity.bursts.burst_watcher import IntensityWatcher
from driftline.intensity.bursts.word_bursts import WordBursts
from driftline.intensity.classification.intensity_classifier import IntensityClassifier
from driftline.intensity.drift.topic_drift import TopicDriftTracker
from driftline.intensity.simulate import IntensityStream, simulate_intensity_stream, simulate_published_stream
from driftline.intensity.tracking.explicit_process import filter_explicit_stream
from driftline.intensity.tracking.intensity_tracker import IntensityTracker

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
