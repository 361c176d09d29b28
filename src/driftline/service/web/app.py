"""The ASGI application of the service: routes, error handlers, and the files of the page."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

import driftline
from driftline.core.errors import DriftlineError
from driftline.service.security import LOOPBACK
from driftline.service.service import Service
from driftline.service.store.database import StoreUnreachable, TooSlow
from driftline.service.web.gate import Gate, Proxy, Refused
from driftline.service.web.questions import add_questions
from driftline.service.web.requests import add_changes
from driftline.service.writer import DiskFull

PAGE = Path(driftline.__file__).parent / "service" / "page"


def make_app(service: Service, *, hosts: tuple[str, ...] = LOOPBACK, proxy: Proxy | None = None) -> Gate:
    """Return the ASGI application of a service: the gate, with the routes behind it."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await service.start()
        yield
        await service.stop()

    app = FastAPI(
        title="driftline live service",
        version=service.version,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(DriftlineError, _failed)
    app.add_exception_handler(DiskFull, _disk_full)
    app.add_exception_handler(RequestValidationError, _not_valid)
    app.add_exception_handler(HTTPException, _no_such)
    app.add_exception_handler(Exception, _unexpected)
    add_questions(app, service)
    add_changes(app, service)
    app.mount("/", _Page(directory=PAGE, html=True), name="page")
    return Gate(
        app,
        readers=service.readers,
        tokens=service.tokens,
        sessions=service.sessions,
        limits=service.limits,
        hosts=hosts,
        proxy=proxy,
        joined=service.options.join,
    )


class _Page(StaticFiles):
    """The files of the page; a browser checks each time whether they have changed."""

    def file_response(self, *arguments: Any, **options: Any) -> Response:
        """Return a file."""
        response = super().file_response(*arguments, **options)
        response.headers["cache-control"] = "no-cache"
        return response


def problem(status: int, error: str, detail: str, retry: int | None = None) -> Response:
    """Return the answer for an error."""
    headers = {} if retry is None else {"Retry-After": str(retry)}
    body = json.dumps({"error": error, "detail": detail}, ensure_ascii=False)
    return Response(body, status_code=status, media_type="application/json", headers=headers)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return problem(error.status, error.error, error.detail, error.retry)


async def _failed(request: Request, error: Exception) -> Response:
    if isinstance(error, TooSlow):
        return problem(503, "too_slow", str(error), 1)
    if isinstance(error, StoreUnreachable):
        return problem(503, "unreachable", "the store cannot be reached; send again soon", 5)
    return problem(400, "invalid", str(error))


async def _not_valid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return problem(422, "invalid", f"{where}: {first['msg']}")


async def _no_such(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, Refused):  # while the body was read
        return await _refused(request, error.__cause__)
    if error.status_code == 404:
        return problem(404, "not_found", "there is nothing at this address")
    found = problem(error.status_code, "refused", str(error.detail))
    found.headers.update(error.headers or {})
    return found


async def _disk_full(request: Request, error: Exception) -> Response:
    return problem(507, "disk_full", "less than 5 % of the disk is free; free some space, then send again", 60)


async def _unexpected(request: Request, error: Exception) -> Response:
    return problem(500, "fault", f"internal error ({type(error).__name__}); see the log of the service")
