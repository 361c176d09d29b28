from __future__ import annotations

import shutil
import subprocess

import pytest
from click.testing import CliRunner

from driftline.cli.completion import SHELLS
from driftline.cli.main import cli


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_gets_a_script(shell):
    result = CliRunner().invoke(cli, ["completion", shell])
    assert result.exit_code == 0
    assert f"{shell}_complete" in result.stdout
    assert "_DRIFTLINE_COMPLETE" in result.stdout
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=result.stdout, text=True, check=True)
