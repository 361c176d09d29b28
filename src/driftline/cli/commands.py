"""The table of commands: name → module and one-line help.

A command's module is imported only when the command runs or shows its own help, and imports heavy packages inside its
functions. The line here must be the first sentence of the command's help; a test compares them.
"""

from __future__ import annotations

from typing import NamedTuple


class CommandEntry(NamedTuple):
    """Location of a command (``module:function``), and its one-line help."""

    home: str
    help: str


COMMANDS = {
    "demo": CommandEntry(
        "driftline.cli.demo:demo", "Simulate a newswire with known truth, analyse it, and write the report."
    ),
    "report": CommandEntry(
        "driftline.cli.report:report", "Report what changed in SOURCE, when, and how certain that is, as one HTML file."
    ),
    "bursts": CommandEntry(
        "driftline.cli.bursts:bursts", "List the words of SOURCE that burst, when, and how strongly."
    ),
    "stories": CommandEntry(
        "driftline.cli.stories:stories", "List the stories of SOURCE, and when each began, split, merged and ended."
    ),
    "watch": CommandEntry(
        "driftline.cli.watch:watch",
        "Follow SOURCE as it grows: topics of documents, starts and ends of bursts.",
    ),
    "serve": CommandEntry(
        "driftline.cli.serve:serve",
        "Run the live service: documents arrive, and a page shows what changes.",
    ),
    "label": CommandEntry(
        "driftline.cli.label:label", "Label every document of SOURCE from a few labels, frame by frame."
    ),
    "fit": CommandEntry("driftline.cli.fit:fit", "Fit a model that follows the drift of SOURCE, and save it."),
    "predict": CommandEntry("driftline.cli.predict:predict", "Apply the saved MODEL to every document of SOURCE."),
    "update": CommandEntry(
        "driftline.cli.update:update", "Update the saved classifier MODEL with the labelled documents of SOURCE."
    ),
    "check": CommandEntry(
        "driftline.cli.check:check",
        "Test whether SOURCE has drifted from the documents that MODEL learned from.",
    ),
    "topics": CommandEntry(
        "driftline.cli.topics:topics",
        "Find the topics of SOURCE: their names, words and shares, and how they change.",
    ),
    "compare": CommandEntry(
        "driftline.cli.compare:compare",
        "Compare SOURCE with OTHER, or groups of SOURCE: topics and words that differ.",
    ),
    "guide": CommandEntry(
        "driftline.cli.guide:guide",
        "Draft a guide: a file of wishes about topics for `driftline topics --guide`.",
    ),
    "regimes": CommandEntry(
        "driftline.cli.regimes:regimes", "List when a series of SOURCE changed from one level to another."
    ),
    "tag": CommandEntry(
        "driftline.cli.tag:tag", "List the names in SOURCE, and which of them became more or less frequent."
    ),
    "search": CommandEntry(
        "driftline.cli.search:search", "List the documents of SOURCE that match QUERY, best first, with snippets."
    ),
    "flow": CommandEntry(
        "driftline.cli.flow:flow", "Draw how the topics of BOOK develop from beginning to end, as one HTML file."
    ),
    "read": CommandEntry(
        "driftline.cli.read:read", "Summarise SOURCE: number of documents, time span, columns, rejected records."
    ),
    "describe": CommandEntry("driftline.cli.describe:describe", "Describe a saved model, and check that it is intact."),
    "engines": CommandEntry(
        "driftline.cli.engines:engines",
        "List the engines of this machine, and which one `auto` would choose.",
    ),
    "completion": CommandEntry("driftline.cli.completion:completion", "Print the completion script for SHELL."),
}
