"""What MkDocs calls while it builds the site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from tools.site.api import api_pages
from tools.site.formulas import with_mathml
from tools.site.navigation import navigation
from tools.site.outside import ROOT, outside_pages, relinked

ASSETS = Path(__file__).parent / "assets"


def on_files(files: Files, config: Any) -> Files:
    """Add the API reference, the pages outside of docs/ and our own script; then lay out the navigation."""
    for place, content in api_pages().items():
        files.append(File.generated(config, place, content=content))
    for source, place in outside_pages().items():
        files.append(File.generated(config, place, content=(ROOT / source).read_text(encoding="utf-8")))
    for asset in sorted(ASSETS.iterdir()):
        files.append(File.generated(config, f"assets/{asset.name}", abs_src_path=str(asset)))
    config.nav = navigation(file.src_uri for file in files.documentation_pages())
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Lead links that leave docs/ to the pages of the site."""
    outside = outside_pages()
    place = page.file.src_uri
    if place.startswith(("benchmarks/", "project/")):
        page.meta["search"] = {"boost": 0.3}
    if place.startswith("api/"):
        return markdown
    source = {there: here for here, there in outside.items()}.get(place, f"docs/{place}")
    return relinked(markdown, source, place, outside)


def on_page_content(html: str, page: Any, config: Any, files: Files) -> str:
    """Draw the formulas."""
    return with_mathml(html)
