"""Answers follow the description of the API: schemathesis sends valid and invalid requests."""

import json

import pytest

from tests.service.running import BEARER, send, served, story_lines

pytestmark = pytest.mark.slow


def json_lines():
    """Return a strategy of requests with documents: good, strange and broken lines."""
    from hypothesis import strategies as st

    values = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.just({"a": [1]}))
    times = st.one_of(st.just("2025-03-01T10:00:00Z"), st.just(1_740_000_000.5), st.just("1.2.25"), values)
    document = st.fixed_dictionaries(
        {"time": times, "text": st.one_of(st.just("rain and wind"), values)}, optional={"id": values, "label": values}
    ).map(lambda each: json.dumps(each).encode())
    line = st.one_of(document, document, st.binary(max_size=30).map(lambda each: each.replace(b"\n", b"")))
    return st.lists(line, max_size=8).map(b"\n".join)


@pytest.mark.filterwarnings("ignore")
def test_answers_follow_the_description(tmp_path):
    schemathesis = pytest.importorskip("schemathesis")
    from hypothesis import HealthCheck, Phase, given, settings

    with served(tmp_path / "store") as client:
        send(client, story_lines(700))
        client.service.limits.rate = client.service.limits.burst = 1e9
        description = client.get("/api/openapi.json").json()
        schemathesis.openapi.media_type("application/x-ndjson", json_lines())
        description["paths"].pop("/api/refit", None)
        description["paths"].pop("/api/refit/back", None)
        schema = schemathesis.openapi.from_dict(description)
        n = 0
        statuses = []
        for api in [operation.ok() for operation in schema.get_all_operations()]:
            declared = {int(status) for status in api.definition.raw["responses"] if status.isdigit()}

            @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
            @given(case=api.as_strategy())
            def check(case):
                nonlocal n
                kind = {"Content-Type": "application/x-ndjson" if case.path == "/api/documents" else "application/json"}
                body = case.body if isinstance(case.body, bytes | str) else None
                named = {"json": case.body} if isinstance(case.body, dict | list) else {}
                path = case.path
                for name, value in (case.path_parameters or {}).items():
                    path = path.replace("{" + name + "}", str(value).replace("/", "%2F").replace("?", "%3F") or "x")
                found = client.request(
                    case.method, path, params=case.query or None, content=body, headers={**BEARER, **kind}, **named
                )
                n += 1
                assert found.status_code < 500, (case.method, path, case.query, found.text)
                statuses.append((path, found.status_code))

            statuses.clear()
            check()
            assert not [each for each in statuses if each[1] not in declared | {404, 405, 422, 307}]
            if api.path == "/api/documents" and api.method.upper() == "POST":
                assert {status for _, status in statuses} == {200}
        assert n > 100
