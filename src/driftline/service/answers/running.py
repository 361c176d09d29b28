"""The answers about the service itself: health, intake, settings."""

from __future__ import annotations

from typing_extensions import TypedDict


class Rejection(TypedDict):
    """A rejected record: its place and the reason. Its text is not kept."""

    time: float
    source: str
    place: str
    reason: str


class SourceHealth(TypedDict):
    """A source of documents: state, lag in its unit (None if unknown), time of its last document, and counts."""

    name: str
    kind: str
    place: str
    lag: float | None
    unit: str
    last: float | None
    taken: int
    rejected: int
    repeated: int
    state: str


class ModelHealth(TypedDict):
    """The model in use: time of its fit, batch of its last snapshot, number of documents learned, and score.

    `languages` are the codes of those whose function words are not counted, none until the topics are fitted. `score`
    is the mean log-likelihood of a word before it is learned, `band` its expected interval, `unknown` the share
    of unknown words.
    """

    name: str
    version: int
    fitted: float
    snapshot: int
    n_documents: int
    n_words: int
    languages: list[str]
    score: float | None
    band: tuple[float, float] | None
    unknown: float | None
    scores: list[float | None]


class RefitHealth(TypedDict):
    """The refit: "idle", "fitting", "catching up" or "failed"; POST /api/refit starts one, POST /api/refit/back
    returns to the previous model."""

    state: str
    reason: str
    started: float | None
    finished: float | None
    can_go_back: bool


class SourceState(TypedDict):
    """The state of a source, and its lag in its unit."""

    state: str
    lag: float | None
    unit: str


class Latency(TypedDict):
    """Seconds from the arrival of a document to its event: median and 95th percentile of the last 5 minutes."""

    p50: float | None
    p95: float | None
    n: int


class Health(TypedDict):
    """GET /api/health: the state of the service."""

    now: float
    started: float
    version: str
    store: str
    store_bytes: int
    wal_bytes: int
    disk_free: float
    disk_total: float
    memory: int
    queue_bytes: int
    queue_limit: int
    per_second: float
    latency: Latency
    readers: int
    sources: list[SourceHealth]
    rejections: list[Rejection]
    n_rejected: int
    model: ModelHealth
    refit: RefitHealth
    keep: str | None
    outbox: int


class Intake(TypedDict):
    """POST /api/documents (NDJSON), answered after the commit. `repeated` documents were stored before."""

    taken: int
    repeated: int
    rejected: list[RejectedLine]
    batch: int | None


class RejectedLine(TypedDict):
    """A rejected line of the request, counted from 1, and the reason."""

    line: int
    reason: str


class Settings(TypedDict):
    """GET /api/settings: the labels and the targets of webhooks, which are set on the command line."""

    labels: list[str]
    webhooks: list[str]
