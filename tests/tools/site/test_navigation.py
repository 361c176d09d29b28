from __future__ import annotations

from tools.site.navigation import navigation


def test_pages_stand_in_the_section_of_their_folder():
    found = navigation(
        [
            "models/lda.md",
            "a.md",
            "readme.md",
            "index.md",
            "benchmarks/results/local/b.md",
            "benchmarks/results/README.md",
        ]
    )
    assert found == [
        {"Start": ["index.md", {"README": "readme.md"}, "a.md"]},
        {"Models": ["models/lda.md"]},
        {"Benchmarks": ["benchmarks/results/README.md", {"local": ["benchmarks/results/local/b.md"]}]},
    ]
