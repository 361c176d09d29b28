from __future__ import annotations

import datetime
import shutil
from pathlib import Path

import pytest
from tools.release import (
    CHANGELOG,
    CITATION,
    DEMO,
    PACKAGE,
    PYPROJECT,
    SMOKE,
    NotReleasable,
    check_version,
    dated,
    prepare,
)

import driftline

ROOT = Path(__file__).parents[2]
TODAY = datetime.date(2030, 1, 2)


@pytest.mark.parametrize("version", ["", "one", "1.0-2", "v1.0", "1.0.0+local", "0.2.0", "0.1.9", "0.2.0rc1"])
def test_only_later_versions_in_their_own_spelling_are_released(version):
    with pytest.raises(NotReleasable):
        check_version(version, ["v0.1.0", "v0.2.0"])


def test_later_versions_are_released():
    for version in ("0.2.1", "0.10.0", "1.0.0rc1"):
        check_version(version, ["v0.1.0", "v0.2.0"])
    check_version("0.1.0", [])


def test_what_is_unreleased_gets_version_and_date():
    found = dated("# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0 (2029-01-01)\n\n- Old.\n", "0.2.0", TODAY)
    assert found == (
        "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2030-01-02)\n\n- New.\n\n## 0.1.0 (2029-01-01)\n\n- Old.\n"
    )


@pytest.mark.parametrize("text", ["# Changelog\n", "## Unreleased\n\n## 0.1.0\n\n- Old.\n", 2 * "## Unreleased\n- a\n"])
def test_a_changelog_with_nothing_to_release_is_refused(text):
    with pytest.raises(NotReleasable):
        dated(text, "0.2.0", TODAY)


def test_the_version_is_the_same_everywhere_and_all_of_it_is_changed(tmp_path):
    for name in (PYPROJECT, PACKAGE, CITATION, CHANGELOG):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name in (PYPROJECT, PACKAGE, CITATION):
        assert driftline.__version__ in (tmp_path / name).read_text()
    for version in ("9.8.7", "9.8.8"):
        changed = prepare(tmp_path, version, TODAY)
        for name in changed:
            text = (tmp_path / name).read_text()
            assert version in text
            assert f'"{driftline.__version__}"' not in text
            assert f"'{driftline.__version__}'" not in text
        (tmp_path / CHANGELOG).write_text("## Unreleased\n\n- More.\n")
    citation = (tmp_path / CITATION).read_text()
    assert (citation.count("version: 9.8.8"), citation.count("date-released: 2030-01-02")) == (1, 1)


def test_the_command_line_takes_what_a_release_tries_out():
    from driftline.cli.demo import demo

    name, *options = DEMO
    assert name == "demo"
    assert demo.make_context("demo", list(options)).params["documents"] == int(options[1])


def test_the_program_that_a_release_runs_is_right(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(SMOKE, "smoke", "exec"), {})
    assert (tmp_path / "model").is_dir()
