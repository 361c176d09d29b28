"""The model of `driftline watch`: learned once, then kept in the state's folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftline.cli.conventions import say
from driftline.core.errors import InvalidInput
from driftline.core.progress import announce

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from driftline.base.text_model import TextModel

NAMED = 3
"""Number of words that name a discovered topic."""
RECORD = "training.json"
"""Name of the file that records what the topics are learned from, written before learning begins."""


def model_for_watching(options: dict[str, Any], training: str | None, n_topics: int | None, folder: Path) -> TextModel:
    """Return the saved model, or learn one.

    The same command may be run again after a crash at any time: if no model was saved yet, it is learned again;
    otherwise the saved one is used. Different training documents are refused, not ignored.
    """
    import driftline
    from driftline.persistence.model import is_saved_model

    home = folder / "model"
    asked = {"source": None if training is None else str(Path(training).absolute()), "topics": n_topics}
    if is_saved_model(home):
        if training is not None or n_topics is not None:
            if recorded_training(folder) != asked:
                raise InvalidInput(
                    f"{home} already contains a model, learned from another source; omit --train and --topics, "
                    f"or name another --state"
                )
            say(f"{home} contains the topics that an earlier run learned from {training}; using them", err=True)
        saved: TextModel = driftline.load(home)
        return saved
    if training is None:
        raise InvalidInput(f"{home} contains no model yet; name a source from which to learn the topics with --train")
    if recorded_training(folder) is not None:
        say("An earlier run was stopped before it had learned the topics; they are learned again", err=True)
    table, labels = _labelled(options, training, n_topics)
    _record(folder, asked)
    return _learned(table, labels, home)


def _labelled(options: dict[str, Any], training: str, n_topics: int | None) -> tuple[pa.Table, np.ndarray]:
    """Return the training documents, and a topic for each."""
    import driftline
    from driftline.compute.compilation_notice import announce_compilation

    announce_compilation()
    table = driftline.read(training, **{name: value for name, value in options.items() if name != "format"}).table()
    if n_topics is None:
        table = table.filter(table["label"].is_valid())
        labels = table["label"].to_numpy().astype(str)
    else:
        labels = _topics_of(table, n_topics)
    if len(set(labels)) < 2:
        how = (
            "name their column with --label, or find topics with --topics"
            if n_topics is None
            else "supply more documents"
        )
        raise InvalidInput(f"the documents of {training} have {len(set(labels))} different topics; {how}")
    return table, labels


def _learned(table: pa.Table, labels: np.ndarray, home: Path) -> TextModel:
    from driftline.base.text_model import TextModel
    from driftline.intensity.bursts.burst_watcher import IntensityWatcher

    announce(f"Learning {len(set(labels))} topics from {len(table):,} documents ...")
    model = TextModel(IntensityWatcher(), weighting="tf-idf").fit(table["text"], labels, times=table["time"])
    model.save(home)
    return model


def _topics_of(table: pa.Table, n_topics: int) -> np.ndarray:
    """Return the main topic of each document, by name, from a topic model of all of them."""
    import numpy as np

    from driftline.streams.corpus import Corpus
    from driftline.text.tokenise import Tokenizer
    from driftline.topics import MixtureOfUnigrams

    tokenizer = Tokenizer(stop_words="english")
    corpus = Corpus.from_texts(table["text"], range(len(table)), tokenizer=tokenizer, min_df=2, keep_texts=False)
    model = MixtureOfUnigrams(n_topics, random_state=0, vocabulary=corpus.vocabulary).fit(corpus.counts)
    names = np.array([", ".join(map(str, words)) for words in model.top_words(NAMED)])
    return names[model.labels_]


def _record(folder: Path, asked: dict[str, Any]) -> None:
    from driftline.cli.state_folder import write_state_file

    folder.mkdir(parents=True, exist_ok=True)
    write_state_file(folder / RECORD, json.dumps(asked).encode("ascii"))


def recorded_training(folder: Path) -> object:
    """Return the source of the topics; None if it is unknown."""
    from driftline.cli.state_folder import read_state_file

    try:
        return json.loads(read_state_file(folder / RECORD) or b"null")
    except (OSError, ValueError, RecursionError):
        return None
