from __future__ import annotations

from tools.gallery import IMAGES, LARGEST, PICTURES

from tests.docs.markdown import ROOT, links


def test_every_picture_is_drawn_shown_and_small():
    shown = links((ROOT / "docs/gallery.md").read_text(encoding="utf-8"))
    for name in PICTURES:
        path = IMAGES / f"{name}.png"
        assert path.exists(), f"python -m tools.gallery {name}"
        assert path.stat().st_size <= LARGEST
        assert f"images/gallery/{name}.png" in shown
    assert {path.stem for path in IMAGES.glob("*.png")} == PICTURES.keys()
