"""Tokens in the store: names, rights and digests; a token itself is shown once and never stored."""

from __future__ import annotations

from driftline.core.errors import InvalidInput
from driftline.service.security import RIGHTS, digest_of, new_token
from driftline.service.store.database import Database
from driftline.service.writer import microseconds


def add_token(database: Database, name: str, rights: str) -> str:
    """Create a token and return it."""
    wanted = [right.strip() for right in rights.split(",") if right.strip()]
    unknown = [right for right in wanted if right not in RIGHTS]
    if unknown or not wanted:
        raise InvalidInput(f"{rights!r} are not rights; choose among {', '.join(RIGHTS)}")
    if not name.strip() or len(name) > 100 or not name.isprintable():
        raise InvalidInput("a token needs a name of at most 100 printable characters")
    if database.execute("SELECT 1 FROM tokens WHERE name = ?", (name,)):
        raise InvalidInput(f"{name} has a token already; remove it first, or choose another name")
    token = new_token()
    with database.transaction():
        row = (digest_of(token), name, ",".join(wanted), microseconds())
        database.execute("INSERT INTO tokens VALUES (?, ?, ?, ?)", row)
    return token


def tokens_of(database: Database) -> list[tuple[str, str]]:
    """Return name and rights of every token."""
    rows = database.execute("SELECT name, rights FROM tokens ORDER BY name")
    return [(str(name), str(rights)) for name, rights in rows]


def remove_tokens(database: Database, name: str) -> int:
    """Remove the tokens of a name; return their number."""
    n = len(database.execute("SELECT 1 FROM tokens WHERE name = ?", (name,)))
    with database.transaction():
        database.execute("DELETE FROM tokens WHERE name = ?", (name,))
    return n
