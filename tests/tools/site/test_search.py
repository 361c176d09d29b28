from __future__ import annotations

import os
import shutil
import subprocess
import sys
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tests.docs.markdown import ROOT
from tests.report.browser import chromium

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the whole site, as `make docs` does."""
    if shutil.which("chromium") is None:
        pytest.skip("there is no Chromium on the PATH")
    pytest.importorskip("mkdocs")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(params=["from disk", "served"])
def address(site, request):
    """Yield the address of the site: a file, or a server on this machine."""
    if request.param == "from disk":
        yield site.as_uri()
        return

    class Quiet(SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(site))

        def log_message(self, *arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_the_search_finds_pages_and_names_without_a_network(address):
    with chromium() as browser:
        page = browser.new_page()
        requested = []
        page.on("request", lambda sent: requested.append(sent.url))
        page.goto(f"{address}/index.html")
        for words, found in [
            ("changed words", "models/changed-words.html"),
            ("BurstAutomaton", "burst-automaton.html"),
        ]:
            page.locator("input.md-search__input").fill("")
            page.locator("input.md-search__input").press_sequentially(words)
            page.locator(f".md-search-result__item a[href*='{found}']").first.wait_for(state="attached", timeout=20_000)
        assert all(url.startswith((address, "data:", "blob:", "about:")) for url in requested)
