from __future__ import annotations

import pytest
from tools.site.outside import outside_pages, relinked

OUTSIDE = {"README.md": "readme.md", "benchmarks/results/a.md": "benchmarks/results/a.md"}


@pytest.mark.parametrize(
    "before, after",
    [
        ("[a](../../README.md#two)", "[a](../readme.md#two)"),
        ("[a](../../benchmarks/results/a.md)", "[a](../benchmarks/results/a.md)"),
        ("[a](../models/lda.md)", "[a](../models/lda.md)"),
        ("[a `b`](../../src/driftline/x.py)", "a `b`"),
        ("![a](../images/a.png)", "![a](../images/a.png)"),
        ("[a](https://example.org/x) [b](#here)", "[a](https://example.org/x) [b](#here)"),
        ("```text\n[a](../../src/x.py)\n```\n", "```text\n[a](../../src/x.py)\n```\n"),
    ],
)
def test_links_lead_to_the_site(before, after):
    assert relinked(before, "docs/guide/text.md", "guide/text.md", OUTSIDE) == after


def test_links_of_the_readme_lead_into_docs():
    assert relinked("[a](docs/models/lda.md)", "README.md", "readme.md", OUTSIDE) == "[a](models/lda.md)"


def test_project_pages_and_results_are_in_the_site(tmp_path):
    (tmp_path / "benchmarks/results").mkdir(parents=True)
    for place in ("README.md", "SECURITY.md", "benchmarks/results/a.md"):
        (tmp_path / place).write_text("# A\n")
    assert outside_pages(tmp_path) == {
        "README.md": "readme.md",
        "SECURITY.md": "project/security.md",
        "benchmarks/results/a.md": "benchmarks/results/a.md",
    }
