"""Settings of Kafka's clients: read from a file, checked before anything is read."""

import pytest
from click.testing import CliRunner

from driftline.cli.serve import serve
from driftline.core.errors import InvalidInput
from driftline.service.sources.kafka import KafkaSource
from driftline.service.sources.kafka_settings import read_settings

pytest.importorskip("confluent_kafka")


def written(tmp_path, text):
    path = tmp_path / "kafka.properties"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_lines_are_settings_and_notes_are_not(tmp_path):
    lines = ["# of the office", "", "security.protocol = sasl_ssl", "sasl.mechanism=PLAIN"]
    found = read_settings(written(tmp_path, "\n".join([*lines, "sasl.username=ada", "sasl.password=a=b#c"])))
    assert found == {
        "security.protocol": "sasl_ssl",
        "sasl.mechanism": "PLAIN",
        "sasl.username": "ada",
        "sasl.password": "a=b#c",
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("sasl.username\n", "line 1"),
        ("\n=5\n", "line 2"),
        ("bootstrap.servers=elsewhere:9092", "which driftline sets"),
        ("enable.auto.commit=true", "which driftline sets"),
        ("sasl.usrname=ada", "No such configuration property"),
        ("security.protocol=secret", "Invalid value"),
        (b"sasl.username=\xff", "cannot be read"),
    ],
)
def test_what_is_wrong_is_said_before_the_service_starts(tmp_path, text, problem):
    with pytest.raises(InvalidInput, match=problem):
        read_settings(written(tmp_path, text))


def test_the_client_gets_the_settings(tmp_path, monkeypatch):
    made = []

    class Stop(Exception):
        pass

    def consumer(settings):
        made.append(settings)
        raise Stop

    settings = read_settings(written(tmp_path, "client.id=news\ngroup.id=mine\n"))
    source = KafkaSource.of_address("localhost:9092/news", settings)
    monkeypatch.setattr("confluent_kafka.Consumer", consumer)

    class Writer:
        secret = b"store"

    with pytest.raises(Stop):
        source.read(Writer())
    assert made[0]["client.id"] == "news"
    assert made[0]["group.id"] == "mine"
    assert made[0]["enable.auto.commit"] is False


def test_the_command_refuses_them_without_a_topic_and_names_what_is_wrong(tmp_path):
    path, store = written(tmp_path, "nonsense\n"), str(tmp_path / "store")
    options = ["--store", store, "--kafka-settings", str(path)]
    alone = CliRunner().invoke(serve, options)
    assert alone.exit_code != 0
    assert "--kafka BROKER" in str(alone.exception) + alone.output
    wrong = CliRunner().invoke(serve, [*options, "--kafka", "localhost:9092/news"])
    assert wrong.exit_code != 0
    assert "line 1" in str(wrong.exception) + wrong.output
