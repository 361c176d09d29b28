"""Settings of Kafka's clients from a file: encryption, user and password, which do not belong on a command line."""

from __future__ import annotations

from pathlib import Path

from driftline.core.display import one_line
from driftline.core.errors import InvalidInput, MissingDependency

OURS = ("auto.offset.reset", "bootstrap.servers", "enable.auto.commit", "enable.auto.offset.store")
"""Settings on which the place in the topic depends, which is kept in the store."""


def read_settings(path: Path) -> dict[str, object]:
    """Return the settings of a file with a line KEY=VALUE each; lines that are empty or begin with # do not count."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"--kafka-settings: {one_line(str(path))} cannot be read: {error}") from error
    found: dict[str, object] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        key, equals, value = (part.strip() for part in line.partition("="))
        if not (key and equals):
            raise InvalidInput(f"--kafka-settings: line {number} is not KEY=VALUE")
        if key in OURS:
            raise InvalidInput(f"--kafka-settings: line {number} sets {key}, which driftline sets; remove the line")
        found[key] = value
    _check(found)
    return found


def _check(settings: dict[str, object]) -> None:
    """Raise an error if the client does not accept the settings; nothing is connected to."""
    try:
        from confluent_kafka import Consumer, KafkaException
    except ImportError as error:
        raise MissingDependency("--kafka-settings", "confluent-kafka", "service") from error
    try:
        Consumer({"group.id": "driftline", **settings}).close()
    except KafkaException as error:
        raise InvalidInput(f"--kafka-settings: {one_line(error.args[0].str())}") from error
