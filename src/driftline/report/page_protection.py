"""Protection of the page: data that cannot become markup, and a policy that blocks all network access.

Document text reaches the page in three ways. As HTML it is escaped by Jinja; as JSON by `json_for_html`; in figures by
`driftline.core.display`. If all of that failed, the policy would still run only scripts with listed hashes, and load
nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable

_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def json_for_html(data: object) -> str:
    """Return JSON that is safe inside a script element: it can neither end the element nor start another.

    >>> json_for_html({"text": "</script>"})
    '{"text":"\\\\u003c/script\\\\u003e"}'
    """
    return escape_json(json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")))


def escape_json(text: str) -> str:
    """Return JSON text in which characters that could end a script element or one of its lines are escaped."""
    for character, escape in _ESCAPES.items():
        text = text.replace(character, escape)
    return text


def content_security_policy(scripts: Iterable[str]) -> str:
    """Return the policy of a page that runs only these inline scripts and loads nothing.

    Styles may be inline because Plotly sets style attributes; because everything else is forbidden, they cannot fetch
    anything. Images may be data URLs (Plotly draws heat maps as images) and blobs (it draws a figure to save it).
    """
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
