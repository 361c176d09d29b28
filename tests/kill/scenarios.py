"""What is killed: saving a model, watching a file, labelling a stream, following stories, adding to a search index."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from click.testing import CliRunner

import driftline
import driftline.cli.watch as watch_command
import driftline.graphs.search.search_index as index_module
import driftline.persistence.model as model_module
import driftline.persistence.model_folder as folder_module
import driftline.persistence.open_model as opened_module
from driftline.cli.main import cli
from driftline.datasets import simulate_newswire
from driftline.graphs import SearchIndex
from driftline.graphs.search.index_folder import LIST, LOCK, read_list
from driftline.persistence.folder_swap import exchange
from driftline.persistence.model import is_saved_model
from driftline.text.vocabulary import Vocabulary
from driftline.topics import MixtureOfUnigrams
from tests.cli.test_watch import lines, records


def model(seed: int) -> MixtureOfUnigrams:
    """Return a small model with arrays and a vocabulary."""
    counts = sp.csr_matrix(np.random.default_rng(seed).poisson(1.0, (20, 8)).astype(float))
    return MixtureOfUnigrams(2, random_state=seed, vocabulary=Vocabulary([f"word{i}" for i in range(8)])).fit(counts)


def content(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder by its path."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def command(*arguments: object) -> None:
    """Run a command of driftline; raise if it fails."""
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments], standalone_mode=True)
    assert result.exit_code == 0, result.output + str(result.stderr)


class Save:
    """Save a model where there is one already, or none."""

    only_read = ()

    def __init__(self, *, over: bool, exchange: bool = True) -> None:
        self.over = over
        self.exchange = exchange
        self.old, self.new = model(1), model(2)
        how = "" if exchange else ", without the exchange of folders"
        self.name = f"save, {'over an old model' if over else 'for the first time'}{how}"

    def prepare(self, folder: Path) -> None:
        if self.over:
            self.old.save(folder / "model")

    def act(self, folder: Path) -> None:
        folder_module.exchange = exchange if self.exchange else lambda one, other: False
        self.new.save(folder / "model")

    def check(self, folder: Path, reference: Path) -> None:
        if self.over or is_saved_model(folder / "model"):
            found = driftline.load(folder / "model").components_.tobytes()
            assert found in (self.old.components_.tobytes(), self.new.components_.tobytes()), "neither old nor new"
        self.act(folder)
        assert content(folder) == content(reference), "saved again, something else is there"
        assert os.listdir(folder) == ["model"], "leftovers"


class Watch:
    """Follow a file that is there, in small batches; it may have been renamed since the last run."""

    only_read = ("log.jsonl", "log.jsonl.1", "labelled.jsonl")

    def __init__(self, *, rotated: bool = False) -> None:
        self.rotated = rotated
        self.name = "watch, a file that was renamed" if rotated else "watch"

    def prepare(self, folder: Path) -> None:
        (folder / "labelled.jsonl").write_text(lines(records(120, 0, "2003-01-01T00:00")))
        log = folder / "log.jsonl"
        log.write_text(lines(records(12, 1, "2003-01-14T00:00")))
        self._watch(folder, "--train", folder / "labelled.jsonl")
        with log.open("a") as file:
            file.write(lines(records(20, 2, "2003-01-15T00:00", busy="war")))
            if self.rotated:
                file.write(lines(records(1, 3, "2003-01-16T00:00"))[:-1])
        if self.rotated:
            log.rename(folder / "log.jsonl.1")
            log.write_text(lines(records(16, 4, "2003-01-17T00:00")))

    def act(self, folder: Path) -> None:
        self._watch(folder)

    def _watch(self, folder: Path, *more: object) -> None:
        watch_command.AT_A_TIME = 8
        state, output = ("--state", folder / "state"), ("--output", folder / "out.jsonl")
        command("watch", folder / "log.jsonl", *state, *output, "--once", "--json", *more)

    def check(self, folder: Path, reference: Path) -> None:
        before = (folder / "out.jsonl").read_text()
        expected = (reference / "out.jsonl").read_text()
        assert len(before) >= 12 * 20, "answers are lost"
        self._watch(folder)
        assert (folder / "out.jsonl").read_text() == expected, "lost, doubled or changed"
        found, wanted = (self._place(place) for place in (folder, reference))
        assert found == wanted, "another state"
        assert not [name for name in os.listdir(folder / "state") if name.endswith(".partial")], "leftovers"

    def _place(self, folder: Path) -> dict[str, object]:
        """Return the place that was kept."""
        place = json.loads((folder / "state" / "place.json").read_bytes())
        return {key: value for key, value in place.items() if key != "checksum"}


class WatchFromTheBeginning(Watch):
    """The first run of all: learn the topics, keep the model, follow the file."""

    def __init__(self) -> None:
        super().__init__()
        self.name = "watch, from the beginning"

    def prepare(self, folder: Path) -> None:
        (folder / "labelled.jsonl").write_text(lines(records(120, 0, "2003-01-01T00:00")))
        (folder / "log.jsonl").write_text(lines(records(20, 1, "2003-01-14T00:00")))

    def act(self, folder: Path) -> None:
        self._watch(folder, "--train", folder / "labelled.jsonl")

    def check(self, folder: Path, reference: Path) -> None:
        self.act(folder)
        assert (folder / "out.jsonl").read_text() == (reference / "out.jsonl").read_text(), "lost, doubled or changed"
        assert self._place(folder) == self._place(reference), "another state"


class Label:
    """Label the second file of a stream, or the first."""

    only_read = ("first.jsonl", "second.jsonl")

    def __init__(self, suffix: str, *, first: bool = False, exchange: bool = True) -> None:
        self.suffix = suffix
        self.first = first
        self.exchange = exchange
        how = "" if exchange else ", without the exchange of folders"
        self.name = f"label, {suffix}, {'the first file' if first else 'the second file'}{how}"
        n = 36
        wire = simulate_newswire(n, random_state=4)
        few = np.random.default_rng(0).random(n) < 0.4
        self.stories = [
            {
                "id": wire.ids[i],
                "time": str(wire.times[i]),
                "text": wire.texts[i],
                "label": str(wire.labels[i]) if few[i] else None,
            }
            for i in range(n)
        ]

    def prepare(self, folder: Path) -> None:
        for name, part in (("first", self.stories[:24]), ("second", self.stories[24:])):
            (folder / f"{name}.jsonl").write_text("".join(json.dumps(story) + "\n" for story in part))
        if not self.first:
            self._label(folder, "first")

    def act(self, folder: Path) -> None:
        folder_module.exchange = exchange if self.exchange else lambda one, other: False
        self._label(folder, "first" if self.first else "second")

    def _label(self, folder: Path, name: str) -> None:
        options = ("--every", "3mo", "--suggestions", folder / "todo.csv", "--state", folder / "state")
        command("label", folder / f"{name}.jsonl", "-o", folder / f"answers{self.suffix}", *options)

    def check(self, folder: Path, reference: Path) -> None:
        if not self.first:
            assert (folder / f"answers{self.suffix}").stat().st_size > 1000, "answers are lost"
        self.act(folder)
        assert content(folder).keys() == content(reference).keys(), "leftovers, or something missing"
        for name in (f"answers{self.suffix}", "todo.csv"):
            assert (folder / name).read_bytes() == (reference / name).read_bytes(), f"{name} differs"
        found, expected = ((place / "state/labeller/model.safetensors").read_bytes() for place in (folder, reference))
        assert found == expected, "another state"


class Stories:
    """Continue the stories of a file that has grown since the last run."""

    only_read = ("wire.jsonl",)
    name = "stories, a file that has grown"

    def __init__(self) -> None:
        wire = simulate_newswire(60, random_state=6)
        self.documents = [{"time": str(time), "text": text} for time, text in zip(wire.times, wire.texts)]

    def prepare(self, folder: Path) -> None:
        self._write(folder, 40)
        self.act(folder)
        self._write(folder, 60)

    def act(self, folder: Path) -> None:
        folder_module.exchange = exchange
        command("stories", folder / "wire.jsonl", "--state", folder / "state")

    def _write(self, folder: Path, n: int) -> None:
        (folder / "wire.jsonl").write_text("".join(json.dumps(document) + "\n" for document in self.documents[:n]))

    def check(self, folder: Path, reference: Path) -> None:
        found = driftline.load(folder / "state/stories").n_documents_
        expected = driftline.load(reference / "state/stories")
        assert found in (40, expected.n_documents_), "stories of neither run"
        self.act(folder)
        assert content(folder) == content(reference), "continued again, something else is there"


class Index:
    """Add documents to an index on disk in several steps; segments are merged on the way."""

    only_read = ()

    def __init__(self, *, first: bool = False) -> None:
        self.first = first
        self.name = "index, from the beginning" if first else "index, documents added"
        wire = simulate_newswire(40, random_state=5)
        stories = list(zip(wire.ids, map(str, wire.times), wire.texts))
        self.steps = [stories[:24], stories[24:28], stories[28:30], stories[30:]]

    def prepare(self, folder: Path) -> None:
        if not self.first:
            SearchIndex(self.steps[0], path=folder / "index")

    def act(self, folder: Path) -> None:
        place = folder / "index"
        index = SearchIndex.open(place) if (place / LIST).exists() else SearchIndex(path=place)
        for step in self.steps:
            known = set(index.ids())
            index.append([story for story in step if story[0] not in known])

    def check(self, folder: Path, reference: Path) -> None:
        whole = [story[0] for step in self.steps for story in step]
        ends = np.cumsum([0, *map(len, self.steps)]).tolist()
        if not self.first or (folder / "index" / LIST).exists():
            found = list(SearchIndex.open(folder / "index").ids())
            assert found == whole[: len(found)], "documents are lost or doubled"
            assert len(found) in ends, "a step was added in part"
            assert self.first or len(found) >= len(self.steps[0]), "documents that were there are lost"
        self.act(folder)
        index, expected = (SearchIndex.open(place / "index") for place in (folder, reference))
        assert list(index.ids()) == list(expected.ids()) == whole, "added again, other documents are there"
        for query in ("market", "president war", '"prime minister"'):
            assert index.search(query) == expected.search(query), "other answers"
        named = {one["file"] for one in read_list(folder / "index").segments}
        left = set(os.listdir(folder / "index")) - named - {LIST, LOCK}
        assert not left, f"leftovers: {sorted(left)}"


def break_swap() -> None:
    """Let folders be replaced as most programs do it: the old one is renamed, and not searched for there."""
    SCENARIOS["save"] = [Save(over=True, exchange=False)]
    for module in (folder_module, opened_module, model_module):
        module.standing_folder = lambda target: target


def break_list() -> None:
    """Let the list of an index name a segment before the segment is on disk."""
    write, naming = index_module.write_segment, index_module.write_list

    def early(folder: Path, segment: object) -> dict[str, object]:
        listed = read_list(folder)
        naming(folder, listed.tokenizer, [*listed.segments, {"file": f"segment-{'0' * 16}.safetensors"}])
        return write(folder, segment)

    index_module.write_segment = early


SCENARIOS = {
    "save": [Save(over=True), Save(over=False), Save(over=True, exchange=False)],
    "watch": [Watch(), Watch(rotated=True), WatchFromTheBeginning()],
    "label": [
        Label(".jsonl"),
        Label(".csv"),
        Label(".parquet"),
        Label(".jsonl", first=True),
        Label(".jsonl", exchange=False),
    ],
    "stories": [Stories()],
    "index": [Index(), Index(first=True)],
}
