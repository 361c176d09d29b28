"""Results as Plotly figures, for notebooks and for the report: curves in, a `plotly.graph_objects.Figure` out."""

from driftline.figures.bursts import plot_bursts
from driftline.figures.changed_words import plot_changed_words
from driftline.figures.coefficients import plot_coefficients, plot_word_movement  # noqa: F401 (an old name)
from driftline.figures.drift_speed import plot_drift_speed
from driftline.figures.effects import plot_effects
from driftline.figures.evolving import plot_accuracy, plot_weight_changes
from driftline.figures.intensity import plot_intensities
from driftline.figures.panels import plot_panels
from driftline.figures.periods import plot_periods
from driftline.figures.regimes import plot_levels
from driftline.figures.storylines import plot_storylines
from driftline.figures.topic_layout import plot_topic_map, plot_topic_tree
from driftline.figures.topics import plot_lineage, plot_topics
from driftline.figures.volume import plot_volume
from driftline.figures.word_changes import plot_word_changes
from driftline.figures.word_curves import plot_word_curves

__all__ = [
    "plot_accuracy",
    "plot_bursts",
    "plot_changed_words",
    "plot_coefficients",
    "plot_drift_speed",
    "plot_effects",
    "plot_intensities",
    "plot_levels",
    "plot_lineage",
    "plot_panels",
    "plot_periods",
    "plot_storylines",
    "plot_topic_map",
    "plot_topic_tree",
    "plot_topics",
    "plot_volume",
    "plot_weight_changes",
    "plot_word_changes",
    "plot_word_curves",
]
