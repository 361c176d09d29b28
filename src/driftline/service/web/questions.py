"""GET requests: the answers for all screens, events, health and metrics."""

from __future__ import annotations

import asyncio
import json
import re
import time
from typing import Annotated, Any, TypeVar

from fastapi import FastAPI, Path, Query
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from driftline.service import answers
from driftline.service.hub import TooManyReaders, encoded
from driftline.service.service import Service
from driftline.service.store.database import Database
from driftline.service.store.keys import DAY
from driftline.service.views.alarms import alarm_list
from driftline.service.views.default_span import default_span
from driftline.service.views.document_search import Asked, document_list, document_page, spoken_words
from driftline.service.views.health import health
from driftline.service.views.metrics import metrics
from driftline.service.views.overview import SPAN, overview, topic_list
from driftline.service.views.topic import topic_page
from driftline.service.views.word_history import word_list, word_page
from driftline.service.web.gate import Refused

LONGEST = 200 * 365 * 86_400.0
WORD_SPAN = 365 * DAY
"""Usual length of the curves of words."""
Moment = Annotated[float | None, Query(ge=-LONGEST, le=LONGEST, allow_inf_nan=False)]
Span = Annotated[float | None, Query(ge=3600, le=LONGEST, allow_inf_nan=False)]
Text = Annotated[str, Query(max_length=500)]
OptionalText = Annotated[str | None, Query(max_length=200)]
Whole = Annotated[int | None, Query(ge=0, le=2**53)]
EVENT_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": answers.Problem} for status in (400, 401, 403, 404, 409, 421, 422, 429, 503)
}


T = TypeVar("T")


def answer(data: object, headers: dict[str, str] | None = None) -> Response:
    """Return JSON that browsers must not cache."""
    body = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return Response(body, media_type="application/json", headers={"Cache-Control": "no-store", **(headers or {})})


def microseconds(moment: float | None) -> int | None:
    """Return seconds as microseconds."""
    return None if moment is None else int(moment * 1e6)


def _shape(model: object) -> dict[str, Any]:
    return {"response_model": None, "responses": {200: {"model": model}, **PROBLEMS}}


def add_questions(app: FastAPI, service: Service) -> None:
    """Add the routes that change nothing."""
    readers, cache = service.readers, service.cache

    def span_of(database: Database, at: float | None, span: float | None, usual: int = SPAN) -> int:
        return default_span(readers, database, microseconds(at), usual) if span is None else int(span * 1e6)

    @app.get("/api/session", **_shape(answers.Session))
    def get_session(request: Request) -> Response:
        return answer(session_of(service, request.state.person))

    @app.get("/api/overview", **_shape(answers.Overview))
    def get_overview(at: Moment = None, span: Span = None) -> Response:
        with readers.reading() as database:
            length = span_of(database, at, span)
            return answer(overview(readers, database, cache, at=microseconds(at), span=length))

    @app.get("/api/topics", **_shape(answers.TopicList))
    def get_topics(at: Moment = None, span: Span = None) -> Response:
        with readers.reading() as database:
            length = span_of(database, at, span)
            return answer(topic_list(readers, database, at=microseconds(at), span=length))

    @app.get("/api/topics/{topic}", **_shape(answers.TopicPage))
    def get_topic(topic: Annotated[int, Path(ge=0, le=2**31)], at: Moment = None, span: Span = None) -> Response:
        with readers.reading() as database:
            length = span_of(database, at, span)
            found = topic_page(readers, database, topic, at=microseconds(at), span=length)
        return answer(_found(found, "topic"))

    @app.get("/api/words", **_shape(answers.WordList))
    def get_words(prefix: Annotated[str, Query(max_length=100)] = "", at: Moment = None) -> Response:
        with readers.reading() as database:
            return answer(word_list(readers, database, cache, prefix=prefix, at=microseconds(at)))

    @app.get("/api/words/curves", **_shape(answers.WordPage))
    def get_curves(
        word: Annotated[list[Annotated[str, Query(min_length=1, max_length=100)]], Query(min_length=1, max_length=5)],
        at: Moment = None,
        span: Span = None,
    ) -> Response:
        with readers.reading() as database:
            length = span_of(database, at, span, WORD_SPAN)
            return answer(word_page(readers, database, word, at=microseconds(at), span=length))

    @app.get("/api/documents", **_shape(answers.DocumentList))
    def get_documents(
        q: Text = "",
        topic: Annotated[int | None, Query(ge=0, le=2**31)] = None,
        label: OptionalText = None,
        source: OptionalText = None,
        first: Annotated[float | None, Query(alias="from", ge=-LONGEST, le=LONGEST, allow_inf_nan=False)] = None,
        last: Annotated[float | None, Query(alias="to", ge=-LONGEST, le=LONGEST, allow_inf_nan=False)] = None,
        sort: Annotated[str, Query(pattern="^(newest|best)$")] = "newest",
        after: Annotated[str | None, Query(pattern="^[0-9]{1,6}$")] = None,
        at: Moment = None,
    ) -> Response:
        ends = [moment for moment in (microseconds(last), microseconds(at)) if moment is not None]
        asked = Asked(q, topic, label, source, microseconds(first), min(ends, default=None), sort, after)
        with readers.reading() as database:
            return answer(document_list(database, asked))

    @app.get("/api/documents/{key}", **_shape(answers.DocumentPage))
    async def get_document(key: Annotated[str, Path(max_length=40)]) -> Response:
        def stored() -> answers.DocumentPage | None:
            with readers.reading() as database:
                return document_page(database, key)

        found = _found(await asyncio.to_thread(stored), "document")
        if found["topics"]:
            text, topic = found["text"], found["topics"][0]["topic"]["id"]
            spoke = service.queue.call(lambda writer: spoken_words(writer.learner, text, topic))
            found["spoke"] = await asyncio.wrap_future(spoke)
        guess = service.desk.answers.guess.get(int(found["key"], 16))
        if guess is not None and found["label"] is None:
            found["guess"], found["guess_probability"] = guess
        return answer(found)

    @app.get("/api/alarms", **_shape(answers.AlarmList))
    def get_alarms(
        state: Annotated[str | None, Query(pattern="^(on|off)$")] = None,
        first: Annotated[float | None, Query(alias="from", ge=-LONGEST, le=LONGEST, allow_inf_nan=False)] = None,
        last: Annotated[float | None, Query(alias="to", ge=-LONGEST, le=LONGEST, allow_inf_nan=False)] = None,
        after: Whole = None,
    ) -> Response:
        begin, end = microseconds(first), microseconds(last)
        with readers.reading() as database:
            return answer(alarm_list(database, state=state, first=begin, last=end, after=after))

    @app.get("/api/suggestions", **_shape(answers.SuggestionList))
    def get_suggestions(request: Request, n: Annotated[int, Query(ge=1, le=20)] = 2) -> Response:
        found = service.desk.suggestions(n, request.state.person.name)
        with readers.reading() as database:
            given = [label for label in service.desk.classifier(database)["labels"] if label]
        labels = list(dict.fromkeys([*service.options.labels, *given]))
        return answer({"suggestions": found, "labels": labels})

    @app.get("/api/classifier", **_shape(answers.Classifier))
    def get_classifier() -> Response:
        with readers.reading() as database:
            return answer(service.desk.classifier(database))

    @app.get("/api/settings", **_shape(answers.Settings))
    def get_settings() -> Response:
        return answer({"labels": list(service.options.labels), "webhooks": list(service.options.webhooks)})

    @app.get("/api/health", **_shape(answers.Health))
    def get_health() -> Response:
        with readers.reading() as database:
            return answer(health(service, database))

    @app.get("/api/events", response_model=None, include_in_schema=False)
    async def get_events(request: Request, after: Whole = None) -> Response:
        hub = service.hub
        try:
            hub.check_room()
        except TooManyReaders:
            raise Refused(503, "too_many_readers", "too many pages are open; close one", 10) from None
        last = request.headers.get("last-event-id", "")
        seen = int(last) if re.fullmatch(r"[0-9]{1,18}", last) else after

        def first() -> list[bytes]:
            hello = {"batch": hub.batch, "now": service.writer.newest / 1e6, "version": service.version}
            found = [b"retry: 2000\n\n", encoded("hello", hello, hub.batch)]
            if seen is not None and seen < hub.batch:
                found.append(encoded("gap", {"batch": hub.batch}, hub.batch))
            return found

        return StreamingResponse(hub.events(first), media_type="text/event-stream", headers=EVENT_HEADERS)

    @app.head("/api/events", response_model=None, include_in_schema=False)
    async def head_events() -> Response:
        return Response(media_type="text/event-stream", headers=EVENT_HEADERS)

    @app.get("/metrics", response_model=None, include_in_schema=False)
    def get_metrics() -> Response:
        with readers.reading() as database:
            return Response(metrics(service, database), media_type="text/plain; version=0.0.4")

    @app.get("/healthz", response_model=None, include_in_schema=False)
    async def get_alive() -> Response:
        return answer({"alive": True, "now": time.time()})

    @app.get("/readyz", response_model=None, include_in_schema=False)
    async def get_ready() -> Response:
        found = answer({"ready": service.is_ready})
        found.status_code = 200 if service.is_ready else 503
        return found


def session_of(service: Service, person: Any) -> answers.Session:
    """Return the session of a person."""
    return {
        "name": person.name,
        "rights": list(person.rights),
        "version": service.version,
        "demo": service.options.demo,
    }


def _found(data: T | None, what: str) -> T:
    if data is None:
        raise Refused(404, "not_found", f"there is no such {what}; it may have been removed")
    return data
