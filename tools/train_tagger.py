"""Train the tagger that comes with driftline, and write it into the package.

    python -m tools.train_tagger

It learns the universal parts of speech of UD English EWT (training part), with attributes that occur at least twice,
and keeps the largest weights. It prints the share of correct tags on the dev and the test part, and the size of the
model. `python -m benchmarks.sequences.tagger` scores the model that is in the package.
"""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow.parquet as pq

from driftline.sequences import CRF, Templates

FOLDER = Path(__file__).parents[1] / "src" / "driftline" / "sequences" / "english_model"
DATA = Path(os.environ.get("DRIFTLINE_DATA", "../shared/data"))
L2 = 0.1
"""The penalty, chosen on the dev part."""
N_WEIGHTS = 120_000
"""Number of weights kept; more gain little."""


def main() -> None:
    """Train, prune, score, save."""
    rows = pq.read_table(DATA / "ud_english_ewt.parquet", columns=["split", "tokens", "upos"]).to_pylist()
    parts = {
        split: tuple([row[name] for row in rows if row["split"] == split] for name in ("tokens", "upos"))
        for split in ("train", "dev", "test")
    }
    model = CRF(Templates.parts_of_speech(min_count=2, pairs=True), l2=L2, solver="sgd", epochs=12, random_state=0)
    model.fit(*parts["train"])
    print(f"all {len(model.weights_):,} weights: {scores(model, parts)}")
    model.prune(N_WEIGHTS)
    print(f"{len(model.weights_):,} weights: {scores(model, parts)}")
    model.save(FOLDER)
    size = sum(file.stat().st_size for file in FOLDER.iterdir())
    print(f"{FOLDER.name}: {size / 2**20:.2f} MiB")


def scores(model: CRF, parts: dict[str, tuple[list[list[str]], ...]]) -> str:
    """Return the share of correct tags of the dev and the test part."""
    return ", ".join(f"{split} {100 * model.score(*parts[split]):.2f} %" for split in ("dev", "test"))


if __name__ == "__main__":
    main()
