from __future__ import annotations

import base64
import io
import zlib

import pyarrow.parquet as pq

from driftline.analysis.serialise import from_json
from driftline.analysis.tables import findings_tables
from driftline.report.packed_files import packed_files
from driftline.report.page import render


def test_the_files_have_all_findings(findings):
    files = {file.name: file for file in packed_files(findings)}
    assert set(files) == {"findings.json", "words.parquet", "curves.parquet"}
    whole = zlib.decompress(base64.b64decode(files["findings.json"].packed)).decode()
    assert from_json(whole) == findings
    for name, table in findings_tables(findings).items():
        packed = base64.b64decode(files[f"{name}.parquet"].packed)
        assert pq.read_table(io.BytesIO(packed)).equals(table)
    assert packed_files(findings) == list(files.values())


def test_a_file_that_is_too_large_is_only_named(findings, monkeypatch):
    monkeypatch.setattr("driftline.report.packed_files.MOST_BYTES", 20_000)
    files = {file.name: file.packed for file in packed_files(findings)}
    assert files["curves.parquet"] == ""
    assert files["words.parquet"] != ""
    html = render(findings)
    assert 'id="file-words.parquet"' in html
    assert 'id="file-curves.parquet"' not in html
    assert "Too large for this page: findings.json and curves.parquet" in html
