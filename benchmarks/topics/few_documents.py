"""Topic maps of few documents: which model, and which topics to list, on sets for choosing alone.

Four more sets than in `map_constants` are used for choosing, since the other four are mostly short texts: film reviews,
mail, abstracts and articles; none of them is among the sets that `preferred` reports. Scores are those of held-out
documents, a third as many as were fitted, drawn three times. A topic is junk there if its words are no more coherent
than 95 % of random sets of words; the second table lists the topics that exceed several shares of random sets in the
documents of the fit (`driftline.topics.topic_states`).

    python -m benchmarks.topics.few_documents
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.measure import print_table
from benchmarks.topics.preferred import LEVELS, held_npmi
from benchmarks.topics.preferred_sets import CHOSEN_ON, SETS, _plain, documents
from driftline.engines.threads import Threads
from driftline.topics import LDA, TopicMap, topic_map
from driftline.topics.map_candidates import CANDIDATES, Documents, starts
from driftline.topics.shown_words import shown_columns
from driftline.topics.topic_number import supported_topics
from driftline.topics.topic_states import topic_states
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
FEW, SEEDS = 700, (0, 1)
TRIED = 0.0, 0.95, 0.975, 0.99


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


def listed():
    """Print how many topics are listed at several levels, and what they are worth in other documents."""
    rows = []
    for name, n in [*((name, None) for name in CHOSEN_ON), *((name, FEW) for name in (*CHOSEN_ON, *MORE))]:
        data, found = documents(name, n=n), {}
        held = [data.held] if n is None else thirds(data)
        for seed in SEEDS:
            states = {}

            def at_all_levels(columns, X, tests, rng, states=states):
                tests, drawn = list(tests), rng.bit_generator.state
                for level in TRIED:
                    rng.bit_generator.state = drawn
                    judged = topic_states(columns, X, tests, rng, (level, 0.99))
                    states.update(((level, tuple(row)), state) for row, state in zip(columns.tolist(), judged))
                return judged

            topic_map.topic_states = at_all_levels
            try:
                cards = TopicMap(random_state=seed, n_jobs=1).fit(data.counts).topics_
            finally:
                topic_map.topic_states = topic_states
            npmi, junk = scores(np.array([card.words for card in cards]), data, held)
            for level in TRIED:
                kept = np.array([states[level, tuple(card.words)] != "junk" or level == TRIED[0] for card in cards])
                rest = sum(card.share for card, one in zip(cards, kept) if not one)
                coherence = npmi[kept].mean() if kept.any() else np.nan
                found.setdefault(level, []).append([len(cards), kept.sum(), rest, coherence, junk[kept].sum()])
        for level, values in found.items():
            means = [float(np.nanmean(column)) if np.isfinite(column).any() else "" for column in np.array(values).T]
            rows.append([name, data.counts.shape[0], level, *means])
    headings = ["set", "documents", "level", "topics", "listed", "rest", "held NPMI", "junk listed"]
    print_table("## Which topics to list", headings, rows)


def main():
    SETS.update(MORE)
    models()
    listed()


if __name__ == "__main__":
    main()
