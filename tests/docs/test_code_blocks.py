"""The code of the documentation runs: every page from top to bottom, in one namespace and one empty folder."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from driftline.cli.main import cli
from tests.docs.markdown import Block, blocks, name_of, pages

RUN = ("python", "console")
DATA = re.compile(r"<!-- data: (?P<name>\w+) as (?P<file>[\w.]+) -->")
"""A comment on a page whose code needs a real data set, under the name that the code uses."""
SHELL = set("|<>&;*$`(")
PROMPT = "$ "


def run_python(block: Block, page: str, namespace: dict[str, Any]) -> None:
    """Run a block of Python; one with prompts is compared with the output that it shows."""
    if ">>> " in block.code:
        test = doctest.DocTestParser().get_doctest(block.code, namespace, page, page, block.line - 1)
        test.globs = namespace
        options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
        doctest.DebugRunner(optionflags=options).run(test, clear_globs=False)
        return
    # Empty lines in front give errors the line numbers of the page.
    exec(compile("\n" * (block.line - 1) + block.code, page, "exec"), namespace)


def run_console(block: Block, page: str) -> None:
    """Run the lines of a block that call the program; the other lines show its output, or other programs."""
    for line in block.code.replace("\\\n", " ").splitlines():
        if not line.startswith(PROMPT + "driftline"):
            continue
        command = line.removeprefix(PROMPT)
        if SHELL & set(command):
            folder = str(Path(sys.executable).parent)
            environment = os.environ | {"PATH": folder + os.pathsep + os.environ["PATH"]}
            done = subprocess.run(command, shell=True, env=environment, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{page}: {command} failed: {done.stderr}"
        else:
            result = CliRunner().invoke(cli, shlex.split(command)[1:])
            assert result.exit_code == 0, f"{page}: {command} failed: {result.output}"


def run_page(text: str, page: str) -> None:
    """Run all code of a page, in order."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(text):
        if block.language == "python":
            run_python(block, page, namespace)
        elif block.language == "console":
            run_console(block, page)


TEXTS = {page: page.read_text(encoding="utf-8") for page in pages()}
WITH_CODE = [page for page, text in TEXTS.items() if any(block.language in RUN for block in blocks(text))]


@pytest.mark.parametrize("page", [page for page in WITH_CODE if not DATA.search(TEXTS[page])], ids=name_of)
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(TEXTS[page], name_of(page))


@pytest.mark.data
@pytest.mark.parametrize("page", [page for page in WITH_CODE if DATA.search(TEXTS[page])], ids=name_of)
def test_the_code_of_a_page_about_real_data_runs(page, tmp_path, monkeypatch, real_data):
    needed = DATA.search(TEXTS[page])
    shutil.copyfile(real_data(needed["name"]), tmp_path / needed["file"])
    monkeypatch.chdir(tmp_path)
    run_page(TEXTS[page], name_of(page))


@pytest.mark.parametrize(
    "page",
    [
        "```python\nx = 1\n```\n```python\nassert x == 2\n```",
        "```python\n>>> 1 + 1\n3\n```",
        "```console\n$ driftline nonsense\n```",
        "```console\n$ driftline --version | grep nonsense\n```",
    ],
)
def test_a_page_that_is_wrong_fails(page):
    with pytest.raises((AssertionError, doctest.DocTestFailure)):
        run_page(page, "page.md")


def test_a_page_that_is_right_passes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(
        "```python\nx = 1\n```\n```python\n>>> x + 1\n2\n```\n```text\nnot code\n```\n"
        "```console\n$ driftline --version\ndriftline, version …\n$ driftline --help > help.txt\n$ false\n```\n"
        "```python\nassert 'Usage' in open('help.txt').read()\n```",
        "page.md",
    )


def test_errors_name_the_line_of_the_page():
    import traceback

    with pytest.raises(ZeroDivisionError) as caught:
        run_page("# Title\n\n```python\n1 / 0\n```\n", "page.md")
    last = traceback.extract_tb(caught.tb)[-1]
    assert (last.filename, last.lineno) == ("page.md", 4)
