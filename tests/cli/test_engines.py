from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from driftline.cli.main import cli
from driftline.compute.gpu.driver import Found
from driftline.core.errors import DeviceUnavailable
from driftline.engines import choose, machine


@pytest.fixture
def no_device(monkeypatch):
    def missing(name):
        raise DeviceUnavailable("there is no driver; use engine='threads'")

    monkeypatch.setattr(choose, "check_device", missing)
    monkeypatch.setattr(machine, "check_device", missing)


@pytest.fixture
def a_device(monkeypatch):
    for module in (choose, machine):
        monkeypatch.setattr(module, "check_device", lambda name: Found("Some Device", 8_000_000_000, 7_000_000_000))


def test_a_machine_without_a_device(no_device):
    result = CliRunner().invoke(cli, ["engines"])
    assert result.exit_code == 0
    assert "none: there is no driver" in result.stdout
    assert "auto, large work  threads: there is no driver" in result.stdout


def test_a_machine_with_a_device(a_device):
    reported = json.loads(CliRunner().invoke(cli, ["engines", "--json"]).stdout)
    assert (reported["gpu"], reported["gpu_memory"]) == ("Some Device", 8_000_000_000)
    assert reported["large"]["name"] == "gpu"
    assert reported["small"]["name"] == "threads"
    assert reported["n_processors"] >= 1
    assert reported["memory"] > 0
    assert "8.0 GB" in CliRunner().invoke(cli, ["engines"]).stdout
