import pytest

from driftline.core.errors import InvalidInput
from driftline.text.left_out import LONGEST_EXAMPLE, MOST_EXAMPLES, Tally, checked_keep, shortened


def test_batches_add_up_in_a_fixed_order():
    tally = Tally()
    tally.add("duplicates", "document", 1, 1, ["x"])
    tally.add("urls", "match", 2, 1, ["a", "b"])
    tally.add("urls", "match", 3, 2, ["a", "c"])
    tally.add("tags", "match", 0, 0, ["never"])
    urls, duplicates = tally.finish()
    assert (urls.n, urls.n_documents, urls.examples) == (5, 3, ("a", "b", "c"))
    assert duplicates.kind == "duplicates"


def test_examples_are_few_and_short():
    tally = Tally()
    assert tally.wants_examples("urls")
    tally.add("urls", "match", 9, 9, [f"{i}" * 500 for i in range(9)])
    (urls,) = tally.finish()
    assert len(urls.examples) == MOST_EXAMPLES
    assert all(len(example) == LONGEST_EXAMPLE for example in urls.examples)
    assert not tally.wants_examples("urls")
    assert shortened(" a\n  b ") == "a b"


def test_what_to_keep_is_checked():
    assert checked_keep(()) == frozenset()
    assert checked_keep("urls") == {"urls"}
    assert {"urls", "duplicates", "quotes"} < checked_keep(["all"])
    with pytest.raises(InvalidInput, match="'all' or some of"):
        checked_keep(["links"])
