"""The hierarchical Pitman-Yor language model against interpolated and modified Kneser-Ney smoothing.

Articles of WikiText-2 (validation and test), words as they are, a mark after every paragraph. The first 80 % of the
tokens are learned, of which words with a single token become unk; the score is the perplexity of the rest, unk
included. The settings are the defaults. The second table compares all with a model that has no contexts and with the
other n-gram model of driftline, whose bandwidth is infinite here and which takes Witten and Bell's weights.

    python -m benchmarks.nonparametric.language_models [--row | ORDER …]
"""

from __future__ import annotations

import sys
import time

import numpy as np
import pyarrow.parquet as pq

from benchmarks.measure import real_data
from driftline.base.sequence_input import as_sequences
from driftline.local import LocalNGram
from driftline.nonparametric import HPYLM
from driftline.nonparametric.ngrams.restaurants import Restaurants, begin, draw_parameters, draw_seats
from driftline.text.ngram_index import index_ngrams

ORDERS = (2, 3, 4)
SEEDS = (0, 1, 2)
N_SWEEPS = 5


def articles():
    """Return the articles as word numbers, in two lists of token sequences: the first 80 % of the tokens, the rest."""
    table = pq.read_table(real_data("wikitext2_valid_test"))
    numbers, documents = {}, {}
    for article, text in zip(table["article"].to_pylist(), table["text"].to_pylist()):
        words = [*text.split(), "<end>"]
        documents.setdefault(article, []).extend(numbers.setdefault(word, len(numbers)) for word in words)
    return split([np.array(document) for document in documents.values()])


def split(documents):
    """Return the first 80 % of the tokens and the others; a document may be divided."""
    ends = np.cumsum([len(document) for document in documents])
    cut = int(0.8 * ends[-1])
    known, new = [], []
    for document, end in zip(documents, ends):
        place = int(np.clip(cut - (end - len(document)), 0, len(document)))
        known.append(document[:place])
        new.append(document[place:])
    return [part for part in known if len(part)], [part for part in new if len(part)]


def simulated():
    """Return random documents, for a row that needs no data."""
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.full(300, 0.02), 300)
    documents = []
    for _ in range(100):
        document = [0]
        for _ in range(300):
            document.append(int(rng.choice(300, p=shares[document[-1]])))
        documents.append(np.array(document))
    return split(documents)


def tokens_per_second(known, order):
    """Return the tokens that a sweep seats per second of processor time, and with the draws of d and θ."""
    model = HPYLM(order, "kn").fit(known)
    columns = model._in_columns(as_sequences(known))
    problem = Restaurants.of(index_ngrams(columns, order, model.n_words_), columns)
    rng = np.random.default_rng(0)
    sample, seats, parameters = begin(problem, rng), 0.0, 0.0
    for _ in range(N_SWEEPS):
        begun = time.process_time()
        sample = draw_seats(sample, problem, rng)
        seats += time.process_time() - begun
        begun = time.process_time()
        sample = draw_parameters(sample, problem, rng)
        parameters += time.process_time() - begun
    n = N_SWEEPS * len(columns.ids)
    return n / seats, n / (seats + parameters)


def each(values):
    """Return the mean of several values, and each of them."""
    return f"{np.mean(values):.1f} ({', '.join(f'{value:.1f}' for value in values)})"


def print_orders(known, new, orders, seeds):
    """Print a row per order."""
    print(
        "| order | interpolated KN | modified KN | HPYLM, 12 samples (seeds) | one sample | one sample, first sweep "
        "| tokens per s, seats | with d and θ |\n|" + "---|" * 8
    )
    for order in orders:
        fixed = [HPYLM(order, smoothing).fit(known).perplexity(new) for smoothing in ("kn", "mkn")]
        averaged = [HPYLM(order, random_state=seed).fit(known).perplexity(new) for seed in seeds]
        one = [HPYLM(order, n_samples=1, random_state=seed).fit(known).perplexity(new) for seed in seeds]
        first = [HPYLM(order, burn_in=0, n_samples=1, random_state=seed).fit(known).perplexity(new) for seed in seeds]
        speed = [f"{value / 1e6:.1f} M" for value in tokens_per_second(known, order)]
        cells = [*(f"{value:.1f}" for value in fixed), each(averaged), each(one), each(first), *speed]
        print(f"| {order} | " + " | ".join(cells) + " |", flush=True)


def print_others(known, new, orders):
    """Print the perplexities of Witten and Bell's weights on the same words, and of single words."""
    kept = HPYLM(1, "kn").fit(known)
    columns, others = (kept._in_columns(as_sequences(part)) for part in (known, new))
    print("\n| Witten and Bell's weights, order | perplexity |\n|---|---|")
    for order in (1, *orders):
        model = LocalNGram(order, bandwidth="global", background=0.0, n_words=kept.n_words_).fit(columns)
        print(f"| {order} | {np.exp(-model.score(others)):.1f} |", flush=True)


def main():
    quick = "--row" in sys.argv
    known, new = simulated() if quick else articles()
    model = HPYLM(2, "kn").fit(known)
    n_known, n_new = (sum(map(len, part)) for part in (known, new))
    unknown = (model._in_columns(as_sequences(new)).ids == model.n_words_ - 1).mean()
    print(f"{n_known:,} tokens learned, {n_new:,} scored ({unknown:.1%} of them unk), V = {model.n_words_:,}\n")
    orders = ORDERS[1:2] if quick else [order for order in ORDERS if str(order) in sys.argv] or ORDERS
    print_orders(known, new, orders, SEEDS[:1] if quick else SEEDS)
    print_others(known, new, orders)


if __name__ == "__main__":
    main()
