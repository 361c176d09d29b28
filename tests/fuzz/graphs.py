"""Targets of search, rules, networks and tagged files: what is typed, stored or computed there, changed at random."""

from __future__ import annotations

import functools
import hashlib
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from driftline.core.errors import DriftlineError
from driftline.graphs import BayesianNetwork, MarkovLogic, MarkovRandomField, RelationalModel, SearchIndex
from driftline.graphs.search.index_folder import LIST
from driftline.persistence.manifest import content_checksum
from driftline.sequences.conllu import read_conllu
from tests.contracts.comparing import assert_finite, finite_or_refused
from tests.fuzz.mutations import mutate, mutations
from tests.fuzz.targets import Target

DOCUMENTS = [
    ("a", "2001-10-03", "pipeline of gas ends; the gas pipeline burst in Ohio"),
    ("b", "2001-10-02", "a gas pipeline burst"),
    ("c", "2001-11-09", "football results, and nothing but football"),
    ("d", "2002-01-01", ""),
]
RULES = (
    "// smoking\n1.5 Smokes(x) => Cancer(x)\n1.1 Friends(x, y) => (Smokes(x) <=> Smokes(y))\n"
    "!Smokes(Eve) v Cancer(Eve).\n"
)
CONLLU = (
    "# text = Dogs bark .\n1-2\tDogsbark\t_\t_\n1\tDogs\tdog\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n"
    "2\tbark\tbark\tVERB\tVBP\t_\t0\troot\t_\t_\n\n1\tHush\thush\tINTJ\t_\t_\t0\troot\t_\t_\n"
)
WORDS = ["gas", "pipeline", '"', '"gas pipeline"', "of", "“", "OR", "(", "*", "\0", "\ud800", " ", "é", "x" * 300]
VALUES = [None, "u", "v", "", 0, 1, 1.5, float("nan"), True, "none"]

queries = st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=8).map(" ".join)
periods = st.none() | st.sampled_from(["2001-10", "2001", "soon", "", "9999-99", "2001-10-03"]) | st.text(max_size=8)
_columns = st.lists(st.sampled_from(VALUES), max_size=5)
_slots = st.lists(st.none() | st.integers(-1, 5) | st.lists(st.integers(0, 4), max_size=3), max_size=5)
_parents = st.lists(
    st.sampled_from(
        ["x", "y", "to.x", "mode(to.x)", "mean(back.y)", "count(to)", "exists(back.x = u)", "back.x", "count(", ""]
    ),
    max_size=3,
)
_potentials = st.sampled_from([0.0, 1.0, -1.0, 50.0, -float("inf"), float("nan"), float("inf"), 1e308])
factors = st.lists(
    st.tuples(st.lists(st.sampled_from("abcd"), min_size=1, max_size=3), st.lists(_potentials, min_size=8, max_size=8)),
    max_size=5,
)


@functools.cache
def _index() -> SearchIndex:
    return SearchIndex(DOCUMENTS)


def run_query(case: Any) -> None:
    """Search: hits with finite scores, or a refusal."""
    text, around = case

    def searched() -> dict[str, Any]:
        found = _index().search(text, around=around)
        assert found.n_matching <= len(DOCUMENTS)
        return {"scores": [hit.score for hit in found.hits]}

    finite_or_refused(searched, "search")


@functools.cache
def _stored() -> Path:
    folder = Path(tempfile.mkdtemp()) / "index"
    index = SearchIndex(DOCUMENTS[:3], path=folder)
    index.append(DOCUMENTS[3:])
    return folder


def run_index(case: Any) -> None:
    """Open a damaged index, its hashes repaired or not, and search it: an answer or a refusal."""
    number, changes, repaired = case
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "index")
        shutil.copytree(_stored(), folder)
        files = [*sorted(folder.glob("*.safetensors")), folder / LIST]
        path = files[number % len(files)]
        path.write_bytes(mutate(path.read_bytes(), changes))
        if repaired and path.name != LIST:
            content = json.loads((folder / LIST).read_bytes())
            for one in content["segments"]:
                data = (folder / one["file"]).read_bytes()
                one.update(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
            content.pop("checksum")
            content["checksum"] = content_checksum(content)
            (folder / LIST).write_text(json.dumps(content))
        try:
            index = SearchIndex.open(folder)
            hits = index.search("gas pipeline football").hits
            assert_finite([hit.score for hit in hits], "scores of a damaged index")
            index.append([("z", "2003-01-01", "gas again")])
        except DriftlineError:
            pass


def run_rules(case: Any) -> None:
    """Parse and ground changed rules: an answer, or an error that names the line."""
    changes, evidence = case
    rules = mutate(RULES.encode(), changes).decode("utf-8", "replace")

    def answered() -> dict[str, Any]:
        model = MarkovLogic(rules, max_groundings=2000).fit(evidence)
        return {"marginals": list(model.marginals("messages").probabilities.values())}

    finite_or_refused(answered, "rules")


def run_conllu(case: Any) -> None:
    """Read a changed file of tagged sentences: as many tags as words, or a refusal."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.conllu")
        path.write_bytes(mutate(CONLLU.encode(), case))
        try:
            sentences, tags = read_conllu(path)
        except DriftlineError:
            return
        assert [len(one) for one in sentences] == [len(one) for one in tags]
        assert all(sentences)


def run_relations(case: Any) -> None:
    """Learn and query tables of objects with any values and references: finite probabilities, or a refusal."""
    x, y, to, parents = case
    schema = {"A": {"attributes": ["x", "y"], "slots": {"to": "A.back"}}}

    def answered() -> dict[str, Any]:
        model = RelationalModel(schema, {"A.x": parents}, ordered=["A.to"])
        answer = model.fit({"A": {"x": x, "y": y, "to": to}}).query({"A": {"x": x, "y": y, "to": to}})
        return {str(key): list(shares.values()) for key, shares in answer.probabilities.items()}

    finite_or_refused(answered, "relations")


def run_table(case: Any) -> None:
    """Learn and query a Bayesian network from a table with any values: finite probabilities, or a refusal."""
    x, y, asked = case

    def answered() -> dict[str, Any]:
        network = BayesianNetwork({"y": ["x"]}, random_state=0, max_steps=5).fit({"x": x, "y": y})
        return {name: list(shares.values()) for name, shares in network.query({"x": asked}).items()}

    finite_or_refused(answered, "network")


def run_field(case: Any) -> None:
    """Query a field of any factors: distributions that sum to one, or a refusal."""

    def answered() -> dict[str, Any]:
        field = MarkovRandomField([(names, np.reshape(v[: 2 ** len(names)], [2] * len(names))) for names, v in case])
        found = field.marginals()
        for shares in found.probabilities.values():
            assert abs(shares.sum() - 1) < 1e-6
        field.map(time_limit=0.0)
        return {str(name): shares for name, shares in found.probabilities.items()}

    finite_or_refused(answered, "field")


_atoms = st.lists(st.sampled_from(["Smokes(Anna)", "!Smokes(Bob)", "Friends(Anna, Bob)", "Cancer(", "x"]), max_size=4)
TARGETS = [
    Target("search-queries", st.tuples(queries, periods), run_query),
    Target("search-index", st.tuples(st.integers(0, 9), mutations, st.booleans()), run_index),
    Target("rules", st.tuples(mutations, _atoms), run_rules),
    Target("conllu", mutations, run_conllu),
    Target("relations", st.tuples(_columns, _columns, _slots, _parents), run_relations),
    Target("network", st.tuples(_columns, _columns, st.sampled_from(VALUES)), run_table),
    Target("field", factors, run_field),
]
