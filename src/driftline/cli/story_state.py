"""The stories of a source, and the state that `driftline stories --state` keeps between runs.

The state is a saved `StoryStream` and nothing else, so it is replaced in one step, and a crash leaves either the old
stories or the new ones. Its latest time, and the number of its documents with exactly that time, determine which
documents of the source are new.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from driftline.cli.state_folder import locked
from driftline.core.display import one_line
from driftline.core.errors import InvalidInput
from driftline.nonparametric import StoryStream
from driftline.persistence.model import is_saved_model
from driftline.streams.corpus import Corpus
from driftline.streams.preparation import prepare
from driftline.streams.stream import Stream
from driftline.text.left_out import checked_keep
from driftline.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    import pyarrow as pa

    from driftline.streams.preparation import Preparation


SEED = 0
MODEL = "stories"
PER_RUN = frozenset(["boilerplate", "passages", "duplicates"])
"""Kinds of text that are left out because other documents of the same run contain them, too."""
MOST_LIVE = 50_000
"""Maximum number of live stories. Documents without a successor count, so a lower maximum would shorten the memory."""


@dataclass(frozen=True)
class Followed:
    """The model after this run, the texts that it read, the number of the first of them, and notes for the user."""

    model: StoryStream
    texts: pa.ChunkedArray
    first: int
    notes: tuple[str, ...]

    def text(self, document: int, length: int) -> str | None:
        """Return the beginning of a document's text, None if an earlier run read it."""
        place = document - self.first
        if not 0 <= place < len(self.texts):
            return None
        return one_line(self.texts[place].as_py() or "")[:length]


def follow(stream: Stream, text_options: Preparation, memory: str, folder: Path | None) -> Followed:
    """Return the stories of a stream; with a folder, continue those in it and save them there."""
    with contextlib.ExitStack() as stack:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(folder, "stories"))
        held = None if folder is None else _held(folder / MODEL, memory)
        corpus = prepare(stream, **text_options).corpus(min_df=1)
        followed = _begun(corpus, memory) if held is None else _continued(held, corpus)
        if folder is not None:
            followed.model.save(folder / MODEL)
            followed = replace(followed, notes=(*followed.notes, *_found_per_run(text_options["keep"])))
        return followed


def _found_per_run(keep: Collection[str]) -> tuple[str, ...]:
    """Return a note on the text that is left out because of other documents of the same run, if there is any."""
    if checked_keep(keep) >= PER_RUN:
        return ()
    return (
        "Each run prepares its own text: duplicates and passages that many documents share are not found across runs, "
        "so stories may differ from those of one run over all documents; with --keep all they are the same.",
    )


def _held(path: Path, memory: str) -> StoryStream | None:
    """Return the saved stories, None if there are none yet."""
    from driftline.persistence import load

    if not is_saved_model(path):
        return None
    model = load(path)
    if not isinstance(model, StoryStream):
        raise InvalidInput(f"{path} is a saved {type(model).__name__}, not stories; name another --state")
    if model.memory != memory:
        raise InvalidInput(
            f"the stories in {path.parent} have --memory {model.memory}, not {memory}; pass that, or another --state"
        )
    return model


def _begun(corpus: Corpus, memory: str) -> Followed:
    model = StoryStream(memory=memory, max_live=MOST_LIVE, vocabulary=corpus.vocabulary, random_state=SEED)
    model.fit(corpus.counts, times=corpus.times)
    return Followed(model, corpus.texts, 0, _notes(model, 0))


def _continued(model: StoryStream, corpus: Corpus) -> Followed:
    latest, n_latest = model.position
    times = corpus.times
    n_old = int((times < latest).sum())
    n_old += min(int((times == latest).sum()), n_latest)
    first = model.n_documents_
    if n_old < len(times):
        vocabulary = Vocabulary.of(model.vocabulary or ()).add(corpus.vocabulary.words)
        columns = vocabulary.index(corpus.vocabulary.words)
        rows = corpus.counts[n_old:].tocsr()
        wide = sp.csr_matrix((rows.data, columns[rows.indices], rows.indptr), shape=(rows.shape[0], len(vocabulary)))
        model.widen(vocabulary).partial_fit(wide, times=times[n_old:])
    texts = corpus.texts[n_old:] if corpus.texts is not None else ()
    return Followed(model, texts, first, _notes(model, n_old))


def _notes(model: StoryStream, n_old: int) -> tuple[str, ...]:
    notes = []
    if n_old:
        until = np.datetime_as_string(model.position[0], unit="D")
        notes.append(f"{n_old:,} documents up to {until} were skipped: the stories already cover that time.")
    if model.n_crowded_out_:
        notes.append(f"{model.n_crowded_out_:,} stories were ended because more than {model.max_live:,} were live.")
    return tuple(notes)
