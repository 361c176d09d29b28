"""Stories in the bodies of mails, against single messages, nearest and mean cosine, and the textbook process.

The first 20,000 mails of five lists, bodies only. Two mails are in the same story if one answers the other, or if they
have the same subject on the same list within 30 days; subjects and addresses are not shown to any method. Every setting
is chosen, and every link learned, on the first quarter; the table is about the rest: B³ F with precision and recall.
Differences have an interval from a bootstrap over threads. A first table counts events of simulated streams. `--row`
takes the first 4,000 mails and two methods. `speed` prints only the time per mail, beside the plain method of finding
the nearest mails: the product of each mail's weights with those of all mails of the memory, by SciPy.

    python -m benchmarks.nonparametric.stories [--row | speed]
"""

from __future__ import annotations

import collections
import functools
import itertools
import re
import sys
import time

import numpy as np
import pyarrow.parquet as pq
from sklearn.preprocessing import normalize

from benchmarks.measure import real_data
from driftline.inference.partition_agreement import bcubed, bcubed_items
from driftline.nonparametric import StoryStream
from driftline.streams.corpus import Corpus

N_MAILS, KNOWN = 20_000, 0.25
THRESHOLDS, FEW_THRESHOLDS = (0.08, 0.1, 0.12, 0.15, 0.2, 0.3), (0.1, 0.15, 0.2, 0.3)
CONCENTRATIONS, STRENGTHS = (1e1, 1e3, 1e5, 1e7), (30.0, 100.0, 300.0, 1000.0)
DECAY, MEMORY, SEEDS, N_RESAMPLES = 10.0, 30.0, (0, 1, 2), 300
PREFIX = re.compile(r"^((re|fwd|fw|aw|sv)\s*:\s*|\[[^\]]*\]\s*)+")


def mails(n):
    """Return counts, times in days, and the thread of each of the first mails."""
    table = pq.read_table(real_data("maillists_2019_2026")).sort_by("time").slice(0, n)
    days = table["time"].to_numpy().astype("datetime64[s]").astype(np.float64) / 86400
    counts = Corpus.from_texts(table["text"].to_pylist(), range(n), min_df=2, max_df=0.3, keep_texts=False).counts
    return counts.tocsr(), days, threads(table, days)


def threads(table, days):
    """Return the thread of each mail: joined by reply, or by list and subject within the memory."""
    parents = list(range(table.num_rows))

    def root(mail):
        while parents[mail] != mail:
            parents[mail] = parents[parents[mail]]
            mail = parents[mail]
        return mail

    numbers = {name: mail for mail, name in enumerate(table["message_id"].to_pylist())}
    latest = {}
    rows = zip(*(table[name].to_pylist() for name in ("in_reply_to", "label", "subject")))
    for mail, (answered, group, subject) in enumerate(rows):
        if answered and answered in numbers:
            parents[root(mail)] = root(numbers[answered])
        plain = " ".join(PREFIX.sub("", (subject or "").strip().lower()).split())
        if plain:
            before = latest.get((group, plain))
            if before is not None and days[mail] - days[before] <= MEMORY:
                parents[root(mail)] = root(before)
            latest[group, plain] = mail
    return np.array([root(mail) for mail in range(table.num_rows)])


def labelled(model, X, days):
    """Return the stories of all mails (one of its own for a mail without words), and microseconds per mail."""
    model.fit(X[:50], times=days[:50])  # compiled before the clock starts
    begun = time.process_time()
    found = model.fit(X, times=days).labels_
    spent = (time.process_time() - begun) / len(days) * 1e6
    return np.where(found < 0, -1 - np.arange(len(found)), found), spent


def centroid(X, days, thresholds):
    """Return the stories by the cosine with the mean of each live story, decayed by the time since its latest mail.

    Yields them for each threshold. Words weigh as in `StoryStream`: by the number of mails so far that lack them.
    """
    weights, n_with = [], np.zeros(X.shape[1])
    for mail in range(len(days)):
        entries = slice(X.indptr[mail], X.indptr[mail + 1])
        words = X.indices[entries]
        n_with[words] += 1
        values = (1 + np.log(X.data[entries])) * np.log1p((mail + 1 - n_with[words] + 0.5) / (n_with[words] + 0.5))
        weights.append((words.tolist(), values / max(np.linalg.norm(values), 1e-300)))
    for threshold in thresholds:
        stories, latest, sums, norms = np.empty(len(days), np.int64), [], [], []
        postings = collections.defaultdict(dict)
        for mail, (words, values) in enumerate(weights):
            scores = collections.defaultdict(float)
            for word, value in zip(words, values):
                for story in [story for story in postings[word] if latest[story] < days[mail] - MEMORY]:
                    del postings[word][story]
                for story, total in postings[word].items():
                    scores[story] += value * total
            decayed = {s: v / norms[s] * np.exp((latest[s] - days[mail]) / DECAY) for s, v in scores.items()}
            best = max(decayed, key=decayed.get, default=None)
            if best is None or decayed[best] < threshold:
                best = len(latest)
                latest.append(days[mail])
                sums.append(collections.defaultdict(float))
                norms.append(0.0)
            stories[mail], latest[best] = best, days[mail]
            for word, value in zip(words, values):
                sums[best][word] += value
                postings[word][best] = sums[best][word]
            norms[best] = np.sqrt(sum(total**2 for total in sums[best].values()))
        yield stories


def best_setting(settings, truth, stories):
    """Return the setting whose stories agree best with the first quarter."""
    n = int(KNOWN * len(truth))
    return max(settings, key=lambda setting: bcubed(truth[:n], stories(setting)[:n]).f)


def difference(truth, one, other):
    """Return the 95 % interval of the difference of F, by a bootstrap over threads."""
    rng, groups = np.random.default_rng(0), np.unique(truth, return_inverse=True)[1].ravel()
    items, n, found = [bcubed_items(truth, stories) for stories in (one, other)], groups.max() + 1, []
    for _ in range(N_RESAMPLES):
        weights = np.bincount(rng.integers(0, n, n), minlength=n)[groups]
        parts = [(np.average(p, weights=weights), np.average(r, weights=weights)) for p, r in items]
        found.append(np.subtract(*(2 * p * r / (p + r) for p, r in parts)))
    return np.percentile(found, [2.5, 97.5])


def print_calibration(X, days, truth):
    """Print predicted and true shares of right links, of those learned once and of those recalibrated forward."""
    n = int(KNOWN * len(truth))
    columns = {}
    for name, known in (("learned once", 0.0), ("half known later", 0.5), ("all known later", 1.0)):
        model = StoryStream(memory=MEMORY, link="learned", random_state=0).fit_links(X[:n], truth[:n], times=days[:n])
        shown = np.random.default_rng(0).random(len(truth)) < known
        model.fit(X, np.where(shown, truth, -1), times=days)
        linked, said = model.link_documents_[n:], model.link_probabilities_[n:]
        right = (linked >= 0) & (truth[np.maximum(linked, 0)] == truth[n:])
        stories = np.where(model.labels_ < 0, -1 - np.arange(len(truth)), model.labels_)
        columns[name] = (np.where(linked >= 0, said, 0.0), right, bcubed(truth[n:], stories[n:]).f)
    print("\n| predicted | " + " | ".join(f"{name}: predicted, right (mails)" for name in columns) + " |")
    print("|---|" + "---|" * len(columns))
    for low, high in itertools.pairwise((0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.001)):
        cells = []
        for said, right, _ in columns.values():
            here = (said >= low) & (said < high)
            cells.append(
                f"{said[here].mean():.2f}, {right[here].mean():.2f} ({here.sum():,})" if here.any() else "none"
            )
        print(f"| {low:.1f} to {min(high, 1):.1f} | " + " | ".join(cells) + " |")
    errors = [np.mean((said - right) ** 2) for said, right, _ in columns.values()]
    gaps = [_expected_error(said, right) for said, right, _ in columns.values()]
    print("| Brier score | " + " | ".join(f"{error:.4f}" for error in errors) + " |")
    print("| mean difference | " + " | ".join(f"{gap:.3f}" for gap in gaps) + " |")
    print("| B³ F | " + " | ".join(f"{f:.4f}" for *_, f in columns.values()) + " |")


def _expected_error(said, right):
    """Return the mean absolute difference between predicted and true shares, over bins of ten per cent."""
    bins = np.minimum((said * 10).astype(int), 9)
    gaps = [abs(said[bins == k].mean() - right[bins == k].mean()) * (bins == k).sum() for k in np.unique(bins)]
    return sum(gaps) / len(said)


def simulated(kind, seed, n=600):
    """Return 600 documents of 12 words from two sources, which separate, mix, or stay together or apart after a
    third."""
    rng = np.random.default_rng(seed)
    one, other = np.repeat([1 / 20, 0.0], 20), np.repeat([0.0, 1 / 20], 20)
    together, apart = [(one + other) / 2], [one, other]
    before, after = {"part": (together, apart), "mix": (apart, together), "together": (together, together)}.get(
        kind, (apart, apart)
    )
    sources = [before if t < n // 3 else after for t in range(n)]
    return np.array([rng.multinomial(12, each[rng.integers(len(each))]) for each in sources])


def print_simulated(n_seeds):
    """Print the events that are found where they are known, and where there are none."""
    print(f"Events of two simulated sources ({n_seeds} seeds, 300 days, memory 60 days)\n")
    print(
        "| after 100 days the sources | streams with a split | splits | streams with a merger | mergers |\n|"
        + "---|" * 5
    )
    for kind in ("part", "mix", "together", "apart"):
        kinds = []
        for seed in range(n_seeds):
            model = StoryStream(memory=60.0, random_state=seed).fit(simulated(kind, seed), times=np.arange(600) / 2)
            kinds.append([event.kind for event in model.events_ if event.time > 100])
        cells = [
            f"{sum(k in each for each in kinds)} | {sum(each.count(k) for each in kinds)}" for k in ("split", "merged")
        ]
        print(f"| {kind} | {' | '.join(cells)} |")
    print(flush=True)


def spent_on(work):
    """Return the processor time of some work, in seconds."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def print_speed():
    """Print microseconds per mail of every link, and of products of sparse rows: median and least of several rounds."""
    X, days, truth = mails(N_MAILS)
    n = int(KNOWN * N_MAILS)
    weighed = normalize(X.log1p()).tocsr()
    lows = np.searchsorted(days, days - MEMORY)

    def products():
        for mail in range(1, N_MAILS):
            (weighed[lows[mail] : mail] @ weighed[mail].T).toarray()

    models = {link: StoryStream(memory=MEMORY, link=link, random_state=0) for link in ("cosine", "learned", "crp")}
    models["learned"].fit_links(X[:n], truth[:n], times=days[:n])
    work = {name: functools.partial(model.fit, X, times=days) for name, model in models.items()}
    for model in models.values():
        model.fit(X[:50], times=days[:50])  # compiled before the clock starts
    found = {name: [] for name in [*work, "products"]}
    for _ in SEEDS:
        for name, run in work.items():
            found[name].append(spent_on(run) / N_MAILS * 1e6)
        found["products"].append(spent_on(products) / N_MAILS * 1e6)
    print(f"Microseconds of processor time per mail, {N_MAILS:,} mails, {len(SEEDS)} rounds in turn\n")
    print("| | median | least | relative to products |\n|---|---|---|---|")
    for name, times in found.items():
        shown = "products of sparse rows, nearest mails only" if name == "products" else f"stories, link={name!r}"
        ratio = np.median(times) / np.median(found["products"])
        print(f"| {shown} | {np.median(times):.1f} | {min(times):.1f} | {ratio:.2f} |")


def main():
    if "speed" in sys.argv:
        print_speed()
        return
    quick = "--row" in sys.argv
    print_simulated(3 if quick else 10)
    n_mails = 4000 if quick else N_MAILS
    X, days, truth = mails(n_mails)
    n = int(KNOWN * n_mails)
    print(f"{n_mails:,} mails over {days[-1] - days[0]:,.0f} days, {len(np.unique(truth)):,} threads, ", end="")
    print(f"{X.nnz / n_mails:.0f} different words each; the first {n:,} are known\n")
    headings = "| | setting | B³ F | precision | recall | F on the first quarter | µs per mail |"
    print(headings + "\n|" + "---|" * 7, flush=True)
    kept = {}

    def show(name, setting, stories, spent=None):
        kept[name] = stories
        score, first = bcubed(truth[n:], stories[n:]), bcubed(truth[:n], stories[:n]).f
        took = "" if spent is None else f"{spent:.0f}"
        print(f"| {name} | {setting} | **{score.f:.4f}** | {score.precision:.3f} | {score.recall:.3f} | {first:.4f} "
              f"| {took} |", flush=True)  # fmt: skip

    def first_stories(**options):
        return labelled(StoryStream(memory=MEMORY, random_state=0, **options), X[:n], days[:n])[0]

    show("single mails", "", np.arange(n_mails))
    if not quick:
        pairs = [*itertools.product(CONCENTRATIONS, STRENGTHS)]
        best = best_setting(
            pairs, truth, lambda pair: first_stories(link="crp", concentration=pair[0], prior_strength=pair[1])
        )
        options = {"link": "crp", "concentration": best[0], "prior_strength": best[1]}
        model = StoryStream(memory=MEMORY, random_state=0, **options)
        show("decayed process, 16 settings", f"α = {best[0]:g}, A = {best[1]:g}", *labelled(model, X, days))
        best = best_setting(THRESHOLDS, truth, lambda value: first_stories(decay=1e9, threshold=value))
        model = StoryStream(memory=MEMORY, decay=1e9, threshold=best, random_state=0)
        show("nearest, cosine", f"θ = {best:g}", *labelled(model, X, days))
        found = dict(zip(FEW_THRESHOLDS, centroid(X[:n], days[:n], FEW_THRESHOLDS)))
        best = best_setting(FEW_THRESHOLDS, truth, found.get)
        show("mean of the story, decayed", f"θ = {best:g}", next(centroid(X, days, [best])))
    best = best_setting(THRESHOLDS, truth, lambda value: first_stories(threshold=value))
    model = StoryStream(memory=MEMORY, threshold=best, random_state=0)
    show("nearest, decayed", f"θ = {best:g}", *labelled(model, X, days))
    for seed in SEEDS[: 1 if quick else None]:
        show(f"default, seed {seed}", "", *labelled(StoryStream(memory=MEMORY, random_state=seed), X, days))
    for seed in SEEDS[: 1 if quick else None]:
        model = StoryStream(memory=MEMORY, link="learned", random_state=seed)
        model.fit_links(X[:n], truth[:n], times=days[:n])
        show(f"learned link, seed {seed}", "", *labelled(model, X, days))
    for other in ("nearest, decayed", "default, seed 0"):
        low, high = difference(truth[n:], kept["learned link, seed 0"][n:], kept[other][n:])
        print(f"\nLearned link minus {other}: {low:+.4f} to {high:+.4f} (95 %, {N_RESAMPLES} resamples of threads).")
    if not quick:
        kinds = collections.Counter(event.kind for event in model.events_)
        listed = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))
        print(f"\nEvents of the learned link: {listed}; {model.n_uncertain_events_} possible ones are not shown.")
        print_calibration(X, days, truth)


if __name__ == "__main__":
    main()
