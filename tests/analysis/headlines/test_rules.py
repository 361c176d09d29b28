from __future__ import annotations

import pytest

from driftline.analysis.headlines.rules import HeadlineRules
from driftline.core.errors import InvalidInput


@pytest.mark.parametrize("rule", [{"min_ratio": 0.5}, {"min_documents": 0}, {"most_words": 0}, {"n_stories": -1}])
def test_rules_that_make_no_sense_are_refused(rule):
    with pytest.raises(InvalidInput, match=next(iter(rule))):
        HeadlineRules(**rule)


def test_not_a_number_is_refused():
    with pytest.raises(InvalidInput):
        HeadlineRules(min_ratio=float("nan"))
