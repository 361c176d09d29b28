"""The whole process: start by the command, stop by a signal, refusal of incomplete or invalid options."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from driftline.cli.main import cli
from tests.service.running import story_lines, writing

RUN = [sys.executable, "-c", "from driftline.cli.main import main; main()"]


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.mark.slow
def test_sigterm_commits_saves_and_says_goodbye(tmp_path):
    store = tmp_path / "store"
    environment = {**os.environ, "DRIFTLINE_TOKEN": "t"}
    command = [*RUN, "serve", "--store", str(store), "--port", "0", "--topics", "5"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)
    try:
        said = process.stdout.readline()
        assert b"#token=t" in said
        port = int(said.partition(b"127.0.0.1:")[2].partition(b"/")[0])  # a free one
        assert port > 0
        end = time.monotonic() + 120
        while True:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
                body = b"\n".join(story_lines(600))
                connection.request("POST", "/api/documents", body, {"Authorization": "Bearer t"})
                assert json.loads(connection.getresponse().read())["taken"] == 600
                break
            except ConnectionRefusedError:
                assert time.monotonic() < end
                time.sleep(0.2)
        events = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        events.request("GET", "/api/events", headers={"Authorization": "Bearer t", "Last-Event-ID": "²"})  # no number
        stream = events.getresponse()
        assert stream.readline() == b"retry: 2000\n"
        head = f"POST /api/documents HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer t\r\n"
        unfinished = socket.create_connection(("127.0.0.1", port))
        unfinished.sendall(f"{head}Content-Length: 100\r\n\r\n{{".encode())
        process.send_signal(signal.SIGTERM)
        assert b"event: bye" in stream.read()
        assert process.wait(timeout=60) == 0
        unfinished.close()
    finally:
        process.kill()
        process.stdout.close()
    with writing(str(store)) as writer:
        assert writer.n_documents == 600
        assert writer.state.n_since == 0


def run(*arguments, **environment):
    return CliRunner().invoke(cli, ["serve", *arguments], env=environment)


def test_beyond_loopback_only_with_tokens(tmp_path):
    found = run("--host", "0.0.0.0", "--store", str(tmp_path / "store"))
    assert found.exit_code == 1
    assert "tokens add" in found.output


def test_secrets_are_needed(tmp_path):
    store = ["--store", str(tmp_path / "store")]
    found = run("--trusted-proxy", "10.0.0.1", *store, DRIFTLINE_PROXY_SECRET="short")
    assert found.exit_code == 1
    assert "DRIFTLINE_PROXY_SECRET" in found.output
    found = run("--webhook", "https://example.org/hook", *store)
    assert found.exit_code == 1
    assert "DRIFTLINE_WEBHOOK_SECRET" in found.output


@pytest.mark.parametrize("keep", ["soon", "-3d", "0d"])
def test_bad_durations(tmp_path, keep):
    assert run("--keep", keep, "--store", str(tmp_path / "store")).exit_code == 2


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "fastapi", None)
    found = run()
    assert found.exit_code == 1
    assert "pip install 'driftline[service]'" in found.output


def test_a_port_that_is_used(tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        found = run("--port", str(other.getsockname()[1]), "--store", str(tmp_path / "store"))
    assert found.exit_code == 1
    assert "--port" in found.output


def test_tokens(tmp_path):
    store = ["--store", str(tmp_path / "store")]
    made = run("tokens", "add", "collector", "--rights", "send", *store)
    assert made.exit_code == 0
    assert len(made.output.strip()) > 20
    assert run("tokens", "list", *store).output == "collector  send\n"
    assert made.output.strip() not in (tmp_path / "store/driftline.sqlite").read_bytes().decode("latin-1")
    assert run("tokens", "add", "collector", *store).exit_code == 1
    assert run("tokens", "add", "x", "--rights", "all", *store).exit_code == 1
    assert run("tokens", "remove", "collector", *store).output == "1 removed\n"
    again = run("tokens", "remove", "collector", *store)
    assert again.exit_code == 1
    assert "collector has no token" in again.output


def test_backup_and_check(tmp_path):
    store = tmp_path / "store"
    from tests.service.running import take

    with writing(str(store)) as writer:
        take(writer, story_lines(600))
    found = run("check", "--store", str(store))
    assert found.exit_code == 0, found.output
    assert "600" in found.output
    copy = tmp_path / "copy"
    copy.mkdir()
    assert run("backup", str(copy / "driftline.sqlite"), "--store", str(store)).exit_code == 0
    assert (copy / "driftline.sqlite").stat().st_mode & 0o077 == 0  # it contains all texts, and the secret
    assert run("backup", str(copy / "driftline.sqlite"), "--store", str(store)).exit_code == 1
    assert run("check", "--store", str(copy)).exit_code == 0
    assert run("check", "--store", str(tmp_path / "none")).exit_code == 1


def test_check_finds_a_lost_document(tmp_path):
    store = tmp_path / "store"
    from tests.service.running import take

    with writing(str(store)) as writer:
        take(writer, story_lines(600))
        take(writer, story_lines(100, first=600))
        writer.database.execute("DELETE FROM documents WHERE key = (SELECT max(key) FROM documents WHERE batch = 4)")
    found = run("check", "--store", str(store))
    assert found.exit_code == 1
    assert "faults" in found.output
