"""Type checks of the page's modules by TypeScript, against the answers of the service."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.service.page.fake_service import PAGE
from tests.service.page.write_answer_types import FILE, declarations

OPTIONS = (
    "--noEmit --allowJs --checkJs --strict --target es2022 --module es2022 --moduleResolution bundler "
    "--lib es2023,dom,dom.iterable main.js answers.d.ts"
)


def test_declarations_are_those_of_the_answers():
    assert FILE.read_text(encoding="utf-8") == declarations(), "run python -m tests.service.page.write_answer_types"


def test_types_fit():
    compiler = shutil.which("tsc")
    if compiler is None:
        pytest.skip("there is no tsc on the PATH; npm install --global typescript")
    outcome = subprocess.run(
        [compiler, *OPTIONS.split()], cwd=PAGE, capture_output=True, text=True, timeout=120, check=False
    )
    assert outcome.returncode == 0, outcome.stdout
