from __future__ import annotations

import pytest

from driftline.report import write_report
from tests.report.browser import chromium_if_installed
from tests.report.findings_factory import newswire_findings


@pytest.fixture(scope="session")
def findings():
    return newswire_findings(2000)


@pytest.fixture(scope="session")
def report(findings, tmp_path_factory):
    return write_report(findings, tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture(scope="module")
def browser():
    yield from chromium_if_installed()
