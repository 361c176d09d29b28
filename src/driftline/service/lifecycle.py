"""Running a service until a signal; then intake ends, the queue is committed and models are saved, within 10 s."""

from __future__ import annotations

import gc
import logging
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn

from driftline.core.errors import InvalidInput
from driftline.service.allocator import keep_memory_level
from driftline.service.security import LOOPBACK
from driftline.service.service import Options, Service
from driftline.service.web.app import make_app
from driftline.service.web.gate import Proxy

EVERYWHERE = ("0.0.0.0", "::")
"""Addresses that stand for all interfaces of a machine."""
STOP_SECONDS = 4
"""Maximum seconds for open requests after a signal."""


class Server(uvicorn.Server):
    """A server that ends event streams when a signal stops it; otherwise it would wait for their readers."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self.service = service

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop; a second signal stops at once. The signal is not raised again: a clean stop exits with 0."""
        if self.service.loop is not None:
            self.service.loop.call_soon_threadsafe(self.service.begin_to_stop)
        self.force_exit, self.should_exit = self.should_exit, True


def own_names(host: str) -> tuple[str, ...]:
    """Return the names for the Host header that follow from the listening address.

    >>> own_names("192.0.2.7"), own_names("2001:db8::7"), own_names("0.0.0.0")
    (('192.0.2.7',), ('[2001:db8::7]',), ())
    """
    if host in EVERYWHERE:
        return ()
    return (f"[{host}]" if ":" in host else host.lower(),)


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to an address."""
    found = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except OSError as error:
        found.close()
        reason = error.strerror or str(error)
        raise InvalidInput(f"port {port} of {host} cannot be used: {reason}; name another --port or --host") from error
    return found


def serve(
    options: Options,
    *,
    host: str,
    port: int,
    hosts: tuple[str, ...] = (),
    proxy: Proxy | None = None,
    started: Callable[[Service, int], object] = lambda service, port: None,
) -> int:
    """Run the service; return 0 after a clean stop, 1 if the writer failed.

    `started` is called with the service and the port, which is a free one if `port` is 0.
    """
    keep_memory_level()
    service = Service(options)
    app = make_app(service, hosts=(*LOOPBACK, *own_names(host), *hosts), proxy=proxy)
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=STOP_SECONDS,
        server_header=False,
        lifespan="on",
        proxy_headers=False,
        limit_concurrency=2_000,
    )
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    with listening_socket(host, port) as listening:
        started(service, listening.getsockname()[1])
        Server(config, service).run(sockets=[listening])
    gc.freeze()  # the process is ending, so a garbage collection over all models would be useless
    return 0 if service.writer.failure is None and service.intake.failure is None else 1
