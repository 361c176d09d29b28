from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import driftline
from driftline.cli.main import cli
from tests.persistence.holder import TRUSTED, Holder


@pytest.fixture
def model(tmp_path):
    return str(Holder(first=2.5).fit([1, 2]).save(tmp_path / "model", trusted=TRUSTED))


def test_a_model_is_described(model):
    result = CliRunner().invoke(cli, ["describe", model])
    assert result.exit_code == 0
    for part in ("tests.persistence.holder.Holder", "first = 2.5", "held_: [1, 2]", "intact", driftline.__version__):
        assert part in result.stdout


def test_an_unfitted_model_is_described(tmp_path):
    Holder().save(tmp_path / "model", trusted=TRUSTED)
    assert "not fitted" in CliRunner().invoke(cli, ["describe", str(tmp_path / "model")]).stdout


def test_the_same_as_json(model):
    reported = json.loads(CliRunner().invoke(cli, ["describe", model, "--json"]).stdout)
    assert reported["parameters"] == {"first": "2.5", "second": "None"}
    assert reported["fitted"] is True


def test_damage_exits_with_1(model, tmp_path):
    (tmp_path / "model" / "model.safetensors").write_bytes(b"x")
    result = CliRunner().invoke(cli, ["describe", model])
    assert result.exit_code == 1
    assert "model.safetensors is damaged" in result.stderr
