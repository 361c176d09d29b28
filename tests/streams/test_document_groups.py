import pyarrow as pa
import pytest

from driftline.core.errors import InvalidInput
from driftline.streams.document_groups import document_groups, exchanged_groups

TABLE = pa.table(
    {"author": ["bob", None, "ann", None], "label": ["x", "x", "y", "y"], "thread": pa.nulls(4, pa.string())}
)


def test_documents_of_unknown_authors_are_each_on_their_own():
    assert exchanged_groups(TABLE, "author").tolist() == [1, 2, 0, 3]


def test_a_source_is_who_wrote_and_a_label_may_be_exchanged():
    assert exchanged_groups(TABLE, "source").tolist() == [1, 2, 0, 3]
    assert exchanged_groups(TABLE, "label").tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("unit", ["auto", "day", "6h", "document"])
def test_units_of_time_are_not_groups(unit):
    assert exchanged_groups(TABLE, unit) is None


def test_a_column_that_no_document_has_is_named():
    assert document_groups(TABLE, "thread") is None
    with pytest.raises(InvalidInput, match="no document has a thread; name its column with thread="):
        exchanged_groups(TABLE, "thread")
