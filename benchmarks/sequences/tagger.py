"""The tagger that comes with driftline: parts of speech and names on the test part of UD English EWT.

python -m benchmarks.sequences.tagger
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import driftline.sequences
from benchmarks.measure import measure, print_table
from benchmarks.sequences.treebank import bio_names, treebank
from driftline.sequences import HiddenMarkovTagger, english_tagger
from driftline.sequences.spans import span_score


def main():
    parts = treebank()
    words, tags = parts["test"]
    rows = []
    shipped = english_tagger()
    shipped.predict(words[:1])  # compile
    for name, tagger in (
        ("HiddenMarkovTagger, trained on the training part", HiddenMarkovTagger().fit(*parts["train"])),
        ("english_tagger", shipped),
    ):
        found, taken = measure(lambda tagger=tagger: tagger.predict(words))
        right = np.concatenate([np.array(a) == np.array(b) for a, b in zip(found, tags)])
        names = span_score([bio_names(one) for one in tags], [bio_names(one.tolist()) for one in found])
        rows.append([name, f"{100 * right.mean():.2f}", f"{100 * names.f1:.1f}", taken.cpu_seconds])
    n = sum(map(len, words))
    print_table(
        "UD English EWT, test part", ["", "correct tags, %", "F1 of names, %", f"tagging {n:,} words, CPU s"], rows
    )
    folder = Path(driftline.sequences.__file__).parent / "english_model"
    print(f"\nSize of the model: {sum(file.stat().st_size for file in folder.iterdir()) / 2**20:.2f} MiB")


if __name__ == "__main__":
    main()
