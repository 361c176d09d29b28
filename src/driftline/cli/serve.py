"""`driftline serve`: the live service, its backups, checks and tokens."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftline.cli.conventions import print_facts, say
from driftline.cli.options import F, setting
from driftline.core.errors import InvalidInput, MissingDependency

if TYPE_CHECKING:
    from driftline.service.service import Service
    from driftline.service.sources.threaded import ThreadedSource

STORE = "driftline-live"


def _store_option(function: F) -> F:
    return setting("--store", default=STORE, help="Folder of the store, or an address postgresql://….")(function)


def _duration(context: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    if value is None:
        return None
    from driftline.core.times import days

    try:
        found = days(value)
    except (InvalidInput, ValueError) as error:
        raise click.BadParameter(f"{value!r} is not a duration such as 90d") from error
    if not found > 0:
        raise click.BadParameter("the duration must be positive")
    return found


@click.group(invoke_without_command=True, subcommand_metavar="[COMMAND] [ARGS]...")
@setting("--host", default="127.0.0.1", help="Address to listen on; any but loopback needs tokens.")
@setting("--port", type=click.IntRange(0, 65535), default=8765, help="Port to listen on; 0 for a free one.")
@_store_option
@setting("--topics", "n_topics", type=click.IntRange(2, 500), default=20, help="Number of topics of a new store.")
@click.option("--keep", callback=_duration, metavar="DURATION", help="Remove texts older than this, such as 90d.")
@click.option("--demo", is_flag=True, help="Stream the simulated newswire, one day per second.")
@click.option("--follow", multiple=True, metavar="FILE", help="Follow a growing file of JSON lines; may be repeated.")
@click.option(
    "--backfill", multiple=True, metavar="SOURCE", help="Read a source first, oldest documents first; may be repeated."
)
@click.option("--kafka", multiple=True, metavar="BROKER:PORT/TOPIC", help="Consume a Kafka topic; may be repeated.")
@click.option(
    "--kafka-settings",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Settings of the Kafka clients, such as user and password: a line KEY=VALUE each.",
)
@click.option(
    "--nats", multiple=True, metavar="HOST:PORT/SUBJECT", help="Consume a NATS JetStream subject; may be repeated."
)
@click.option("--join", is_flag=True, help="Join the service that learns on this PostgreSQL store.")
@click.option("--refit-on", metavar="dask://HOST:PORT", help="Refit the topics on a Dask cluster.")
@click.option("--label", "labels", multiple=True, metavar="LABEL", help="Offer a label at the desk; may be repeated.")
@click.option(
    "--webhook",
    multiple=True,
    metavar="URL",
    help="Send alarms to this address, signed with $DRIFTLINE_WEBHOOK_SECRET; may be repeated.",
)
@click.option("--allow-host", multiple=True, metavar="NAME", help="Another host name of the service; may be repeated.")
@click.option(
    "--trusted-proxy",
    multiple=True,
    metavar="ADDRESS",
    help="Proxy that signs people in and sends X-Forwarded-User, with $DRIFTLINE_PROXY_SECRET; may be repeated.",
)
@click.pass_context
def serve(context: click.Context, /, **given: Any) -> None:
    """Run the live service: documents arrive, and a page shows what changes.

    Prints the address of the page with its token. $DRIFTLINE_TOKEN sets the token.
    """
    context.obj = given
    if context.invoked_subcommand is not None:
        return
    _check_installed()
    from driftline.service.lifecycle import EVERYWHERE, own_names
    from driftline.service.lifecycle import serve as run
    from driftline.service.service import Options
    from driftline.service.web.gate import Proxy
    from driftline.service.webhooks import checked_target

    secret = os.environ.get("DRIFTLINE_PROXY_SECRET", "")
    if given["trusted_proxy"] and len(secret) < 16:
        raise InvalidInput("--trusted-proxy needs $DRIFTLINE_PROXY_SECRET, at least 16 characters that the proxy sends")
    webhook_secret = os.environ.get("DRIFTLINE_WEBHOOK_SECRET", "")
    if given["webhook"] and len(webhook_secret) < 16:
        raise InvalidInput("--webhook needs $DRIFTLINE_WEBHOOK_SECRET, at least 16 characters that sign the messages")
    _check_reach(given["host"], given["store"])
    if given["join"]:
        _check_join(given)
    options = Options(
        store=given["store"],
        n_topics=given["n_topics"],
        keep=given["keep"],
        token=os.environ.get("DRIFTLINE_TOKEN") or None,
        demo=given["demo"],
        webhooks=tuple(checked_target(target) for target in given["webhook"]),
        webhook_secret=webhook_secret,
        sources=[*_sources(given)],
        labels=given["labels"],
        join=given["join"],
        refit_on=given["refit_on"],
    )
    proxy = Proxy(given["trusted_proxy"], secret) if given["trusted_proxy"] else None

    def started(service: Service, port: int) -> None:
        name = (own_names(given["host"]) or ("127.0.0.1",))[0]
        say(f"driftline serves http://{name}:{port}/#token={service.token}")
        if given["host"] in EVERYWHERE and not given["allow_host"]:
            say("to reach it by another name or address, start it with --allow-host NAME", err=True)
        say(f"store: {given['store']}; stop with Ctrl-C", err=True)

    code = run(options, host=given["host"], port=given["port"], hosts=given["allow_host"], proxy=proxy, started=started)
    if code:
        raise InvalidInput("the writer of the service stopped because of an error; see the messages above")


def _check_installed() -> None:
    for package in ("fastapi", "uvicorn", "apsw", "prometheus_client"):
        try:
            __import__(package)
        except ModuleNotFoundError as error:
            raise MissingDependency("driftline serve", package, "service") from error
        except ImportError as error:
            raise InvalidInput(f"{package} is installed, but cannot be imported: {error}") from error


def _check_reach(host: str, store: str) -> None:
    """Refuse to listen beyond loopback before tokens exist."""
    if host in ("127.0.0.1", "localhost", "::1"):
        return
    from driftline.service.store.opened import open_store

    database = open_store(store, writes=True)
    n_tokens = database.execute("SELECT count(*) FROM tokens")[0][0]
    database.close()
    if not n_tokens:
        raise InvalidInput(
            f"--host {host} can be reached from other machines, and there are no tokens; "
            f"create one first: driftline serve tokens add NAME --rights read --store {store}"
        )


def _check_join(given: dict[str, Any]) -> None:
    """Refuse options of the process that learns."""
    if "://" not in given["store"]:
        raise InvalidInput("--join needs a store that several processes share: --store postgresql://…")
    names = {"demo": "--demo", "keep": "--keep", "webhook": "--webhook", "refit_on": "--refit-on", "labels": "--label"}
    for name, option in names.items():
        if given[name]:
            raise InvalidInput(f"{option} belongs to the process that learns, the one without --join")


def _sources(given: dict[str, Any]) -> list[ThreadedSource]:
    if given["kafka_settings"] and not given["kafka"]:
        raise InvalidInput("--kafka-settings has no effect without --kafka BROKER:PORT/TOPIC")
    found: list[ThreadedSource] = []
    if given["demo"]:
        from driftline.service.sources.demonstration_feed import NewswireSource

        found.append(NewswireSource())
    if given["follow"] or given["backfill"]:
        from driftline.service.sources.files import BackfillSource, FollowSource

        found += [BackfillSource(source) for source in given["backfill"]]
        for path in given["follow"]:
            after = tuple(each for each in found if each.kind == "backfill")
            found.append(FollowSource(Path(path), after=after))
    if given["kafka"]:
        from driftline.service.sources.kafka import KafkaSource
        from driftline.service.sources.kafka_settings import read_settings

        settings = read_settings(given["kafka_settings"]) if given["kafka_settings"] else None
        found += [KafkaSource.of_address(address, settings) for address in given["kafka"]]
    if given["nats"]:
        from driftline.service.sources.nats import NatsSource

        found += [NatsSource.of_address(address) for address in given["nats"]]
    return found


@serve.command()
@click.argument("file", type=click.Path(path_type=Path))
@_store_option
def backup(file: Path, store: str) -> None:
    """Write a consistent copy of the store to FILE, while the service runs or not."""
    _check_installed()
    from driftline.service.store.opened import open_store

    database = open_store(store, writes=False)
    database.backup(str(file))
    database.close()
    say(f"the store was copied to {file}; to restore it, put the copy into a folder as driftline.sqlite")


@serve.command()
@_store_option
def check(store: str) -> None:
    """Check the store: its file, its search index, and that the models follow from the batches."""
    _check_installed()
    from driftline.service.store.checked import check_store

    facts, faults = check_store(store)
    print_facts(facts)
    if faults:
        raise InvalidInput(f"the store has faults: {'; '.join(faults)}; restore a backup")


@serve.group()
def tokens() -> None:
    """Create, list and remove tokens."""


@tokens.command(name="add")
@click.argument("name")
@setting("--rights", default="read", help="Rights, separated by commas: read, send, label, admin.")
@_store_option
def add_token(name: str, rights: str, store: str) -> None:
    """Create a token for NAME and print it once; the store contains only its digest."""
    _check_installed()
    from driftline.service.store.opened import open_store
    from driftline.service.store.tokens import add_token as add

    database = open_store(store, writes=True)
    say(add(database, name, rights))
    database.close()


@tokens.command(name="list")
@_store_option
def list_tokens(store: str) -> None:
    """List the names and rights of all tokens."""
    _check_installed()
    from driftline.service.store.opened import open_store
    from driftline.service.store.tokens import tokens_of

    database = open_store(store, writes=False)
    for name, rights in tokens_of(database):
        say(f"{name}  {rights}")
    database.close()


@tokens.command(name="remove")
@click.argument("name")
@_store_option
def remove_token(name: str, store: str) -> None:
    """Remove the tokens of NAME; its sessions end at once."""
    _check_installed()
    from driftline.service.store.opened import open_store
    from driftline.service.store.tokens import remove_tokens

    database = open_store(store, writes=True)
    n = remove_tokens(database, name)
    database.close()
    if not n:
        raise InvalidInput(f"{name} has no token; driftline serve tokens list names those that have one")
    say(f"{n} removed")
