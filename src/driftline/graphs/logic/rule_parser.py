r"""Rules as text: weights, formulas, declarations of domains and predicates; by recursive descent.

    person = {Anna, Bob}                       // a domain
    Friends(person, person)                    // a predicate and the domains of its arguments
    1.5 Smokes(x) => Cancer(x)                 // a weighted rule
    Friends(x, y) <=> Friends(y, x).           // a hard rule ends in a dot

Names that begin with a lower-case letter are variables; all others, and text in double quotes, are constants.
Operators, from lowest to highest precedence: ``<=> ⇔``, ``=> ⇒``, ``v | ∨``, ``^ & ∧``, ``! ¬``; quantifiers ``FORALL
x``, ``∀x``, ``EXIST x``, ``∃x``; equality ``x = y``, ``x != y``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from driftline.core.errors import InvalidInput
from driftline.graphs.logic.formulas import EQUALS, And, Atom, ForAll, Formula, Not, Or, Term, equivalent, implies

MOST_NESTED = 100
"""Maximum depth of brackets and negations, and maximum number of implications in a row or variables of a quantifier."""
MOST_EQUIVALENCES = 10
"""Maximum number of equivalences in a rule; each of them doubles the size of its normal form."""
_TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+|//[^\n]*|\#[^\n]*)|(?P<end>\n)|(?P<number>-?(?:\d+\.\d+|\d+|\.\d+)(?:[eE][-+]?\d+)?(?![\w]))
    |(?P<quoted>"[^"\n]*")|(?P<name>[^\W\d]\w*)|(?P<digits>\d\w*)
    |(?P<operator><=>|=>|!=|[⇔⇒∨∧¬∀∃|^&!(),={}.])""",
    re.VERBOSE,
)
_EQUIVALENT, _IMPLIES, _OR, _AND, _NOT = ("<=>", "⇔"), ("=>", "⇒"), ("v", "|", "∨"), ("^", "&", "∧"), ("!", "¬")
_EVERY, _SOME = ("∀", "FORALL", "Forall", "forall"), ("∃", "EXIST", "Exist", "exist", "EXISTS", "exists")


class RuleError(InvalidInput):
    """A rule cannot be parsed; the message shows the line and the position."""

    def __init__(self, text: str, line: int, column: int, reason: str) -> None:
        shown = text.splitlines()[line - 1] if line <= len(text.splitlines()) else ""
        super().__init__(f"line {line}, column {column}: {reason}\n{shown}\n{' ' * (column - 1)}^")
        self.line, self.column = line, column


class Rule(NamedTuple):
    """A formula and its weight; None means that the rule is hard."""

    weight: float | None
    formula: Formula
    line: int
    text: str


class Program(NamedTuple):
    """All rules, the constants of declared domains, and the domains of declared predicates."""

    rules: tuple[Rule, ...]
    domains: dict[str, tuple[str, ...]]
    predicates: dict[str, tuple[str, ...]]


class _Token(NamedTuple):
    kind: str
    text: str
    line: int
    column: int


def parse_rules(text: str) -> Program:
    """Parse rules and declarations, one per line.

    >>> program = parse_rules("1.5 Smokes(x) => Cancer(x)")
    >>> program.rules[0].weight, str(program.rules[0].formula.parts[1])
    (1.5, 'Cancer(x)')
    """
    if not isinstance(text, str):
        raise InvalidInput(f"rules are text, one rule per line, not {type(text).__name__}")
    return _Parser(text).program()


def parse_atom(text: str) -> tuple[bool, Atom]:
    """Parse an atom of evidence: ``Smokes(Anna)`` or ``!Smokes(Bob)``; all names are constants."""
    return _Parser(text).fact()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._tokens()
        self.at = 0
        self.depth = 0
        self.n_equivalences = 0

    def _tokens(self) -> list[_Token]:
        found, at, line, start = [], 0, 1, 0
        while at < len(self.text):
            match = _TOKEN.match(self.text, at)
            if match is None:
                raise RuleError(self.text, line, at - start + 1, f"unexpected character {self.text[at]!r}")
            kind = str(match.lastgroup)
            if kind != "space":
                found.append(_Token(kind, match[0], line, at - start + 1))
            at = match.end()
            if kind == "end":
                line, start = line + 1, at
        return [*found, _Token("end", "", line, at - start + 1)]

    @property
    def now(self) -> _Token:
        return self.tokens[self.at]

    def error(self, reason: str) -> RuleError:
        return RuleError(self.text, self.now.line, self.now.column, reason)

    def accept(self, *texts: str) -> bool:
        if self.now.kind in ("operator", "name") and self.now.text in texts:
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.accept(text):
            found = "the end of the line" if self.now.kind == "end" else repr(self.now.text)
            raise self.error(f"expected {text!r}, found {found}")

    def program(self) -> Program:
        rules: list[Rule] = []
        domains: dict[str, tuple[str, ...]] = {}
        predicates: dict[str, tuple[str, ...]] = {}
        while self.at < len(self.tokens):
            if self.now.kind == "end":
                self.at += 1
            else:
                self.statement(rules, domains, predicates)
        return Program(tuple(rules), domains, predicates)

    def statement(
        self, rules: list[Rule], domains: dict[str, tuple[str, ...]], predicates: dict[str, tuple[str, ...]]
    ) -> None:
        first = self.now
        following = self.tokens[self.at + 1].text if self.at + 1 < len(self.tokens) else ""
        if first.kind == "name" and following == "=" and self.tokens[self.at + 2].text == "{":
            self.at += 3
            domains[first.text] = self.constants()
        else:
            weight = None
            if first.kind == "number":
                weight = float(first.text)
                self.at += 1
            self.n_equivalences = 0
            formula = self.formula()
            hard = self.accept(".")
            if weight is not None and hard:
                self.at -= 1
                raise self.error("a rule has a weight or ends in a dot, not both")
            if weight is None and not hard:
                self.declare(formula, first, predicates)
            else:
                line = self.text.splitlines()[first.line - 1].strip()
                rules.append(Rule(weight, formula, first.line, line))
        if self.now.kind != "end":
            raise self.error(f"expected the end of the line, found {self.now.text!r}")

    def declare(self, formula: Formula, first: _Token, predicates: dict[str, tuple[str, ...]]) -> None:
        if not isinstance(formula, Atom) or formula.predicate == EQUALS:
            raise RuleError(
                self.text, first.line, first.column, "a rule begins with a weight or ends in a dot; this has neither"
            )
        predicates[formula.predicate] = tuple(term.name for term in formula.terms)

    def constants(self) -> tuple[str, ...]:
        found: list[str] = []
        while not self.accept("}"):
            if found:
                self.expect(",")
            found.append(self.term().name)
        return tuple(dict.fromkeys(found))

    def formula(self) -> Formula:
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise self.error(f"more than {MOST_NESTED} nested brackets, negations and quantifiers")
        found = self.implication()
        while self.accept(*_EQUIVALENT):
            self.n_equivalences += 1
            if self.n_equivalences > MOST_EQUIVALENCES:
                raise self.error(f"more than {MOST_EQUIVALENCES} equivalences in a rule; split the rule")
            found = equivalent(found, self.implication())
        self.depth -= 1
        return found

    def implication(self) -> Formula:
        found = [self.disjunction()]
        while self.accept(*_IMPLIES):
            if len(found) > MOST_NESTED:
                raise self.error(f"more than {MOST_NESTED} implications in a row")
            found.append(self.disjunction())
        result = found.pop()
        while found:
            result = implies(found.pop(), result)
        return result

    def disjunction(self) -> Formula:
        parts = [self.conjunction()]
        while self.accept(*_OR):
            parts.append(self.conjunction())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def conjunction(self) -> Formula:
        parts = [self.negation()]
        while self.accept(*_AND):
            parts.append(self.negation())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def negation(self) -> Formula:
        if self.accept(*_NOT):
            return self.nested(lambda: Not(self.negation()))
        for words, some in ((_EVERY, False), (_SOME, True)):
            if self.now.text in words and self.tokens[self.at + 1].kind == "name":
                self.at += 1
                return self.nested(lambda some=some: self.quantified(some))
        if self.accept("("):
            found = self.formula()
            self.expect(")")
            return found
        return self.atom()

    def nested(self, inner: object) -> Formula:
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise self.error(f"more than {MOST_NESTED} nested brackets, negations and quantifiers")
        found: Formula = inner()  # type: ignore[operator]
        self.depth -= 1
        return found

    def quantified(self, some: bool) -> Formula:
        names = [self.variable()]
        while self.accept(","):
            if len(names) >= MOST_NESTED:
                raise self.error(f"more than {MOST_NESTED} variables of a quantifier")
            names.append(self.variable())
        found = self.negation()
        for name in reversed(names):
            found = ForAll(name, found, some)
        return found

    def variable(self) -> str:
        token = self.now
        if token.kind != "name" or not token.text[0].islower():
            raise self.error(f"expected a variable, which begins with a lower-case letter, found {token.text!r}")
        self.at += 1
        return token.text

    def atom(self) -> Formula:
        if self.now.kind == "name" and self.tokens[self.at + 1].text == "(":
            predicate = self.now.text
            self.at += 2
            terms = [self.term()]
            while self.accept(","):
                terms.append(self.term())
            self.expect(")")
            return Atom(predicate, tuple(terms))
        if self.now.kind in ("name", "quoted", "number", "digits"):
            one = self.term()
            if self.accept("="):
                return Atom(EQUALS, (one, self.term()))
            if self.accept("!="):
                return Not(Atom(EQUALS, (one, self.term())))
            self.at -= 1
            raise self.error(f"expected an atom such as {one.name}(x), or an equality")
        found = "the end of the line" if self.now.kind == "end" else repr(self.now.text)
        raise self.error(f"expected a formula, found {found}")

    def term(self) -> Term:
        token = self.now
        if token.kind not in ("name", "quoted", "number", "digits"):
            found = "the end of the line" if token.kind == "end" else repr(token.text)
            raise self.error(f"expected a variable or a constant, found {found}")
        self.at += 1
        if token.kind == "quoted":
            return Term(token.text[1:-1], False)
        return Term(token.text, token.kind == "name" and token.text[0].islower())

    def fact(self) -> tuple[bool, Atom]:
        affirmed = not self.accept(*_NOT)
        found = self.atom()
        if not isinstance(found, Atom) or self.now.kind != "end":
            raise self.error("evidence consists of atoms such as Smokes(Anna) or !Smokes(Bob)")
        return affirmed, Atom(found.predicate, tuple(Term(term.name, False) for term in found.terms))
