"""POST and DELETE requests: documents, sessions, labels, and changes by people."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import FastAPI, Path
from starlette.requests import Request
from starlette.responses import Response

from driftline.service import answers
from driftline.service.changes import change_alarm, delete_document, rename_topic
from driftline.service.label_events import GivenLabel, give_label
from driftline.service.security import SESSION_SECONDS, cookie_name, digest_of
from driftline.service.service import Service
from driftline.service.store.database import Database
from driftline.service.store.keys import from_text
from driftline.service.views.alarms import one_alarm
from driftline.service.views.document_search import label_event
from driftline.service.views.health import refit_health
from driftline.service.views.shown_rows import topic_refs
from driftline.service.web.bodies import AlarmBody, LabelBody, RefitBody, RenameBody, SessionBody
from driftline.service.web.gate import Refused
from driftline.service.web.intake import take
from driftline.service.web.questions import PROBLEMS, answer, session_of

DELETED = "Text, index and id are removed. What the models learned from it stays until the next refit."
NDJSON = {
    "requestBody": {
        "required": True,
        "content": {"application/x-ndjson": {"schema": {"type": "string", "description": "One JSON object per line."}}},
    }
}


R = TypeVar("R")


def _shape(model: object) -> dict[str, Any]:
    more = {413: {"model": answers.Problem}, 415: {"model": answers.Problem}, 507: {"model": answers.Problem}}
    return {"response_model": None, "responses": {200: {"model": model}, **PROBLEMS, **more}}


def add_changes(app: FastAPI, service: Service) -> None:
    """Add the routes that change the state."""
    readers = service.readers

    async def in_writer(run: Callable[..., R]) -> R:
        return await asyncio.wrap_future(service.queue.call(run))

    def read(function: Callable[[Database], R]) -> R:
        with readers.reading() as database:
            return function(database)

    @app.post("/api/documents", openapi_extra=NDJSON, **_shape(answers.Intake))
    async def post_documents(request: Request) -> Response:
        return answer(await take(request, service.intake))

    @app.post("/api/session", **_shape(answers.Session))
    async def post_session(request: Request, body: SessionBody) -> Response:
        digest = digest_of(body.token)
        person = await asyncio.to_thread(read, lambda database: service.tokens.person(digest, database))
        if person is None:
            service.limits.wrong(request.client.host if request.client else "")
            raise Refused(401, "wrong_token", "this token is not valid")
        found = answer(session_of(service, person))
        found.set_cookie(
            cookie_name(request.headers.get("host")),
            service.sessions.make(digest),
            max_age=SESSION_SECONDS,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return found

    @app.delete("/api/session", response_model=None, responses=PROBLEMS)
    async def delete_session(request: Request) -> Response:
        found = answer({"name": "", "rights": []})
        found.delete_cookie(cookie_name(request.headers.get("host")), httponly=True, samesite="strict")
        return found

    @app.post("/api/topics/{topic}", **_shape(answers.TopicRef))
    async def post_topic(topic: Annotated[int, Path(ge=0, le=2**31)], body: RenameBody) -> Response:
        if not body.name.isprintable():
            raise Refused(422, "invalid", "a name must consist of printable characters")
        if not await in_writer(lambda writer: rename_topic(writer, topic, body.name)):
            raise Refused(404, "not_found", "there is no such topic")
        ref = await asyncio.to_thread(read, lambda database: topic_refs(database, [topic])[topic])
        service.hub.send("renamed", {"topic": ref})
        return answer(ref)

    @app.delete("/api/documents/{key}", **_shape(answers.Deleted))
    async def delete_one(key: Annotated[str, Path(max_length=40)]) -> Response:
        number = from_text(key)
        if number is None or not await in_writer(lambda writer: delete_document(writer, number)):
            raise Refused(404, "not_found", "there is no such document; it may have been removed")
        service.hub.send("deleted", {"key": key})
        return answer({"key": key, "note": DELETED})

    @app.post("/api/alarms/{number}", **_shape(answers.Alarm))
    async def post_alarm(request: Request, number: Annotated[int, Path(ge=1, le=2**31)], body: AlarmBody) -> Response:
        if body.acknowledge is None and body.mute_for is None:
            raise Refused(422, "invalid", "set acknowledge or mute_for")
        name = request.state.person.name
        changed = await in_writer(lambda writer: change_alarm(writer, number, name, body.acknowledge, body.mute_for))
        if not changed:
            raise Refused(404, "not_found", "there is no such alarm")
        alarm = await asyncio.to_thread(read, lambda database: one_alarm(database, number))
        service.hub.send("alarm", {"alarm": alarm})
        return answer(alarm)

    @app.post("/api/refit", **_shape(answers.RefitHealth))
    async def post_refit(body: RefitBody) -> Response:
        return await _request_refit("fit", "requested")

    @app.post("/api/refit/back", **_shape(answers.RefitHealth))
    async def post_back(body: RefitBody) -> Response:
        if not await asyncio.to_thread(lambda: service.refits.can_go_back):
            raise Refused(409, "no_version", "there is no earlier version of the models")
        return await _request_refit("back", "the previous version was requested")

    async def _request_refit(mode: str, reason: str) -> Response:
        if not service.writer.learner.has_topics:
            raise Refused(409, "no_topics", "there are no topics yet")
        if not service.refits.request(mode, reason):
            raise Refused(409, "refitting", "a refit is already running")
        return answer(await asyncio.to_thread(refit_health, service))

    @app.post("/api/labels", **_shape(answers.LabelAnswer))
    async def post_label(request: Request, body: LabelBody) -> Response:
        key, person, desk = from_text(body.key), request.state.person.name, service.desk
        if key is None:
            raise Refused(404, "not_found", "there is no such document")
        label = None if body.label is None else body.label.strip() or None
        if label is not None and not label.isprintable():
            raise Refused(422, "invalid", "a label must consist of printable characters")
        if not desk.release(key, body.lease, person):
            raise Refused(409, "leased", "another person is labelling this document; take the next one")
        guess, chance = desk.answers.guess.get(key, (None, None))
        double = await asyncio.to_thread(read, lambda database: _is_double(database, key, person))
        given = GivenLabel(key, label, person, body.undo, guess, chance, double)
        row = await in_writer(lambda writer: give_label(writer, given))
        if row is None:
            raise Refused(404, "not_found", "there is no such document; it may have been removed")
        event = label_event(row)
        if label is not None or body.undo:
            desk.labelled()
        service.hub.send("label", {"event": event})
        classifier = await asyncio.to_thread(read, desk.classifier)
        return answer({"event": event, "classifier": classifier})


def _is_double(database: Database, key: int, person: str) -> bool:
    sql = "SELECT 1 FROM labels WHERE key = ? AND person <> ? AND label IS NOT NULL LIMIT 1"
    return bool(database.execute(sql, (key, person)))
