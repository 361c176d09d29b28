from click.testing import CliRunner

from driftline.cli.main import cli


def test_the_demo_writes_a_report_with_the_truth_and_keeps_the_stories(tmp_path):
    page, stories = tmp_path / "demo.html", tmp_path / "stories.jsonl"
    result = CliRunner().invoke(cli, ["demo", "--documents", "600", "-o", str(page), "--keep", str(stories)])
    assert result.exit_code == 0, result.output
    assert "the truth is known" in result.stdout
    assert len(stories.read_bytes().splitlines()) > 600  # the broken records too
    assert page.stat().st_size > 1e6
