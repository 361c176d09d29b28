import dataclasses

from driftline.analysis import long_document_findings
from driftline.analysis.findings import Findings


def test_all_of_them_are_frozen_and_a_part_of_the_findings():
    kinds = [kind for kind in vars(long_document_findings).values() if dataclasses.is_dataclass(kind)]
    assert len(kinds) >= 5
    assert all(kind.__dataclass_params__.frozen for kind in kinds)
    assert "LongDocuments" in {field.name: field.type for field in dataclasses.fields(Findings)}["long_documents"]
