"""All findings of a stream, as plain data; report, service and command line show them.

The modules of `driftline.analysis.findings` register the fields. Their values are frozen data classes of plain values
and curves, so that `to_json` and `from_json` (in `driftline.analysis.serialise`) are lossless. Times are ISO 8601
strings in UTC; curves are arrays (`driftline.analysis.shown_curves`), and lists only in JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, is_dataclass, make_dataclass
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from driftline.analysis import findings
from driftline.analysis.context import Context
from driftline.analysis.finding import Finding
from driftline.analysis.findings.headlines import HEADLINES, Story
from driftline.analysis.findings.source_summary import SOURCE, TITLE
from driftline.analysis.findings.volume import VOLUME
from driftline.analysis.findings.words import CHANGED_WORDS, ChangedWord
from driftline.core.errors import InvalidInput
from driftline.core.pictures import Curves, Picture, Series
from driftline.core.progress import track
from driftline.core.registration import registered
from driftline.core.results import Columns, Frame, FrameKind, Result, columns_of, counted, frame_of

FINDINGS: tuple[Finding[object], ...] = tuple(
    sorted(registered(findings, Finding), key=lambda finding: (finding.position, finding.name))
)
"""All findings, in the order of the fields of `Findings`."""


class _Access(Result):
    """Values derived from the findings."""

    @property
    def stories(self) -> list[Story]:
        """The large changes, most important first; words that changed together in the same documents form one story."""
        return HEADLINES.of(self).stories

    def to_frame(self, kind: FrameKind = "pandas", *, finding: str = "changed_words") -> Frame:
        """Return one finding as a data frame of pandas or polars, or as an Arrow table.

        `finding` is the name of a field, such as ``"bursts"`` or ``"topics"``, or ``"stories"``. Curves and examples,
        which do not fit into a cell, are left out.
        """
        if finding not in (*(each.name for each in FINDINGS), "stories"):
            known = ", ".join(each.name for each in FINDINGS)
            raise InvalidInput(f"there is no finding {finding!r}; there are stories, {known}")
        value = getattr(self, finding)
        if isinstance(value, Result):
            return value.to_frame(kind)
        if isinstance(value, list):
            record: type = Story if finding == "stories" else get_args(get_type_hints(type(self))[finding])[0]
            columns = columns_of(value, record) if is_dataclass(record) else {finding: value}
        else:
            columns = columns_of([value], type(value)) if is_dataclass(value) else {finding: [value]}
        return frame_of(columns, kind)

    def _columns(self) -> Columns:
        return columns_of(CHANGED_WORDS.of(self), ChangedWord)

    def _summary(self) -> str:
        documents = counted(SOURCE.of(self).n_documents, "document")
        words = counted(len(CHANGED_WORDS.of(self)), "changed word")
        return f"{documents} of {TITLE.of(self)}, {words}, {counted(len(self.stories), 'story', 'stories')}"

    def _picture(self) -> Picture:
        words = [Series(word.word, *word.curve[:4]) for word in CHANGED_WORDS.of(self)]
        return Curves(words or [Series("documents per day", *VOLUME.of(self)[:4])])


if TYPE_CHECKING:

    @dataclass(frozen=True, init=False, repr=False)
    class Findings(_Access):
        """The class below as a type checker sees it."""

        def __init__(self, **values: object) -> None: ...
        def __getattr__(self, name: str) -> Any: ...

else:

    def _field(finding: Finding[object]) -> tuple[object, ...]:
        kind = get_type_hints(finding.find, localns={"Context": Context})["return"]
        if finding.empty is None:
            return (finding.name, kind)
        shown = {"compare": finding.stored, "repr": finding.stored}
        return (finding.name, kind, field(default_factory=finding.empty, **shown))

    Findings = make_dataclass(
        "Findings",
        [_field(finding) for finding in FINDINGS],
        bases=(_Access,),
        frozen=True,
        repr=False,
        namespace={
            "__module__": __name__,
            "__doc__": """All findings of one stream.

    `volume` counts documents per day. `changed_words` are the significant ones: lasting changes first, ordered by
    information. `n_words_tested` words were tested, `n_words_changed` are lasting or events, and `word_tests` says to
    which of them the `false_discovery_rate` applies. Word curves count the unit named by `counted`, ``"documents"`` or
    ``"passages"``, and average over about `bandwidth_days` on either side. `dates` lists the documents that are
    excluded because of their dates; `small` is set if the stream is too small for any claim.
    """,
        },
    )


def find_all(context: Context, wanted: Sequence[Finding[object]] = FINDINGS) -> Findings:
    """Compute every finding in turn, with a progress bar; shared values are computed once."""
    return Findings(**{finding.name: context[finding] for finding in track(wanted, "analysing", total=len(wanted))})
