from __future__ import annotations

import io
import re
import subprocess
import sys
import threading
import time

from driftline.core import progress
from driftline.core.progress import LineReporter, TerminalReporter, announce, reporting, track


class Recorder:
    """Records its input."""

    def __init__(self):
        self.reported = []

    def track(self, items, description, total):
        self.reported.append((description, total))
        yield from items

    def announce(self, message):
        self.reported.append(message)


def test_a_library_is_silent(capfd):
    assert list(track(range(3), "work")) == [0, 1, 2]
    announce("about to compile")
    assert capfd.readouterr() == ("", "")


def test_a_program_hears_everything_inside_its_block():
    recorder = Recorder()
    with reporting(recorder):
        assert list(track("ab", "letters", total=2)) == ["a", "b"]
        announce("compiling")
    announce("unheard")
    assert recorder.reported == [("letters", 2), "compiling"]


def test_blocks_nest_and_end_on_errors():
    outer, inner = Recorder(), Recorder()
    with reporting(outer):
        try:
            with reporting(inner):
                announce("in")
                raise KeyError
        except KeyError:
            announce("out")
    assert (outer.reported, inner.reported) == (["out"], ["in"])


def test_other_threads_keep_their_own_reporter():
    recorder = Recorder()
    with reporting(recorder):
        thread = threading.Thread(target=announce, args=("from a thread",))
        thread.start()
        thread.join()
    assert recorder.reported == []


def test_without_a_terminal_the_program_writes_a_few_lines(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with reporting():
        assert isinstance(progress._reporter.get(), LineReporter)
        announce("Loading \x1b[31m...")
        assert sys.stderr.getvalue().count("\n") == 1, "at once"
        assert list(track(range(3), "work", total=3)) == [0, 1, 2]
    assert sys.stderr.getvalue().startswith("Loading ")
    assert "\x1b" not in sys.stderr.getvalue()
    assert "work" not in sys.stderr.getvalue()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with reporting():
        assert isinstance(progress._reporter.get(), TerminalReporter)


def test_a_long_loop_writes_a_line_now_and_then(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    with reporting(LineReporter(every=10.0)):
        for _ in track(iter(range(6)), "work", total=1200):
            now += 4
        for _ in track(iter(range(6)), "play"):
            now += 4
    lines = ["work: 3 of 1,200 done", "play: 0 done", "play: 3 done"]
    assert sys.stderr.getvalue().splitlines() == lines


def watchers():
    return [thread for thread in threading.enumerate() if thread.name == "progress"]


def test_a_long_step_writes_lines_while_it_runs(monkeypatch):
    written = io.StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    with reporting(LineReporter(every=0.05)):
        for number in track(range(2), "work"):
            for _ in track(range(1), "inner"):
                assert len(watchers()) == 1
            line = rf"work: {number} of 2 done, the next has taken \d+ s\n"
            for _ in range(3000):
                if re.search(line, written.getvalue()):
                    break
                time.sleep(0.01)
            assert re.search(line, written.getvalue())
        assert not watchers()
        for _ in track(range(5), "left early"):
            break
        assert not watchers()
        for _ in track(iter("ab"), "an endless stream may be idle"):
            assert not watchers()


def test_a_reader_that_went_away_is_not_an_error(monkeypatch):
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stderr", closed)
    LineReporter().announce("unheard")


def test_verbose_shows_on_standard_error_only(capfd):
    assert list(track(range(3), "counting", verbose=True)) == [0, 1, 2]
    announce("[bold]not markup[/bold]", verbose=1)
    out, err = capfd.readouterr()
    assert out == ""
    assert "[bold]not markup[/bold]" in err


def test_a_loop_inside_a_loop_has_no_bar_of_its_own(capfd):
    reporter = TerminalReporter()
    with reporting(reporter):
        pairs = [(i, j) for i in track(range(2), "outer") for j in track(range(2), "inner")]
    assert pairs == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert "inner" not in capfd.readouterr().err


def test_a_loop_that_is_left_early_frees_the_bar():
    reporter = TerminalReporter()
    with reporting(reporter):
        for _ in track(range(5), "first"):
            assert reporter._busy
            break
    assert not reporter._busy


def test_rich_is_imported_only_when_something_is_shown():
    code = (
        "import sys\n"
        "from driftline.core.progress import TerminalReporter, reporting\n"
        "with reporting(TerminalReporter()): pass\n"
        "sys.exit('rich' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
