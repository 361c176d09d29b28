r"""Rules about the tags of a sentence, and the arrays that decoding needs."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Bools, Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.inference.constrained_decoding import UNLIMITED, CountRule, Penalty
from driftline.text.bio_tags import may_follow

HARD, LEARNED = "hard", "learned"


@dataclass(frozen=True)
class TagRule:
    """A rule about the tags of a sentence, made by `bio`, `never_after`, `tokens`, `at_least` or `at_most`.

    `cost` is the cost of breaking the rule once, in units of the score (the logarithm of a probability): a number;
    "hard": the rule is broken only where it cannot be kept; or "learned": the logarithm of the ratio of the numbers of
    times that the training tags keep and break the rule.

    >>> TagRule.bio()
    bio
    >>> TagRule.tokens(["DT"], ["B-NP", "I-NP"], column=1, cost=2.0)
    tokens DT: B-NP, I-NP
    >>> TagRule.at_least(1, ["VERB"])
    at least 1: VERB
    """

    kind: str
    tags: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    column: int = 0
    n: int = 0
    cost: float | str = HARD

    @classmethod
    def bio(cls, *, cost: float | str = HARD) -> TagRule:
        """Require that I-X follows only B-X or I-X."""
        return cls("bio", cost=_cost(cost))

    @classmethod
    def never_after(cls, tag: str, before: str, *, cost: float | str = HARD) -> TagRule:
        """Require that `tag` is never the next tag after `before`."""
        return cls("never_after", (str(tag),), (str(before),), cost=_cost(cost))

    @classmethod
    def tokens(
        cls, values: Iterable[str], tags: Iterable[str], *, column: int = 0, cost: float | str = HARD
    ) -> TagRule:
        """Require that tokens with one of these values (of the word, or of another column) have one of these tags."""
        if column < 0:
            raise InvalidInput(f"the column of a rule must not be negative; it is {column}")
        return cls("tokens", _names(tags, "tags"), _names(values, "values"), column, cost=_cost(cost))

    @classmethod
    def at_least(cls, n: int, tags: Iterable[str], *, cost: float | str = HARD) -> TagRule:
        """Require at least `n` tokens with one of these tags in every sentence; each missing tag is one violation."""
        return cls("at_least", _names(tags, "tags"), n=_number(n, 1), cost=_cost(cost))

    @classmethod
    def at_most(cls, n: int, tags: Iterable[str], *, cost: float | str = HARD) -> TagRule:
        """Require at most `n` tokens with one of these tags in every sentence; each excess tag is one violation."""
        return cls("at_most", _names(tags, "tags"), n=_number(n, 0), cost=_cost(cost))

    @property
    def is_count(self) -> bool:
        """Whether the rule is about the number of tags in a sentence."""
        return self.kind in ("at_least", "at_most")

    def __repr__(self) -> str:
        tags = ", ".join(self.tags)
        return {
            "bio": "bio",
            "never_after": f"{tags} never after {', '.join(self.values)}",
            "tokens": f"tokens {', '.join(self.values)}: {tags}",
            "at_least": f"at least {self.n}: {tags}",
            "at_most": f"at most {self.n}: {tags}",
        }[self.kind]


class Broken(NamedTuple):
    """The number of violations of a rule in every sentence, and the number of places where it could be violated."""

    times: Ints
    places: Ints


class RuleTable(NamedTuple):
    """Rules for the tags of one model, and the cost ρ of each (∞: hard)."""

    rules: tuple[TagRule, ...]
    classes: tuple[str, ...]
    costs: Floats

    @property
    def n_columns(self) -> int:
        """The number of columns that tokens must have."""
        return 1 + max((rule.column for rule in self.rules), default=0)

    def first(self) -> Penalty:
        """Return the costs of first tags."""
        found = Penalty.none(len(self.classes))
        for rule, cost in zip(self.rules, self.costs):
            if rule.kind == "bio":
                _add(found, ~np.array([may_follow(None, tag) for tag in self.classes]), cost)
        return found

    def transition(self) -> Penalty:
        """Return the costs of pairs of neighbouring tags."""
        found = Penalty.none(len(self.classes), len(self.classes))
        for rule, cost in zip(self.rules, self.costs):
            if rule.kind in ("bio", "never_after"):
                _add(found, self._excluded(rule), cost)
        return found

    def tokens(self, columns: Sequence[Sequence[str]]) -> Penalty:
        """Return the costs of the tags of tokens, whose columns are given."""
        found = Penalty.none(len(columns[0]), len(self.classes))
        for rule, cost in zip(self.rules, self.costs):
            if rule.kind == "tokens":
                _add(found, self._matching(rule, columns)[:, None] & ~self._having(rule), cost)
        return found

    def counts(self) -> tuple[CountRule, ...]:
        """Return the rules about numbers of tags."""
        return tuple(
            CountRule(
                self._having(rule),
                rule.n if rule.kind == "at_least" else 0,
                rule.n if rule.kind == "at_most" else UNLIMITED,
                float(cost),
            )
            for rule, cost in zip(self.rules, self.costs)
            if rule.is_count
        )

    def broken(self, codes: Ints, offsets: Ints, columns: Sequence[Sequence[str]]) -> list[Broken]:
        """Return the number of violations of every rule in every sentence; an unknown tag (−1) violates none."""
        return [self._broken(rule, codes, offsets, columns) for rule in self.rules]

    def _broken(self, rule: TagRule, codes: Ints, offsets: Ints, columns: Sequence[Sequence[str]]) -> Broken:
        known, n = codes >= 0, len(offsets) - 1
        sentence = np.repeat(np.arange(n), np.diff(offsets))
        if rule.is_count:
            whole = np.bincount(sentence, weights=~known, minlength=n) == 0
            having = np.bincount(sentence, weights=self._having(rule)[codes] & known, minlength=n).astype(np.int64)
            missed = rule.n - having if rule.kind == "at_least" else having - rule.n
            return Broken(np.where(whole, np.maximum(missed, 0), 0), whole.astype(np.int64))
        if rule.kind == "tokens":
            places = self._matching(rule, columns) & known
            bad = places & ~self._having(rule)[codes]
        else:
            begins = np.zeros(len(codes), dtype=bool)
            begins[offsets[:-1][np.diff(offsets) > 0]] = True
            before = np.where(begins, -1, np.roll(codes, 1))
            excluded = self._excluded(rule)
            starts = ~np.array([may_follow(None, tag) for tag in self.classes]) & (rule.kind == "bio")
            concerned = excluded.any(axis=0) | starts
            places = known & concerned[codes] & (begins | (before >= 0))
            bad = places & np.where(begins, starts[codes], excluded[before, codes])
        found = (np.bincount(sentence, weights=one, minlength=n).astype(np.int64) for one in (bad, places))
        return Broken(*found)

    def _excluded(self, rule: TagRule) -> Bools:
        """Return the pairs of tags that a rule excludes."""
        if rule.kind == "bio":
            return ~np.array([[may_follow(before, after) for after in self.classes] for before in self.classes])
        before, after = np.isin(self.classes, rule.values), np.isin(self.classes, rule.tags)
        found: Bools = before[:, None] & after
        return found

    def _having(self, rule: TagRule) -> Bools:
        return np.asarray(np.isin(self.classes, rule.tags))

    def _matching(self, rule: TagRule, columns: Sequence[Sequence[str]]) -> Bools:
        values = set(rule.values)
        return np.array([value in values for value in columns[rule.column]], dtype=bool)


def rule_table(rules: Sequence[TagRule], classes: Iterable[object], costs: Floats | None = None) -> RuleTable:
    """Return the rules for the tags of a model; an unknown tag is an error that names the nearest known one."""
    names = tuple(str(tag) for tag in classes)
    for rule in rules:
        for tag in (*rule.tags, *(rule.values if rule.kind == "never_after" else ())):
            if tag not in names:
                near = difflib.get_close_matches(tag, names, n=3)
                known = ", ".join(near or names[:10])
                raise InvalidInput(f"the rule {rule!r} has the tag {tag!r}, which the model does not have ({known})")
    if costs is None:
        unset = [rule for rule in rules if rule.cost == LEARNED]
        if unset:
            raise InvalidInput(f"the cost of the rule {unset[0]!r} must be a number or 'hard': it cannot be learned")
        costs = np.array([np.inf if rule.cost == HARD else float(rule.cost) for rule in rules])
    return RuleTable(tuple(rules), names, costs)


def learned_costs(rules: Sequence[TagRule], broken: Sequence[Broken]) -> Floats:
    r"""Return the cost of every rule: :math:`\rho = \ln\frac{n_{kept} + 1/2}{n_{broken} + 1/2}`, at least zero."""
    found = np.empty(len(rules))
    for number, (rule, times) in enumerate(zip(rules, broken)):
        if rule.cost != LEARNED:
            found[number] = np.inf if rule.cost == HARD else float(rule.cost)
            continue
        places = int(times.places.sum())
        bad = min(int((times.times > 0).sum()) if rule.is_count else int(times.times.sum()), places)
        found[number] = max(np.log((places - bad + 0.5) / (bad + 0.5)), 0.0)
    return found


def _add(penalty: Penalty, where: Bools, cost: float) -> None:
    if cost == np.inf:
        penalty.hard[where] += 1.0
    else:
        penalty.soft[where] += cost


def _names(values: Iterable[str], what: str) -> tuple[str, ...]:
    if isinstance(values, str):
        raise InvalidInput(f"the {what} of a rule must be a list, not the string {values!r}")
    found = tuple(dict.fromkeys(str(value) for value in values))
    if not found:
        raise InvalidInput(f"a rule needs at least one of its {what}")
    return found


def _number(n: int, least: int) -> int:
    if not isinstance(n, int | np.integer) or isinstance(n, bool) or n < least:
        raise InvalidInput(f"the number of a rule must be an integer of at least {least}, not {n!r}")
    return int(n)


def _cost(cost: float | str) -> float | str:
    if isinstance(cost, str):
        if cost in (HARD, LEARNED):
            return cost
    elif isinstance(cost, int | float | np.number) and 0 <= float(cost) < np.inf:
        return float(cost)
    raise InvalidInput(f"the cost of a rule must be 'hard', 'learned' or a non-negative number, not {cost!r}")
