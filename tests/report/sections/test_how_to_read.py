from __future__ import annotations

import dataclasses

from driftline.analysis.findings.small_stream import SmallStream
from driftline.report.page import render
from driftline.report.sections.how_to_read import SECTION


def test_it_explains_with_the_levels_that_were_used(findings):
    html = render(dataclasses.replace(findings, false_discovery_rate=0.1, bandwidth_days=12.5), [SECTION])
    assert "About 10\xa0% of the words reported as lastingly changed are expected" in html
    assert "12.5 days on either side" in html
    assert "inside it 95\xa0% of the time" in html


def test_of_a_small_stream_only_what_is_shown_is_explained(findings):
    html = render(dataclasses.replace(findings, small=SmallStream(100, 200)), [SECTION])
    assert "<dt>Band</dt>" in html
    assert "<dt>Lasting change</dt>" not in html
    assert "<dt>Smoothing</dt>" not in html
