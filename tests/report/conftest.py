from __future__ import annotations

import shutil

import pytest

from driftline.report import write_report
from tests.report.browser import chromium
from tests.report.findings_factory import newswire_findings


@pytest.fixture(scope="session")
def findings():
    return newswire_findings(2000)


@pytest.fixture(scope="session")
def report(findings, tmp_path_factory):
    return write_report(findings, tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture(scope="module")
def browser():
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed; pip install 'driftline[dev]'")
    if shutil.which("chromium") is None:
        pytest.skip("there is no chromium on the PATH")
    with chromium() as running:
        yield running
