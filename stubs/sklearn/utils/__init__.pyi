from typing import Any

class InputTags:
    one_d_array: bool
    two_d_array: bool
    sparse: bool
    string: bool
    positive_only: bool
    allow_nan: bool
    pairwise: bool

class TargetTags:
    required: bool
    one_d_labels: bool
    two_d_labels: bool

class ClassifierTags:
    poor_score: bool
    multi_class: bool
    multi_label: bool

class TransformerTags:
    preserves_dtype: list[str]

class Tags:
    estimator_type: str | None
    target_tags: TargetTags
    transformer_tags: TransformerTags
    classifier_tags: ClassifierTags
    input_tags: InputTags
    no_validation: bool
    non_deterministic: bool
    requires_fit: bool

def get_tags(estimator: Any) -> Tags: ...
def assert_all_finite(
    X: Any, *, allow_nan: bool = False, estimator_name: str | None = None, input_name: str = ""
) -> None: ...
def _safe_indexing(X: Any, indices: Any, *, axis: int = 0) -> Any: ...
