"""Topic maps of few documents: which model, and which topics to list, on sets for choosing alone.

Four more sets than in `map_constants` are used for choosing, since the other four are mostly short texts: film reviews,
mail, abstracts and articles; none of them is among the sets that `preferred` reports. Scores are those of held-out
documents, a third as many as were fitted, drawn three times. A topic is junk there if its words are no more coherent
than 95 % of random sets of words. The second table lists the topics with several least scores in the documents of the
fit (`driftline.topics.topic_states`): the mean over parts of the share of random sets that are less coherent, with one
and with three divisions into parts; "together" is the share in all parts of one division together.

The third table counts topics that are junk in all held-out documents, and in those that are equal to no fitted one:
where texts recur, a topic may only consist of words that are repeated together.

`order` counts the topics among the first ten that are junk in a third as many held-out documents as were fitted, and in
all of them, listed with the largest topics first and with the highest scores first.

`agreement` compares maps of 1,000 documents that start from one clustering, and are continued on all documents, with
those that start from the most typical of eight, and are fitted again.

    python -m benchmarks.topics.few_documents [models | listed | repeated | order | agreement]
"""

from __future__ import annotations

import itertools
import sys
import time

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import normalized_mutual_info_score

from benchmarks.measure import print_table
from benchmarks.topics.preferred import FIRST_TOPICS, LEVELS, agreement, held_npmi
from benchmarks.topics.preferred_sets import CHOSEN_ON, SETS, _plain, documents
from driftline.engines.threads import Threads
from driftline.topics import LDA, TopicMap, map_candidates
from driftline.topics import topic_states as module
from driftline.topics.map_candidates import CANDIDATES, Documents, row_keys, starts
from driftline.topics.shown_words import shown_columns
from driftline.topics.topic_number import supported_topics
from driftline.topics.topic_states import PARTS, RANDOM_SETS, pair_sums, topic_scores, topic_states
from driftline.topics.view_mixture import Views


def _long_enough(name, least):
    def read():
        return [text for text in _plain(name)()[0] if text and len(text) > least], None

    return read


MORE = {
    "film reviews": (_plain("polarity2000"), 700, "english"),
    "company mail": (_plain("enron_partial_folders"), 700, "english"),
    "abstracts": (_long_enough("ir_docs", 100), 700, "english"),
    "encyclopaedia": (_long_enough("wikitext2_valid_test", 300), 700, "english"),
}
FEW, SOME, SEEDS, THREE_SEEDS = 700, 2000, (0, 1), (0, 1, 2)
ONE, THREE, TOGETHER = "one division", "three divisions", "together"
TRIED = (
    (THREE, 0.0),
    (TOGETHER, 0.975),
    (TOGETHER, 0.99),
    (ONE, 0.95),
    (ONE, 0.975),
    (THREE, 0.95),
    (THREE, 0.965),
    (THREE, 0.98),
)
"""Rules and least scores; the first lists all topics."""
ORDERED, ORDER_SEEDS = (1500, 2200, 3000), 3
"""Numbers of documents and of seeds with which orders of the topics are compared."""
AGREE_ON, SIX_SEEDS, LONG = 1000, range(6), "film reviews"
"""For the agreement between seeds; the long reviews are left out there, as they take most of the time."""


def thirds(data):
    """Return three draws of held-out documents, a third as many as are fitted."""
    n = min(data.counts.shape[0] // 3, data.held.shape[0])
    return [data.held[np.random.default_rng(i).permutation(data.held.shape[0])[:n]] for i in range(3)]


def scores(columns, data, held):
    """Return coherence and whether it is junk, for every topic; means over the draws."""
    npmi = np.mean([[held_npmi([row], one) for row in columns.tolist()] for one in held], axis=0)
    states = [topic_states(columns, data.counts, [(columns, one)], np.random.default_rng(0), LEVELS) for one in held]
    return npmi, np.mean(np.array(states) == "junk", axis=0)


def models():
    """Print coherence and junk of all candidates, and of plain LDA, with the words of `show_words`."""
    rows = []
    for name in (*CHOSEN_ON, *MORE):
        data, found = documents(name, n=FEW), {}
        held, n_topics = thirds(data), supported_topics(data.counts, None)[0]
        for seed in SEEDS:
            with Threads(1) as engine:
                given = Documents(Views.of(sp.csr_matrix(data.counts)), n_topics, np.random.default_rng(seed), engine)
                started = starts(given)
                topics = {model: fit(given, started).topics.components for model, fit in CANDIDATES.items()}
            topics["plain LDA"] = LDA(n_topics, random_state=seed).fit(data.counts).components_
            for model, components in topics.items():
                npmi, junk = scores(shown_columns(components, data.counts, 10), data, held)
                found.setdefault(model, []).append([npmi.mean(), junk.mean()])
        rows += [[name, model, *np.mean(values, axis=0).tolist()] for model, values in found.items()]
    by_model = [[row for row in rows if row[1] == model] for model in dict.fromkeys(row[1] for row in rows)]
    means = [["mean", group[0][1], *np.mean([row[2:] for row in group], axis=0).tolist()] for group in by_model]
    print_table(f"## Models, {FEW} documents", ["set", "model", "held NPMI", "share of junk"], rows + means)


def together(columns, X, tests, rng):
    """Return the share of random sets that are less coherent than each topic in all parts together."""
    often = np.argsort(-np.bincount(X.indices, minlength=X.shape[1]), kind="stable")[: max(columns.size, 40)]
    pool = np.union1d(often, columns)
    drawn = pool[np.argsort(rng.random((RANDOM_SETS, len(pool))), axis=1, kind="stable")[:, : columns.shape[1]]]
    sums = [pair_sums(documents, np.concatenate([chosen, drawn])) for chosen, documents in tests]
    seen, chance = np.sum(sums, axis=0)
    coherence = (seen - chance) / np.sqrt(1.0 + chance)
    return (coherence[len(columns) :] < coherence[: len(columns), None]).mean(axis=1)


def kept_topics(data, seed):
    """Return the cards of a map, and (rule, least score) → which of them are listed."""
    found = {}

    def at_all_levels(columns, X, tests, rng):
        tests, drawn = list(tests), rng.bit_generator.state
        for rule, level in TRIED:
            rng.bit_generator.state = drawn
            first = tests if rule == THREE else tests[:PARTS]
            if rule == TOGETHER:
                kept = together(columns, X, first, rng) >= level
            else:
                kept = topic_scores(columns, X, first, rng) >= level
            found[rule, level] = {tuple(row) for row, one in zip(columns.tolist(), kept) if one}
        rng.bit_generator.state = drawn
        return topic_scores(columns, X, tests, rng)

    module.topic_scores = at_all_levels
    try:
        cards = TopicMap(random_state=seed, n_jobs=1).fit(data.counts).topics_
    finally:
        module.topic_scores = topic_scores
    return cards, {key: np.array([tuple(card.words) in words for card in cards]) for key, words in found.items()}


def listed():
    """Print how many topics are listed by several rules, and what they are worth in other documents."""
    rows, by_rule = [], {}
    sets = [
        *((name, None) for name in CHOSEN_ON),
        *((name, SOME) for name in CHOSEN_ON),
        *((name, FEW) for name in (*CHOSEN_ON, *MORE)),
    ]
    for name, n in sets:
        data, found = documents(name, n=n), {}
        held = [data.held] if n is None else thirds(data)
        for seed in SEEDS:
            cards, kept_by = kept_topics(data, seed)
            npmi, junk = scores(np.array([card.words for card in cards]), data, held)
            for key, kept in kept_by.items():
                rest = sum(card.share for card, one in zip(cards, kept) if not one)
                coherence = npmi[kept].mean() if kept.any() else np.nan
                found.setdefault(key, []).append([len(cards), kept.sum(), rest, coherence, junk[kept].sum()])
        for key, values in found.items():
            means = [float(np.nanmean(column)) if np.isfinite(column).any() else "" for column in np.array(values).T]
            rows.append([name, data.counts.shape[0], *key, *means])
            by_rule.setdefault((n or "all", *key), []).append([means[1], means[2], means[4]])
    headings = ["documents", "rule", "least score"]
    more = ["listed", "rest", "junk listed"]
    means = [[*key, *np.mean(values, axis=0).tolist()] for key, values in by_rule.items()]
    print_table("## Which topics to list, means over sets", [*headings, *more], means)
    print_table("## Which topics to list", ["set", *headings, "topics", *more[:2], "held NPMI", more[2]], rows)


def repeated():
    """Print how many topics are junk in held-out documents with and without those that equal a fitted one."""
    rows = []
    for name in CHOSEN_ON:
        data = documents(name)
        known, keys = (row_keys(sp.csr_matrix(counts)) for counts in (data.counts, data.held))
        new = np.flatnonzero(~np.isin(keys, known))
        for seed in THREE_SEEDS:
            cards = TopicMap(random_state=seed, n_jobs=1).fit(data.counts).topics_
            columns, rest = np.array([card.words for card in cards]), np.array([c.state == "junk" for c in cards])
            row = [name, seed, len(cards), int(rest.sum())]
            for held in (data.held, data.held[new]):
                junk = np.array(topic_states(columns, data.counts, [(columns, held)], np.random.default_rng(0), LEVELS))
                row += [held.shape[0], int((junk == "junk").sum()), int((junk == "junk")[rest].sum())]
            rows.append(row)
    headings = ["set", "seed", "topics", "in the rest", "held out", "junk", "of the rest"]
    print_table("## Repeated documents", [*headings, "not equal to fitted", "junk there", "of the rest"], rows)


def first_ten():
    """Print how many of the first ten topics are junk in few and in many held-out documents, by two orders."""
    rows, drawn = [], {}

    def kept_scores(columns, *given):
        found = topic_scores(columns, *given)
        drawn.update({tuple(row): score for row, score in zip(columns.tolist(), found)})
        return found

    module.topic_scores = kept_scores
    try:
        for name, n in itertools.product(CHOSEN_ON, ORDERED):
            data = documents(name, n=n)
            third, counted = thirds(data)[0], np.zeros(7, dtype=np.int64)
            for seed in range(ORDER_SEEDS):
                drawn.clear()
                cards = TopicMap(random_state=seed, n_jobs=1).fit(data.counts).topics_
                shown = [card for card in cards if card.state != "junk"]
                by_size = sorted(shown, key=lambda card: (card.state == "mixed", -card.share))
                by_score = sorted(shown, key=lambda card: (-drawn[tuple(card.words)], -card.share))
                counted[:3] += 1, len(shown) > FIRST_TOPICS, len(shown)
                for i, order in enumerate((by_size, by_score)):
                    columns = np.array([card.words for card in order[:FIRST_TOPICS]])
                    for j, held in enumerate((third, data.held) if len(columns) else ()):
                        states = topic_states(columns, data.counts, [(columns, held)], np.random.default_rng(0), LEVELS)
                        counted[3 + 2 * i + j] += states.count("junk")
            rows.append([name, data.counts.shape[0], third.shape[0], data.held.shape[0], *counted.tolist()])
    finally:
        module.topic_scores = topic_scores
    rows.append(["sum", "", "", "", *np.sum([row[4:] for row in rows], axis=0).tolist()])
    headings = ["set", "documents", "a third", "held out", "maps", "of more than ten", "listed topics"]
    by = "largest first: junk in a third", "in all", "highest score first: junk in a third", "in all"
    print_table("## Junk among the first ten, by order and by held-out documents", [*headings, *by], rows)


def maps_of(data, few):
    """Return the maps of six seeds with a limit of few documents, and the processor seconds of each."""
    kept, begun = map_candidates.FEW_DOCUMENTS, time.process_time()
    map_candidates.FEW_DOCUMENTS = few
    try:
        found = [TopicMap(random_state=seed, n_jobs=1).fit(data.counts) for seed in SIX_SEEDS]
    finally:
        map_candidates.FEW_DOCUMENTS = kept
    return found, (time.process_time() - begun) / len(found)


def steadier():
    """Print how far seeds agree, and what the topics are worth in other documents."""
    rows = []
    for name in (*CHOSEN_ON, *(one for one in MORE if one != LONG)):
        data = documents(name, n=AGREE_ON)
        held = thirds(data)
        for draws, few in ((1, 0), (map_candidates.DRAWS, map_candidates.FEW_DOCUMENTS)):
            maps, seconds = maps_of(data, few)
            labels = [one.labels_ for one in maps]
            npmi = np.mean([held_npmi([card.words for card in one.topics_], part) for one in maps for part in held])
            nmi = (
                ""
                if data.labels is None
                else np.mean([normalized_mutual_info_score(data.labels, one) for one in labels])
            )
            rows.append([name, draws, *agreement(labels), float(npmi), nmi, seconds])
    headings = ["set", "clusterings", "agreement", "error", "held NPMI", "NMI", "CPU s"]
    print_table(
        f"## One clustering, and the most typical of several: {AGREE_ON:,} documents, six seeds", headings, rows
    )


def main():
    SETS.update(MORE)
    tasks = {"models": models, "listed": listed, "repeated": repeated, "order": first_ten, "agreement": steadier}
    for task in sys.argv[1:] or ("models", "listed"):
        tasks[task]()


if __name__ == "__main__":
    main()
