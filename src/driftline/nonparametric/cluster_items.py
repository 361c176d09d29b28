"""The interface between the methods of a Dirichlet process mixture and the clustered items.

`driftline.nonparametric.multinomial_items` implements it for documents of counts,
`driftline.nonparametric.gaussian_items` for rows of numbers. Both integrate out the parameters of clusters: a cluster
is the sum of the statistics of its items.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from driftline.core.arrays import Bools, Counts, Floats, Ints

Statistics: TypeAlias = "Counts | Floats"
"""Statistics of items, items × statistics: counts, or rows of numbers."""


class Clusters(NamedTuple):
    """A sample: every item's row; the statistics, totals and sizes of the rows, some of which are free; α; and β.

    `counts` contains the sums of the items' statistics, clusters × statistics; `totals` the number of words (zero for
    rows of numbers). β is the prior of words, and is not used for rows of numbers.
    """

    labels: Ints
    counts: Floats
    totals: Floats
    sizes: Ints
    concentration: float
    beta: float

    def used(self) -> Clusters:
        """Return the sample without free rows, the largest cluster first."""
        order = np.argsort(-self.sizes, kind="stable")[: int((self.sizes > 0).sum())]
        place = np.empty(len(self.sizes), dtype=np.int64)
        place[order] = np.arange(len(order))
        held = (self.counts[order], self.totals[order], self.sizes[order])
        return Clusters(place[self.labels], *held, self.concentration, self.beta)


ROOM = 8
"""Number of free rows allocated at a time."""


def with_room(sample: Clusters) -> Clusters:
    """Return the sample with a free row: itself if it has one, otherwise with more rows."""
    if (sample.sizes == 0).any():
        return sample
    more = (np.zeros((ROOM, sample.counts.shape[1])), np.zeros(ROOM), np.zeros(ROOM, dtype=np.int64))
    counts, totals, sizes = (np.concatenate(parts) for parts in zip(sample[1:4], more))
    return sample._replace(counts=counts, totals=totals, sizes=sizes)


class Proposal(NamedTuple):
    """Parameters drawn from their prior, as far as needed, and ln p(item | parameter) of each."""

    parts: Floats
    scores: Floats


class Seated(Protocol):
    """Items whose clusters are sampled, with the prior α (zero if it is learned)."""

    @property
    def concentration(self) -> float:
        """α, or zero."""
        ...

    @property
    def n_items(self) -> int:
        """The number of items."""
        ...

    @property
    def lengths(self) -> Floats:
        """The number of words of every item; zero for rows of numbers."""
        ...

    @property
    def first_beta(self) -> float:
        """The initial β of chains."""
        ...

    def statistics(self) -> Statistics:
        """Return the statistics of every item, items × statistics."""
        ...

    def sweep(self, done: int, sample: Clusters, uniforms: Floats) -> int:
        """Draw the clusters of items, starting at `done`, in place; return the first without a free row, or n."""
        ...

    def log_items(self, sample: Clusters) -> float:
        """Return ln p(items | clusters), with parameters integrated out."""
        ...

    def draw_prior(self, sample: Clusters, rng: np.random.Generator) -> float:
        """Return a draw of β if it is learned, otherwise β."""
        ...


class Items(Seated, Protocol):
    """The items of a mixture without times, whose process may have a discount."""

    @property
    def discount(self) -> float:
        """d."""
        ...

    def log_clusters(self, sample: Clusters) -> Floats:
        """Return ln p(items of a cluster) of each row, with parameters integrated out; zero for free rows."""
        ...

    def seat(self, items: Ints, uniforms: Floats, given: bool, second: Bools, parts: Clusters) -> float:
        """Seat items one after another in the two rows of `parts`, in place; return ln p of the seats.

        The first two items are in different rows; `second` marks the others in the second row. It is input if `given`,
        otherwise output.
        """
        ...

    def places(self, clusters: Clusters) -> Floats:
        """Return a vector per cluster; similar clusters have similar vectors."""
        ...

    def scores(self, clusters: Clusters) -> Floats:
        """Return ln p(item | items of a cluster), items × clusters."""
        ...

    def draw_parameters(self, clusters: Clusters, rng: np.random.Generator) -> Floats:
        """Draw the parameters of clusters given their items, one row per cluster."""
        ...

    def propose(self, item: int, n: int, beta: float, rng: np.random.Generator) -> Proposal:
        """Draw n parameters from their prior, as far as an item depends on them."""
        ...

    def completed(self, item: int, proposal: Proposal, chosen: int, beta: float, rng: np.random.Generator) -> Floats:
        """Draw the rest of a proposed parameter."""
        ...

    def scores_given(self, parameters: Floats) -> Floats:
        """Return ln p(item | parameters), items × parameters."""
        ...

    def expected_scores(self, rows: Statistics, counts: Floats, sizes: Floats, beta: float) -> Floats:
        """Return E[ln p(item | parameters)] of rows of statistics under the variational factors of clusters."""
        ...

    def divergence(self, counts: Floats, sizes: Floats, beta: float) -> float:
        """Return the divergence of those factors from their priors."""
        ...

    def best_prior(self, counts: Floats, beta: float) -> float:
        """Return the β with the highest bound given expected counts if it is learned, otherwise β."""
        ...

    def points(self) -> Statistics:
        """Return the items as points whose squared distances DP-means sums."""
        ...
