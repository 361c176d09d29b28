"""Topics, their intensities and their bursts, tracked together."""

from driftline.intensity.burst_automaton import BurstAutomaton
from driftline.intensity.word_bursts import WordBursts

__all__ = ["BurstAutomaton", "WordBursts"]
