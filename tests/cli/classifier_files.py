"""Files of a small labelled stream, for the commands on a saved classifier."""

import csv

from tests.monitoring.streams import texts_of


def write_stream(path, *stream, label=True):
    """Write texts, labels and times as CSV."""
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["time", "text", "label"])
        for text, name, time in zip(*stream):
            writer.writerow([str(time), text, name if label else ""])
    return path


def write_files(folder):
    """Write old, new and drifted documents."""
    write_stream(folder / "old.csv", *texts_of(80, 6))
    write_stream(folder / "new.csv", *texts_of(30, 6, first="2024-06-01", seed=5))
    write_stream(folder / "bare.csv", *texts_of(30, 6, first="2024-06-01", seed=5), label=False)
    drifted = texts_of(30, 6, first="2024-06-01", seed=6, own=("meeting", "pills"), more=("<b>crypto</b>",))
    write_stream(folder / "drifted.csv", *drifted)
    (folder / "empty.csv").write_text("time,text,label\n")
    return folder
