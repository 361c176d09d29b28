"""The commands of the command line: name → where it is, and what it does in one line.

A command's module is imported only when the command runs or shows its own help, and imports what is heavy inside its
functions. The line here must be the first sentence of the command's help; a test compares them.
"""

from __future__ import annotations

from typing import NamedTuple


class CommandEntry(NamedTuple):
    """Where a command lives (``module:function``), and its help in one line."""

    home: str
    help: str


COMMANDS = {
    "demo": CommandEntry(
        "driftline.cli.demo:demo", "Simulate a newswire whose truth is known, analyse it, and write the report."
    ),
    "report": CommandEntry(
        "driftline.cli.report:report", "Say what changed in SOURCE, when, and how sure that is, as one HTML file."
    ),
    "bursts": CommandEntry(
        "driftline.cli.bursts:bursts", "List the words of SOURCE that burst, when, and how strongly."
    ),
    "watch": CommandEntry(
        "driftline.cli.watch:watch",
        "Follow SOURCE as it grows: topics of documents, bursts that begin or end.",
    ),
    "label": CommandEntry(
        "driftline.cli.label:label", "Label every document of SOURCE, in which few have labels, frame by frame."
    ),
    "fit": CommandEntry("driftline.cli.fit:fit", "Learn a model that follows the drift of SOURCE, and save it."),
    "predict": CommandEntry("driftline.cli.predict:predict", "Ask the saved MODEL about every document of SOURCE."),
    "topics": CommandEntry(
        "driftline.cli.topics:topics",
        "Find the topics of SOURCE: their words, their share, and how they change.",
    ),
    "flow": CommandEntry(
        "driftline.cli.flow:flow", "Draw what BOOK is about, from its first word to its last, as one HTML file."
    ),
    "read": CommandEntry("driftline.cli.read:read", "Say what is in SOURCE: how many documents, from when to when."),
    "describe": CommandEntry("driftline.cli.describe:describe", "Say what a saved model is, and whether it is whole."),
    "completion": CommandEntry(
        "driftline.cli.completion:completion", "Print the script that completes commands in SHELL."
    ),
}
