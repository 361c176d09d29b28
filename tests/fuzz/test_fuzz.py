"""What once failed is replayed, every target runs a few cases, and the machinery finds and minimises what is wrong."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from tests.fuzz.__main__ import one_round
from tests.fuzz.cases import REGRESSIONS, decode, encode, keep
from tests.fuzz.counting import count_lines, count_mails, count_rows
from tests.fuzz.mutations import mutate
from tests.fuzz.targets import Target, all_targets
from tests.fuzz.worker import explore

KEPT = sorted(REGRESSIONS.glob("*.json"))


@pytest.mark.parametrize("path", KEPT, ids=[path.stem for path in KEPT])
def test_what_once_failed(path):
    name, case = decode(path.read_text(encoding="utf-8"))
    all_targets()[name].run(case)


@pytest.mark.parametrize("name", [name for name, target in all_targets().items() if not target.slow])
def test_every_target_runs(name):
    _, case, reason = explore(all_targets()[name], 12, 1)
    assert case is None, f"{case!r}\n{reason}"


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, target in all_targets().items() if target.slow])
def test_every_slow_target_runs(name):
    _, case, reason = explore(all_targets()[name], 40, 1)
    assert case is None, f"{case!r}\n{reason}"


def test_a_fault_is_found_and_minimised():
    def run(case):
        if len(case) >= 3 and b"\0" in case:
            raise RuntimeError("a fault")

    _, case, reason = explore(Target("faulty", st.binary(max_size=50), run), 2000, 1)
    assert case == b"\0\0\0"
    assert "a fault" in reason


def test_a_lost_record_is_found(monkeypatch):
    from driftline.streams.rejections import Rejections

    monkeypatch.setattr(Rejections, "add", lambda self, rejection, *, count=1: None)
    _, case, reason = explore(all_targets()["jsonl"], 300, 1)
    assert case is not None
    assert "records were read or rejected" in reason


@pytest.mark.slow
def test_coverage_guides_mutation():
    pytest.importorskip("atheris", reason="atheris comes with the extra fuzz")
    n_cases, failure = one_round("jsonl", 3.0, 1, guided=True)
    assert failure is None, failure
    assert n_cases > 20


def test_cases_come_back(tmp_path):
    case = [b"\xff", {"a": [1, 2.5, None, "é"]}, [b""]]
    assert decode(encode("x", case)) == ("x", case)
    path = keep("x", case, tmp_path)
    assert path == keep("x", case, tmp_path)
    assert decode(path.read_text()) == ("x", case)


def test_mutations_do_what_they_are_called():
    assert mutate(b"abcdef", [("cut", 0.5, 0.0, b"x")]) == b"abcd"
    assert mutate(b"abcdef", [("drop", 0.5, 0.0, b"x")]) == b"abcef"
    assert mutate(b"abcdef", [("insert", 0.5, 0.0, b"x")]) == b"abcxdef"
    assert mutate(b"abcdef", [("double", 0.0, 0.2, b"x")]) == b"ababcdef"
    assert mutate(b"abcdef", [("swap", 0.0, 0.2, b"x")]) == b"bacdef"
    assert mutate(b"a", [("flip", 0.0, 0.0, b"\x01")]) == b"`"


@pytest.mark.parametrize(
    ("data", "n"),
    [
        (b"", 0),
        (b"x\n\nFrom a\n", 2),
        (b"From a\n\nFrom b\n", 2),
        (b"From a\n\nFrom b", 1),
        (b"\n\n", 0),
        (b"\nFrom a\n", 1),
    ],
)
def test_mails_are_counted(data, n):
    assert count_mails(data) == n


def test_lines_and_rows_are_counted():
    assert count_lines(b"a\n\n \r\nb") == 2
    assert count_rows(b'a,b\n1,2\n"3\n4",5\n6\n', b",") == 3
