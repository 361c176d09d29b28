"""All findings of a stream, as plain data; report, service and command line show them.

The modules of `driftline.analysis.findings` register the fields. Their values are frozen data classes of plain values
and curves, so that `to_json` and `from_json` (in `driftline.analysis.serialise`) are lossless. Times are ISO 8601
strings in UTC; curves are arrays (`driftline.analysis.shown_curves`), and lists only in JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, make_dataclass
from typing import TYPE_CHECKING, Any, get_type_hints

from driftline.analysis import findings
from driftline.analysis.context import Context
from driftline.analysis.finding import Finding
from driftline.analysis.findings.headlines import HEADLINES, Story
from driftline.core.discovery import registered

FINDINGS: tuple[Finding[Any], ...] = tuple(
    sorted(registered(findings, Finding), key=lambda finding: (finding.position, finding.name))
)
"""All findings, in the order of the fields of `Findings`."""


class _Access:
    """What is derived from the findings."""

    @property
    def stories(self) -> list[Story]:
        """The large changes, most important first; words that changed together in the same documents form one story."""
        return HEADLINES.of(self).stories


if TYPE_CHECKING:

    @dataclass(frozen=True, init=False)
    class Findings(_Access):
        """The class below as a type checker sees it."""

        def __init__(self, **values: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...

else:

    def _field(finding: Finding[Any]) -> tuple[Any, ...]:
        kind = get_type_hints(finding.find, localns={"Context": Context})["return"]
        return (
            (finding.name, kind)
            if finding.empty is None
            else (finding.name, kind, field(default_factory=finding.empty))
        )

    Findings = make_dataclass(
        "Findings",
        [_field(finding) for finding in FINDINGS],
        bases=(_Access,),
        frozen=True,
        namespace={
            "__module__": __name__,
            "__doc__": """All findings of one stream.

    `volume` counts documents per day. `changed_words` are the significant ones: lasting changes first, ordered by
    information. `n_words_tested` words were tested, `n_words_changed` are lasting or events, and `word_tests` says to
    which of them the `false_discovery_rate` applies. Word curves count the unit named by `counted`, ``"documents"`` or
    ``"passages"``, and average over about `bandwidth_days` on either side. `dates` lists the documents excluded because
    of their dates; `small` is set if the stream is too small for any claim.
    """,
        },
    )


def find_all(context: Context, wanted: Sequence[Finding[Any]] = FINDINGS) -> Findings:
    """Compute every finding in turn; shared values are computed once."""
    return Findings(**{finding.name: context[finding] for finding in wanted})
