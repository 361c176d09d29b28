r"""A probabilistic relational model: a Bayesian network of objects, in which all objects of a class share tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.sklearn_private import Constraints, Interval, fit_context
from driftline.base.state_layout import Anything, Array, Each, Layout, Text
from driftline.core.arrays import Floats
from driftline.core.errors import InvalidInput, ModelFileError
from driftline.core.randomness import Seed
from driftline.graphs.bayes.coded_table import Value
from driftline.graphs.bayes.family_counts import normalised
from driftline.graphs.fields.markov_random_field import MarkovRandomField
from driftline.graphs.relational.dependencies import Families, check_acyclic, families_of
from driftline.graphs.relational.factor_grounding import MOST_CELLS, Factor, Ground, parts_of
from driftline.graphs.relational.instance_cycles import check_objects
from driftline.graphs.relational.objects import Attribute, objects_of, states_by_attribute
from driftline.graphs.relational.relational_schema import Schema

Tables = Mapping[str, Any]
"""A table of objects per class: a mapping from names to columns, an Arrow table, or a data frame."""
Key = tuple[str, Value, str]
"""The class and the id of an object, and an attribute."""


class RelationalAnswer(NamedTuple):
    """Distributions of unknown values by (class, id, attribute), and how the parts of the network were queried.

    `n_exact` parts were queried by elimination and `n_messages` by message passing, of which `n_unconverged` did not
    converge.
    """

    probabilities: dict[Key, dict[Value, float]]
    n_exact: int
    n_messages: int
    n_unconverged: int


class RelationalModel(DriftEstimator):
    r"""Predict attributes of objects from related objects: those of a mail from its author, thread and answers.

    Objects of a class share one table per attribute,

    .. math:: p(\text{all attributes}) = \prod_{\text{class } X} \prod_{a} \prod_{x \in X}
       p\bigl(x.a \mid \mathrm{pa}(x.a)\bigr),                                                                      (1)

    where parents are attributes of x, of objects that its slots refer to, or aggregates of those of several objects.
    Unknown values are inferred together, on the network of all objects.

    Parameters
    ----------
    schema : mapping from classes to attributes, or to {"attributes": […], "slots": {slot: "Class.inverse"}}
        Slots refer to objects; the inverse slot, if it is named, leads back to all objects that refer to an object.
    dependencies : mapping from attributes to their parents, such as {"Mail.topic": ["author.team"]}
        A parent is an attribute of the object itself, a path of slots that ends in an attribute, or an aggregate:
        ``mode(path)``, ``mean(path)`` (of numbers), ``count(slots)``, ``count(path = value)``, ``exists(slots)``,
        ``exists(path = value)``. Attributes that are not named have no parents.
    prior : float
        Count added to every cell of every table.
    ordered : sequence of slots, such as ["Paper.cites"]
        Slots that only lead to earlier objects. A cycle of dependencies between classes is an error unless it passes
        through one of them; it is then checked that no object depends on itself.

    Attributes
    ----------
    names_ : list of str, the attributes ("Mail.topic").
    states_, parent_states_ : lists; the states of every attribute, and of each of its parents.
    tables_ : list of ndarray; p(attribute | parents), one axis for each parent, the last for the attribute.
    n_counted_, n_left_out_ : ndarray of shape (n_attributes,)
        Number of objects that each table was learned from, and of those left out because a value was unknown.

    Examples
    --------
    >>> people = {"id": ["ann", "bob"], "team": ["sales", "support"]}
    >>> mails = {"author": ["ann", "ann", "ann", "bob", "bob", "bob", "bob"], "topic": [*"ooocccc"]}
    >>> schema = {"Person": ["team"], "Mail": {"attributes": ["topic"], "slots": {"author": "Person"}}}
    >>> model = RelationalModel(schema, {"Mail.topic": ["author.team"]}).fit({"Person": people, "Mail": mails})
    >>> new = {"Person": {"id": ["eve"], "team": [None]}, "Mail": {"author": ["eve"] * 2, "topic": ["c", "c"]}}
    >>> {team: round(p, 2) for team, p in model.query(new).probabilities["Person", "eve", "team"].items()}
    {'sales': 0.05, 'support': 0.95}
    """

    _state_layout: ClassVar[Layout | None] = {
        "names_": Each(Text(), "attributes"),
        "states_": Each(Anything(), "attributes"),
        "parent_states_": Each(Each(Each(Text())), "attributes"),
        "tables_": Each(Anything(), "attributes"),
        "n_counted_": Array("attributes", kind="i8", least=0),
        "n_left_out_": Array("attributes", kind="i8", least=0),
    }
    _parameter_constraints: ClassVar[Constraints] = {
        "schema": "no_validation",
        "dependencies": "no_validation",
        "prior": [Interval(Real, 0, None, closed="left")],
        "ordered": "no_validation",
    }

    def __init__(self, schema: object, dependencies: object, prior: float = 1.0, ordered: Sequence[str] = ()) -> None:
        self.schema = schema
        self.dependencies = dependencies
        self.prior = prior
        self.ordered = ordered

    tables_: list[Floats]

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, tables: Tables, y: None = None, *, states: Mapping[str, Sequence[Value]] | None = None
    ) -> RelationalModel:
        """Learn the tables from a table of objects per class.

        The column "id" names objects (by default their row numbers do); slots contain an id, a list of ids, or None. An
        object counts for an attribute if its value and those of all parents are known. `states` lists the states of
        attributes ({"Mail.topic": […]}) if the tables do not contain all of them.
        """
        schema, families = self._structure()
        known = states_by_attribute(schema, tables, states)
        ground = self._grounded(schema, families, known, tables)
        self.names_ = [".".join(key) for key in families]
        self.states_ = [known[key] for key in families]
        self.parent_states_ = [[ground.parent_states(one) for one in parents] for parents in families.values()]
        counted, left_out, self.tables_ = [], [], []
        for key, above in zip(families, self.parent_states_):
            shape = (*map(len, above), len(known[key]))
            if int(np.prod(shape, dtype=object)) > MOST_CELLS:
                raise InvalidInput(f"the table of {'.'.join(key)} is too large; use fewer parents or states")
            counts, n_left_out = _counts(ground, key, shape)
            counted.append(int(counts.sum()))
            left_out.append(n_left_out)
            self.tables_.append(normalised(counts + float(self.prior)))
        self.n_counted_, self.n_left_out_ = np.array(counted, dtype=np.int64), np.array(left_out, dtype=np.int64)
        return self

    def query(self, tables: Tables) -> RelationalAnswer:
        """Return the distribution of every unknown value (None, NaN, or a column that is absent), given all others.

        Independent parts of the network are queried one by one: exactly, by elimination, or by message passing if
        elimination is too expensive.
        """
        ground = self._of(tables)
        found: dict[Key, dict[Value, float]] = {}
        n_parts = [0, 0, 0]
        for part in parts_of(self._factors(ground)):
            answer = _field(part).marginals()
            n_parts[answer.method != "exact"] += 1
            n_parts[2] += not answer.converged
            for variable, shares in answer.probabilities.items():
                key, own = self._named(ground, variable)
                if own:
                    found[key] = dict(zip(own, shares.tolist()))
        return RelationalAnswer(found, *n_parts)

    def map(self, tables: Tables, *, time_limit: float = 10.0, random_state: Seed = 0) -> dict[Key, Value]:
        """Return the most probable unknown values together, given all others; see `MarkovRandomField.map`."""
        ground = self._of(tables)
        found: dict[Key, Value] = {}
        for part in parts_of(self._factors(ground)):
            for variable, code in _field(part).map(time_limit=time_limit, random_state=random_state).states.items():
                key, own = self._named(ground, variable)
                if own:
                    found[key] = own[code]
        return found

    def _structure(self) -> tuple[Schema, Families]:
        schema = Schema.of(self.schema)
        families = families_of(schema, self.dependencies)
        slots = {f"{slot.source}.{slot.name}" for of_class in schema.slots.values() for slot in of_class.values()}
        strange = [name for name in self.ordered if name not in slots]
        if strange:
            raise InvalidInput(f"ordered has {strange[0]!r}, which is not a slot; there are {', '.join(sorted(slots))}")
        return schema, families

    def _grounded(
        self, schema: Schema, families: Families, states: Mapping[Attribute, Sequence[Value]], tables: Tables
    ) -> Ground:
        looped = check_acyclic(families, self.ordered)
        ground = Ground(objects_of(schema, tables, states), states, families)
        check_objects(ground, looped)
        return ground

    def _of(self, tables: Tables) -> Ground:
        check_is_fitted(self)
        schema, families = self._structure()
        return self._grounded(schema, families, dict(zip(families, self.states_)), tables)

    def _factors(self, ground: Ground) -> list[Factor]:
        factors: list[Factor] = []
        with np.errstate(divide="ignore"):
            logs = [np.log(table) for table in self.tables_]
        for key, table in zip(ground.families, logs):
            for row in range(len(ground.objects.ids[key[0]])):
                ground.factor(key, row, table, factors)
        return factors

    def _named(self, ground: Ground, variable: Any) -> tuple[Key, Sequence[Value]]:
        """Return the object and the attribute of a variable, and its states; none for summaries."""
        owner, row, attribute = variable
        if (owner, attribute) not in ground.states:
            return (owner, 0, ""), ()
        return (owner, ground.objects.ids[owner][row], attribute), ground.states[owner, attribute]

    def _check_state(self) -> dict[str, int]:
        sizes = super()._check_state()
        if not hasattr(self, "tables_"):
            return sizes
        families = self._structure()[1]
        if [".".join(key) for key in families] != self.names_:
            raise ModelFileError("RelationalModel.names_ does not match the schema; the model is damaged")
        for name, above, own, table in zip(self.names_, self.parent_states_, self.states_, self.tables_):
            shape = (*map(len, above), len(own))
            right = isinstance(table, np.ndarray) and table.shape == shape and table.dtype == np.float64
            if not right or not (table >= 0).all() or not np.allclose(table.sum(axis=-1), 1):
                raise ModelFileError(f"the table of {name!r} is damaged; restore the model")
        return sizes


def _counts(ground: Ground, key: Attribute, shape: tuple[int, ...]) -> tuple[Floats, int]:
    """Return the counts of the joint states of an attribute and its parents, and the number of objects left out."""
    counts, left_out = np.zeros(shape), 0
    for row, own in enumerate(ground.objects.codes[key].tolist()):
        at = (*(ground.axis(key, row, place, None).state for place in range(len(shape) - 1)), own)
        if min(at) < 0:
            left_out += 1
        else:
            counts[at] += 1
    return counts, left_out


def _field(part: Sequence[Factor]) -> MarkovRandomField:
    try:
        return MarkovRandomField(part)
    except InvalidInput as error:
        raise InvalidInput(f"the network of the objects cannot be queried: {error}") from error
