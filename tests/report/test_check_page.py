from driftline.monitoring.drift_check import CheckedPart, DriftCheck, Thresholds
from driftline.monitoring.word_changes import WordChange
from driftline.report.check_page import part_sentence, word_row, write_check_page

ERRORS = CheckedPart("errors", "failed", 0.1, 0.2, 0.1, 0.02, 0.0001, 0.0004, "")
WORDS = CheckedPart("words", "undecided", 0.1, 0.2, 0.1, 0.0, 0.05, 0.2, "too few days")
SHARES = CheckedPart("predictions", "passed", 0.5, 0.52, 0.02, 0.05, 0.4, 0.8, "", "news")
MISSING = CheckedPart("errors", "not tested", None, None, None, 0.02, None, None, "there are no labels")
CHANGE = WordChange("<script>alert(1)</script>", 0.01, 0.04, 4.0, 2.5, 6.4, 0.001, True, "spam & ham")


def test_every_verdict_is_a_sentence():
    assert part_sentence(ERRORS) == "Errors: failed. 20.0 % now, 10.0 % before (p < 0.001)."
    assert "0.2000 bits" in part_sentence(WORDS)
    assert part_sentence(WORDS).endswith("Too few days.")
    assert part_sentence(SHARES).startswith(
        "Predicted labels: passed. Mean probabilities of the labels, 2.0 points shifted;"
    )
    assert "the label that changed most, “news”, has 52.0 % now" in part_sentence(SHARES)
    assert part_sentence(MISSING) == "Errors: not tested; there are no labels."


def test_a_word_is_a_row():
    assert word_row(CHANGE)[1:] == ("1.00 %", "4.00 %", "4.00", "2.50 to 6.40", "favours spam & ham")
    assert word_row(CHANGE.__class__(**vars(CHANGE) | {"known": False}))[-1] == "unknown"
    assert word_row(CHANGE.__class__(**vars(CHANGE) | {"speaks_for": None}))[-1] == "known"


def test_new_and_vanished_words_are_called_so():
    new = CHANGE.__class__(**vars(CHANGE) | {"ratio": float("inf"), "high": float("inf")})
    assert word_row(new)[3:5] == ("new", "at least 2.50")
    assert word_row(CHANGE.__class__(**vars(CHANGE) | {"ratio": 0.0}))[3] == "gone"


def test_the_page_has_verdicts_words_and_what_was_left_out(tmp_path):
    found = DriftCheck(False, [ERRORS, WORDS], [CHANGE], 120, 3000, 2, 1, "day", 20, 80, Thresholds())
    page = write_check_page(found, tmp_path / "page.html", "model on <i>new</i>.csv").read_text()
    assert "Errors: failed." in page
    assert "2 documents left out: already learned." in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert(1)" not in page
    assert "<i>new</i>" not in page


def test_a_page_without_words_says_so(tmp_path):
    found = DriftCheck(True, [SHARES], [], 120, 3000, 0, 0, "day", 20, 80, Thresholds())
    assert "No word changed significantly." in write_check_page(found, tmp_path / "page.html", "model").read_text()
