"""Targets that read exports of other programs: every message or document is counted."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.fuzz.counting import count_at, count_bulk
from tests.fuzz.mutations import mutate, mutations
from tests.fuzz.sources import anything, has_zeros, json_line, moments, numbers, options, plain, records, run_bytes
from tests.fuzz.targets import Target

PATHS = {
    "elasticsearch": ("hits.hits",),
    "mastodon": ("orderedItems",),
    "telegram": ("messages", "chats.list.*.messages"),
    "slack": ("",),
}


def _documents(kind: str, elements: list[Any], whole: bool) -> Any:
    if kind == "elasticsearch":
        return {"took": 1, "hits": {"total": len(elements), "hits": elements}}
    if kind == "mastodon":
        return {"@context": "x", "orderedItems": elements, "totalItems": len(elements)}
    if kind == "telegram":
        chat = {"name": "a chat", "messages": elements}
        return chat if whole else {"about": "x", "chats": {"about": "y", "list": [chat, {}]}}
    return elements


def run_document(case: Any) -> None:
    """Where the document is well-formed, read + rejected are the elements at the places of the program."""
    kind, elements, whole, changes, given = case
    data = mutate(json_line(_documents(kind, elements, whole)), changes)
    counted = not has_zeros(data) and not {"max_record_bytes", "encoding"} & given.keys() and data[:1] in (b"{", b"[")
    run_bytes("a.json", data, {**given, "format": kind}, count_at(data, *PATHS[kind]) if counted else None)


def run_recognised(case: Any) -> None:
    """Whatever shape is seen in a JSON file, reading it ends well."""
    kind, elements, whole, changes, given = case
    run_bytes("a.json", mutate(json_line(_documents(kind, elements, whole)), changes), given, None)


def run_bulk(case: Any) -> None:
    """Actions and documents in turn, with some of them lost."""
    rows, actions, changes, given = case
    lines = [json_line(line) for row, action in zip(rows, actions) for line in ({action: {"_id": "1"}}, row)]
    data = mutate(b"\n".join([json_line({"index": {}}), *lines]), changes)
    counted = not has_zeros(data) and "max_record_bytes" not in given and b'"hits"' not in data and data[:1] == b"{"
    expected = count_bulk(data.split(b"\n")) if counted and b"Inf" not in data and b"NaN" not in data else None
    run_bytes("a.ndjson", data, {**given, "format": "elasticsearch"}, expected)


_hit = st.fixed_dictionaries(
    {"_id": plain, "_source": st.fixed_dictionaries({"time": moments, "text": plain | anything})}
)
_activity = st.fixed_dictionaries(
    {"actor": plain, "type": st.sampled_from(["Create", "Announce"]), "published": moments | anything},
    optional={
        "object": st.fixed_dictionaries({"content": plain | anything}, optional={"summary": anything}) | anything
    },
)
_part = plain | st.fixed_dictionaries({"type": plain, "text": plain | anything})
_message = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["message", "service"]),
        "date": moments | anything,
        "text": plain | st.lists(_part, max_size=3),
    },
    optional={"date_unixtime": moments | numbers | anything, "from": plain | anything, "id": numbers},
)
_said = st.fixed_dictionaries(
    {
        "type": st.just("message"),
        "ts": st.sampled_from(["1048131240.0002", "9" * 30, "soon"]) | anything,
        "text": plain | anything,
    },
    optional={"user": anything, "subtype": plain, "user_profile": anything, "thread_ts": anything},
)
_elements = {"elasticsearch": _hit, "mastodon": _activity, "telegram": _message, "slack": _said}
_kinds = st.sampled_from(sorted(_elements)).flatmap(
    lambda kind: st.tuples(
        st.just(kind), st.lists(_elements[kind] | anything, max_size=5), st.booleans(), mutations | st.just([]), options
    )
)
_actions = st.lists(st.sampled_from(["index", "create", "update", "delete"]), min_size=8, max_size=8)

TARGETS = [
    Target("export", _kinds, run_document),
    Target("export-shape", _kinds, run_recognised),
    Target("bulk", st.tuples(records, _actions, mutations, options), run_bulk),
]
