"""Topic models that take a guide: compiled wishes, the names of topics, and the outcome of every wish."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from driftline.base.state_layout import Anything, Array, Each, Layout, Optional, Text, Together
from driftline.core.arrays import Counts, Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.core.results import Results
from driftline.guidance.compile import compile_guide, topics_of_refit
from driftline.guidance.guide import Guide
from driftline.guidance.heeded import Evidence, needs_documents, wish_reports
from driftline.guidance.kept_topics import present_topics
from driftline.guidance.mergers import merged_names
from driftline.guidance.wish_report import WishReport, reported
from driftline.guidance.wishes import KeepWish, RuleWish
from driftline.inference.guide_arrays import NO_PAIRS, TOGETHER, GuideArrays, WordGroups, WordPrior
from driftline.inference.word_rules import WordRules
from driftline.text.vocabulary import WordList

GUIDED: Layout = {
    "topic_names_": Optional(Each(Text(), "topics")),
    "_wish_reports_": Optional(Each(Anything())),
    "_merged_names_": Optional(Each(Text())),
    "_word_wishes_": Optional(
        Together(
            {
                "words": Array("wished", kind="i", below="words"),
                "counts": Array("wished", "topics", least=0),
                "banned_words": Array("banned", kind="i", below="words"),
                "banned_topics": Array("banned", kind="i", below="topics"),
                "members": Array("members", kind="i", below="words"),
                "groups": Array("members", kind="i", least=0),
                "apart": Array(None, 2, kind="i", below="words"),
                "said": Array("words", least=0),
            }
        )
    ),
}
"""State of a model that was fitted with a guide."""


class GuidedModel:
    """Base of models that take a guide; it goes to the left of the family's own base."""

    guide: Guide | None
    n_topics: int
    vocabulary: WordList | None
    topic_names_: list[str]
    _wish_reports_: list[WishReport]
    _merged_names_: list[str]
    _word_wishes_: dict[str, np.ndarray]

    @property
    def guide_report_(self) -> Results[WishReport]:
        """The outcome of every wish of the guide; empty without a guide."""
        return reported(getattr(self, "_wish_reports_", []))

    def _present_topics(self, guide: Guide | None, sizes: Floats | None = None) -> KeepWish:
        """Prepare a refit under a guide (None: the current one); return the topics that it starts from.

        `sizes` are the numbers of words in the topics, if the model does not keep expected counts.
        """
        if guide is not None:
            self.guide = guide
        present = present_topics(self)
        if sizes is not None:
            present = dataclasses.replace(present, counts=present.counts * sizes[:, None])
        self.n_topics = topics_of_refit(self.guide or Guide(), present)
        own = vars(self).get("doc_topic_prior")
        if isinstance(own, np.ndarray | list | tuple) and len(own) < self.n_topics:  # new topics have the mean prior
            vars(self)["doc_topic_prior"] = np.append(own, np.full(self.n_topics - len(own), np.mean(own)))
        return present

    def _compiled(self, X: Counts, present: KeepWish | None = None, *, stream: bool = False) -> GuideArrays | None:
        """Return the compiled guide; None without wishes. The state of an earlier guide is discarded."""
        for name in ("topic_names_", "_wish_reports_", "_word_wishes_", "_merged_names_"):
            vars(self).pop(name, None)
        guide = self.guide if self.guide is not None else Guide()
        if not guide and present is None:
            return None
        if stream and needs_documents(guide):
            raise InvalidInput("partial_fit takes only wishes about words and topics; use fit for the others")
        if any(isinstance(wish, RuleWish) for wish in guide.wishes):
            raise InvalidInput(f"rules are for the decoding of sequences; {type(self).__name__} does not take them")
        said = np.asarray(X.sum(axis=0), dtype=np.float64).ravel()
        arrays = compile_guide(guide, said, self.n_topics, vocabulary=self.vocabulary, X=X, present=present)
        self.topic_names_ = list(arrays.names)
        gone = set(() if present is None else present.gone) | set(merged_names(guide.wishes))
        if gone:
            self._merged_names_ = sorted(gone)
        self._word_wishes_ = _stored(arrays, self.n_topics, said)
        return arrays

    def _report_wishes(self, arrays: GuideArrays, evidence: Evidence) -> None:
        self._wish_reports_ = wish_reports(self.guide or Guide(), arrays, evidence)

    def _word_prior(self) -> WordPrior | None:
        """Return the prior counts of words and the banned pairs of the guide of the last fit."""
        stored = getattr(self, "_word_wishes_", None)
        if stored is None:
            return None
        return WordPrior(stored["words"], stored["counts"], _banned(stored))

    def _word_rules(self) -> WordRules:
        """Return the rules about words of the guide of the last fit."""
        stored = getattr(self, "_word_wishes_", None)
        if stored is None:
            return WordRules()
        together = tuple(stored["members"][stored["groups"] == g] for g in np.unique(stored["groups"]))
        groups = None
        if together or len(stored["apart"]):
            groups = WordGroups(together, stored["apart"], TOGETHER, stored["said"])
        return WordRules(_banned(stored), groups)


def _banned(stored: dict[str, Any]) -> Ints:
    return np.column_stack([stored["banned_words"], stored["banned_topics"]])


def _stored(arrays: GuideArrays, n_topics: int, said: Floats) -> dict[str, np.ndarray]:
    prior = arrays.prior or WordPrior(np.empty(0, dtype=np.int64), np.empty((0, n_topics)), NO_PAIRS)
    together = () if arrays.groups is None else arrays.groups.together
    return {
        "words": prior.words,
        "counts": prior.counts,
        "banned_words": np.ascontiguousarray(prior.banned[:, 0]),
        "banned_topics": np.ascontiguousarray(prior.banned[:, 1]),
        "members": np.concatenate([*together, np.empty(0, dtype=np.int64)]).astype(np.int64),
        "groups": np.repeat(np.arange(len(together)), [len(group) for group in together]).astype(np.int64),
        "apart": NO_PAIRS if arrays.groups is None else arrays.groups.apart,
        "said": said,
    }
