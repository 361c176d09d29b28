import numpy as np
import pytest
import scipy.sparse as sp

from driftline.analysis.analyse import analyse
from driftline.analysis.reported_words import is_reported, without_other_words
from driftline.streams.stream import Stream


@pytest.fixture(scope="module")
def stream():
    """Minutes of meetings, with the year and the number of a paragraph; in the second half there is a storm."""
    rng = np.random.default_rng(0)
    others = [f"{first}{second}" for first in ("har", "mar", "for", "bri", "li") for second in ("bour", "ket", "est")]
    dates = np.datetime64("2014-01-01") + np.repeat(np.arange(220), 3) * np.timedelta64(1, "W")
    rows = []
    for date in dates:
        year = str(date)[:4]
        subject = "storm paragraph 80" if year > "2015" else "budget paragraph 12"
        rows.append(
            (str(date), f"{' '.join(rng.choice(others, 9))} {subject} {year} {' '.join(rng.choice(others, 9))}")
        )
    return rows


def names_in(findings):
    named = [word.word for word in findings.changed_words]
    named += [burst.word for burst in findings.bursts]
    return {*named, *(word.word for period in findings.periods for word in period.words)}


def test_numbers_can_be_left_out_of_the_findings(stream):
    without = analyse(Stream.from_documents(stream), numbers=False)
    assert {"storm", "budget"} <= names_in(without)
    assert not any(any(map(str.isdigit, word)) for word in names_in(without))
    found = analyse(Stream.from_documents(stream))
    assert {"storm", "2016", "80"} <= names_in(found)
    assert found.n_words_tested > without.n_words_tested
    assert without.explorable is not None
    assert {"2016", "80"} <= set(without.explorable.words)


def test_columns_of_other_words_are_empty_and_the_counts_given_are_unchanged():
    counts = sp.csr_array(np.array([[1, 2, 0], [0, 3, 4]]))
    found = without_other_words(counts, is_reported(["war", "2003", "peace", "2004"], numbers=False))
    assert found.toarray().tolist() == [[1, 0, 0], [0, 0, 4]]
    assert counts.toarray().tolist() == [[1, 2, 0], [0, 3, 4]]
