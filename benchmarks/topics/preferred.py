"""Topics of short and long texts: TopicMap, LDA with its defaults, NMF, tomotopy, BERTopic, KeyNMF and S³, by
labels and by coherence.

All systems get the same documents and vocabulary, seeds, and number of topics: that of TopicMap by default, 20 or one
per 100 distinct documents. Labels: normalised mutual information (NMI), adjusted Rand index (ARI) and purity of the
main topic of every document. Listed: the topics that a system presents as such, all but TopicMap's rest and BERTopic's
outliers, and the share of documents in these two (the rest). Words, of listed topics: NPMI of ten words per topic in
documents that were not fitted, the share of different words, and the number of the first ten topics (those of others by
size) whose words are no more coherent there than 95 % of random sets of words (junk). Of all topics: the same NPMI, and
the share of documents in junk. Where TopicMap lists no topic, all count as listed. Agreement: adjusted Rand index
between seeds; its error, if there are five seeds or more, by leaving out each seed. Differences have the standard error
over seeds. The constants of TopicMap were chosen on the first sets
alone, although the method was developed with eight of the sets known (`preferred_sets`).

    python -m benchmarks.topics.preferred run FOLDER [--sets … --systems … --seeds …]     # adds what is missing
    python -m benchmarks.topics.preferred table FOLDER
    python -m benchmarks.topics.preferred agreement FOLDER     # between seeds alone, such as ten of small sets

`preferred_reading` writes sheets for blind reading from the same folder.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from benchmarks.measure import print_table
from benchmarks.topics import preferred_peers as peers
from benchmarks.topics.preferred_sets import CHOSEN_ON, REPORTED, SETS, documents
from driftline.evaluation.coherence import coherence
from driftline.topics.topic_number import supported_topics
from driftline.topics.topic_states import topic_states

SYSTEMS = {
    "TopicMap": peers.topic_map,
    "TopicMap, embeddings": peers.topic_map_with_embeddings,
    "LDA of today": peers.lda_of_today,
    "LDA of today, words rule": peers.lda_with_words_rule,
    "NMF": peers.nmf,
    "tomotopy": peers.tomotopy_lda,
    "BERTopic": peers.bertopic,
    "BERTopic, assigned": None,
    "BERTopic, k-means": peers.bertopic_with_k_means,
    "KeyNMF": peers.key_nmf,
    "S³": peers.semantic_signals,
}
"""Name → function; BERTopic answers for both of its first rows."""
WITHOUT = ("TopicMap", "LDA of today", "LDA of today, words rule", "NMF", "tomotopy")
RIVALS = ("LDA of today", "NMF", "tomotopy")
"""The systems that TopicMap without embeddings should equal; LDA with the words rule is not one of them."""
EMBEDDED_RIVALS = ("BERTopic", "BERTopic, assigned", "BERTopic, k-means", "KeyNMF", "S³")
SCORES = {"nmi": "NMI", "ari": "ARI", "purity": "purity", "npmi": "held NPMI", "npmi_all": "all topics"}
FIRST_TOPICS = 10
ERROR_FROM = 5
"""Minimum number of seeds for an error of their agreement."""
LEVELS = 0.95, 0.99
"""Levels of junk and of mixed topics in held-out documents; they stay, whatever those of TopicMap are."""


def purity(labels, topics):
    return sum(np.bincount(labels[topics == k]).max() for k in np.unique(topics)) / len(labels)


def held_npmi(words, held):
    """Return the mean NPMI of the words of a topic in held-out documents, over topics."""
    scores = []
    for row in words:
        if len(row) > 1:
            chosen = np.zeros((1, held.shape[1]))
            chosen[0, row] = np.arange(len(row), 0, -1)
            scores.append(coherence(chosen, held, n_words=len(row))[0])
    return float(np.mean(scores))


def scored(answer, data):
    """Return the scores of one answer, as plain values."""
    topics = np.asarray(answer.topics)
    sizes = np.sort(np.unique(topics[topics >= 0], return_counts=True)[1])[::-1]
    listed = [k for k in range(len(answer.words)) if not answer.states or answer.states[k] != "junk"]
    listed = listed or list(range(len(answer.words)))
    if not answer.names:  # a topic map has an order of its own
        listed.sort(key=lambda k: -np.sum(topics == k))
    every = np.array([k for k, row in enumerate(answer.words) if len(row) == peers.N_WORDS])
    words = np.array([answer.words[k] for k in every])
    judged = np.array(topic_states(words, data.counts, [(words, data.held)], np.random.default_rng(0), LEVELS))
    first = [*listed, *(k for k in every.tolist() if k not in listed)][:FIRST_TOPICS]
    first = [k for k in first if len(answer.words[k]) == peers.N_WORDS]
    full, shown = np.array([answer.words[k] for k in first]), [answer.words[k] for k in listed]
    states = topic_states(full, data.counts, [(full, data.held)], np.random.default_rng(0), LEVELS)
    found = {
        "npmi": held_npmi(shown, data.held),
        "npmi_all": held_npmi(answer.words, data.held),
        "different": len({w for row in shown for w in row}) / sum(len(row) for row in shown),
        "largest": float(sizes[0] / len(topics)),
        "listed": len(listed),
        "rest": float(1.0 - np.isin(topics, listed).mean()),
        "junk": sum(state == "junk" and k in listed for k, state in zip(first, states)),
        "mass": float(np.isin(topics, every[judged == "junk"]).mean()),
        "seconds": answer.seconds,
        "note": answer.note,
    }
    if data.labels is not None:
        found |= {
            "nmi": float(normalized_mutual_info_score(data.labels, topics)),
            "ari": float(adjusted_rand_score(data.labels, topics)),
            "purity": float(purity(data.labels, topics)),
        }
    return found


def path_of(folder, name, system, seed):
    return folder / (re.sub(r"\W+", "_", f"{name} {system} {seed}") + ".json")


def run(folder, sets, systems, seeds):
    """Fit what is missing; each answer is a file with its scores, topics and words."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in sets:
        data = None
        for seed, system in itertools.product(seeds, systems):
            if SYSTEMS[system] is None or path_of(folder, name, system, seed).exists():
                continue
            data = data or documents(name)
            answers = SYSTEMS[system](data, seed, supported_topics(data.counts, None)[0])
            names = [system] if isinstance(answers, peers.Answer) else ["BERTopic", "BERTopic, assigned"]
            for one, answer in zip(names, [answers] if isinstance(answers, peers.Answer) else answers):
                content = {"set": name, "system": one, "seed": seed, **scored(answer, data)}
                content["topics"] = np.asarray(answer.topics).tolist()
                content["words"] = [[data.words[w] for w in row] for row in answer.words]
                content["names"], content["states"] = answer.names, answer.states
                path_of(folder, name, one, seed).write_text(json.dumps(content))
                shown = {k: round(v, 3) if isinstance(v, float) else v for k, v in content.items()}
                print({k: v for k, v in shown.items() if k not in ("topics", "words", "names", "states")}, flush=True)


def read(folder):
    """Return set → system → answers by seed."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        one = json.loads(path.read_text())
        found.setdefault(one["set"], {}).setdefault(one["system"], []).append(one)
    return found


def mean(answers, key, spread=False):
    values = [one[key] for one in answers if key in one]
    if not values:
        return ""
    return f"{np.mean(values):.3f}" + (f" ± {np.std(values):.3f}" if spread and len(values) > 1 else "")


def agreement(labels):
    """Return the mean adjusted Rand index of pairs of seeds, and its error by leaving out each seed."""
    pairs = np.full((len(labels), len(labels)), np.nan)
    for i, j in itertools.combinations(range(len(labels)), 2):
        pairs[i, j] = pairs[j, i] = adjusted_rand_score(labels[i], labels[j])
    if len(labels) < ERROR_FROM:
        return float(np.nanmean(pairs)) if len(labels) > 1 else np.nan, np.nan
    without = [np.nanmean(np.delete(np.delete(pairs, i, 0), i, 1)) for i in range(len(labels))]
    return float(np.nanmean(pairs)), float(np.sqrt((len(labels) - 1) * np.var(without)))


def shown_agreement(answers):
    value, error = agreement([one["topics"] for one in answers])
    return "" if np.isnan(value) else f"{value:.2f}" + ("" if np.isnan(error) else f" ± {error:.2f}")


def agreements(folder):
    """Print the agreement of all seeds of every set and system."""
    rows = [
        [name, system, len(answers), *agreement([one["topics"] for one in answers]), mean(answers, "seconds")]
        for name, systems in read(folder).items()
        for system, answers in systems.items()
    ]
    print_table("## Agreement between seeds", ["set", "system", "seeds", "agreement", "error", "CPU s"], rows)


def table(folder):
    """Print the tables, and what was lost."""
    found = read(folder)
    headings = [
        "system",
        "seeds",
        "NMI",
        "ARI",
        "purity",
        "held NPMI",
        "all topics",
        "different",
        "junk of 10",
        "listed",
        "rest",
        "junk mass",
        "largest",
        "agreement",
    ]
    for name in [*CHOSEN_ON, *REPORTED]:
        if name not in found:
            continue
        rows = []
        for system in SYSTEMS:
            answers = found[name].get(system)
            if answers:
                notes = sorted({one["note"] for one in answers if one["note"]})
                label = system + (
                    f" ({', '.join(notes)})" if system.startswith(("TopicMap", "BERTopic")) and notes else ""
                )
                keys = "nmi", "ari", "purity", "npmi", "npmi_all", "different"
                scores = [mean(answers, key, spread=key == "nmi") for key in keys]
                more = [mean(answers, key) for key in ("junk", "listed", "rest", "mass", "largest")]
                more += [shown_agreement(answers), mean(answers, "seconds")]
                rows.append([label, len(answers), *scores, *more])
        kind = "constants chosen here" if name in CHOSEN_ON else "nothing chosen here"
        n = len(found[name]["TopicMap"][0]["topics"])
        k = len(found[name]["TopicMap"][0]["words"])
        print_table(f"## {name}: {n:,} documents, {k} topics, {kind}", [*headings, "CPU s"], rows)
    targets(found)
    losses(found)


def difference(ours, rivals, key):
    """Return the means of ours and of the best rival, its name, and the difference with its standard error."""
    means = {name: np.mean([one[key] for one in answers]) for name, answers in rivals.items()}
    best = max(means, key=lambda name: means[name])
    values = [np.array([one[key] for one in answers]) for answers in (ours, rivals[best])]
    error = np.sqrt(sum(np.var(one, ddof=1) / len(one) for one in values))
    gain = values[0].mean() - values[1].mean()
    return [
        float(values[0].mean()),
        best,
        float(means[best]),
        f"{gain:+.3f} ± {error:.3f}",
        "yes" if gain >= 0 else "no",
    ]


def targets(found):
    """Print what TopicMap should reach, per set: scores against the best rival, junk, and agreement between seeds."""
    scored_rows, other_rows, embedded_rows = [], [], []
    for name in [*CHOSEN_ON, *REPORTED]:
        systems = found.get(name, {})
        where = "constants chosen here" if name in CHOSEN_ON else "nothing chosen here"
        rivals = {one: systems[one] for one in RIVALS if one in systems}
        ours = systems.get("TopicMap")
        if ours and rivals and name in REPORTED:
            keys = [key for key in ("nmi", "npmi", "npmi_all") if key in ours[0]]
            scored_rows += [[name, SCORES[key], *difference(ours, rivals, key)] for key in keys]
        if ours and "LDA of today" in systems:
            pair = ours, systems["LDA of today"]
            seeds, before = (agreement([one["topics"] for one in answers])[0] for answers in pair)
            better = "yes" if seeds > before else "no"
            shown = [shown_agreement(answers) for answers in pair]
            other_rows.append([name, where, mean(ours, "junk"), *shown, better, mean(ours, "seconds")])
        ours, rival = systems.get("TopicMap, embeddings"), systems.get("BERTopic, assigned")
        if ours and rival and "nmi" in ours[0]:
            one = {"BERTopic, assigned": rival}
            keys = "nmi", "ari", "purity"
            embedded_rows += [[name, where, SCORES[key], *difference(ours, one, key)] for key in keys]
    headings = ["TopicMap", "best rival", "rival's", "difference", "reached"]
    reached = sum(row[-1] == "yes" for row in scored_rows)
    title = f"## Without embeddings, against NMF, tomotopy and LDA of today: reached in {reached} of {len(scored_rows)}"
    print_table(title, ["set", "score", *headings], scored_rows)
    title = "## With embeddings, against BERTopic with outliers assigned"
    print_table(title, ["set", "", "score", *headings], embedded_rows)
    headings = ["set", "", "junk of 10", "agreement", "of LDA of today", "better", "CPU s"]
    print_table("## TopicMap: junk, agreement between seeds, time", headings, other_rows)


def losses(found):
    """Print every score in which TopicMap loses to a rival of its kind, by the mean over seeds."""
    lost, compared = [], 0
    for name in [*CHOSEN_ON, *REPORTED]:
        for ours, rivals in (("TopicMap", WITHOUT[1:]), ("TopicMap, embeddings", EMBEDDED_RIVALS)):
            for rival, key in itertools.product(rivals, ("nmi", "ari", "purity", "npmi", "npmi_all")):
                pair = [found.get(name, {}).get(system) for system in (ours, rival)]
                if all(pair) and key in pair[0][0]:
                    compared += 1
                    us, them = (float(mean(one, key)) for one in pair)
                    if us < them:
                        where = "constants chosen here" if name in CHOSEN_ON else "nothing chosen here"
                        lost.append([name, where, ours, rival, key, us, them])
    headings = ["set", "", "ours", "rival", "score", "ours", "rival's"]
    print_table(f"## Lost: {len(lost)} of {compared} comparisons of means", headings, lost)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("task", choices=["run", "table", "agreement"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--systems", nargs="+", default=list(WITHOUT), choices=list(SYSTEMS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    given = parser.parse_args()
    if given.task == "run":
        run(given.folder, given.sets, given.systems, given.seeds)
    else:
        {"table": table, "agreement": agreements}[given.task](given.folder)


if __name__ == "__main__":
    main()
