from __future__ import annotations

import base64
import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.report.page_protection import content_security_policy, escape_json, json_for_html


@settings(max_examples=40, deadline=None)
@given(
    st.recursive(
        st.text() | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_json_survives_and_holds_no_markup(data):
    text = json_for_html(data)
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == data


def test_nan_is_refused():
    with pytest.raises(ValueError):
        json_for_html([float("nan")])


def test_ready_json_is_escaped_too():
    assert escape_json('"</script><!--"') == '"\\u003c/script\\u003e\\u003c!--"'


def test_the_policy_names_the_scripts_and_nothing_else():
    policy = content_security_policy(["let a = 1"])
    expected = base64.b64encode(hashlib.sha256(b"let a = 1").digest()).decode()
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives["default-src"] == "'none'"
    assert directives["script-src"] == f"'sha256-{expected}'"
    assert directives["base-uri"] == directives["form-action"] == "'none'"
    assert "http" not in policy
    assert "unsafe-eval" not in policy
