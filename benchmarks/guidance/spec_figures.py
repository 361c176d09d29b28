"""Figures of the specification of guidance and context beside ours, read from the kept results.

The specification's figures are those of prototypes, with settings compared on the labels they are reported for; ours
are the cells of `benchmarks/results`, found by the first words of a row and the number of a column, so that none is
written here by hand. "Script" prints the cell. "Difference" is ours minus the specified figure, whatever is better. The
documents, words and settings of the prototypes are known in outline only, so that the reason of a difference is mostly
not known; notes say what is known to differ.

Every figure of the specification is printed by a script; that of the best old topic of a refit (0.91) is not a cell but
the last line of `guidance/refits.md`. Its sentences are listed in `guidance/requirements.md`, each
with its test or script. That an empty guide gives the same bytes as none is tested by `tests/topics/test_guided.py`.
The R packages `stm` and `keyATM` are compared in `context/r_peers.md`.

    python -m benchmarks.guidance.spec_figures
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import print_table

RESULTS = Path(__file__).parents[1] / "results"


class Figure(NamedTuple):
    """A figure of the specification, and the cell of a kept result: page, table (from 0), row, column."""

    name: str
    specified: str
    page: str
    table: int
    row: str
    column: int
    note: str = ""


WORDS, PAIRS, PROPORTIONS, REFITS = (f"guidance/{name}" for name in ("words", "pairs", "proportions", "refits"))
NETWORK, CONTRASTS, COVERAGE, SENTIMENT = (f"context/{n}" for n in ("network", "contrasts", "coverage", "sentiment"))
CHUNKS, CURVES = "sequences/constrained", "topics/shares"
OTHER = "our own words for the groups"
LOST = "talk.politics.misc is divided: third table"
ORDER = "depends on which group is rare: rows of six orders"
HALF = 3
"""Table of half of the documents."""


def of_scores(name: str, specified: str, row: str, note: str = OTHER, table: int = 0) -> list[Figure]:
    return [
        Figure(f"{name}, {what}", each, WORDS, table, row, column, note)
        for what, each, column in zip(("accuracy", "mean AUC"), specified.split(" / "), (1, 2))
    ]


def of_links(name: str, table: int, specified: str, row: str, note: str = "") -> list[Figure]:
    return [
        Figure(f"{name}, {what}", each, NETWORK, table, row, column, note)
        for what, each, column in zip(("accuracy", "NMI"), specified.split(" / "), (1, 2))
        if each != "–"
    ]


PARTS: dict[str, list[Figure]] = {
    "1. Words": [
        *of_scores("`seed_words`, weight 5", "0.085 / 0.563", "LDA, `seed_words`, weight 5,", "no longer ignored"),
        *of_scores("`seed_words`, weight 50", "0.711 / 0.932", "LDA, `seed_words`, weight 50,"),
        *of_scores("`seed_words`, weight 500", "0.716 / 0.939", "LDA, `seed_words`, weight 500,"),
        Figure("without words, best matching, accuracy", "0.555", WORDS, 0, "LDA without words", 1),
        *of_scores("guide, 20 topics, half", "0.706 / 0.952", "LDA, guide, 20", OTHER, HALF),
        Figure("guide, 20 topics, half, least AUC", "0.71", WORDS, HALF, "LDA, guide, 20", 3, OTHER),
        *of_scores("guide, 40 topics, half", "0.764 / 0.962", "LDA, guide, 40", OTHER, HALF),
        Figure("guide, 40 topics, half, least AUC", "0.89", WORDS, HALF, "LDA, guide, 40", 3, LOST),
        *of_scores("guide, 40 topics, all documents", "0.764 / 0.962", "LDA, guide, 40", "prototype: half"),
        Figure("guide, 40 topics, all documents, least AUC", "0.89", WORDS, 0, "LDA, guide, 40", 3, LOST),
        Figure("guide, 40 topics, words in the top ten", "88 %", WORDS, 0, "LDA, guide, 40", 4),
        Figure("start alone, words in the top ten", "64 %", WORDS, 0, "LDA, start alone", 4),
        *of_scores("classifier as α_d", "0.783 / 0.976", "LDA, guide with `spread`", "goals: 0.77 and 0.98"),
        *of_scores("CorEx", "0.515 / 0.825", "CorEx"),
        *of_scores("counting", "0.536 / 0.797", "counting"),
        *of_scores("logistic regression", "0.688 / 0.953", "logistic"),
        *of_scores("mixture of unigrams", "0.790 / 0.954", "mixture", "prototype: weight 500; ours: the words' counts"),
        *of_scores("complement naive Bayes", "0.773 / 0.984", "complement"),
        *of_scores("complement naive Bayes, half", "0.749 / 0.980", "complement", OTHER, HALF),
    ],
    "2. Words together and apart": [
        Figure("overlap, together, without", "0.645", PAIRS, 0, "none", 1),
        Figure("overlap, together, η = 100", "0.846", PAIRS, 0, "together, η", 1),
        Figure("overlap, together, η = 10⁴", "0.887", PAIRS, 0, "together |", 1),
        Figure("log-likelihood per word, without", "−7.3879", PAIRS, 0, "none", 3, "ours: held-out documents"),
        Figure("log-likelihood per word, together", "−7.3881", PAIRS, 0, "together |", 3, "ours: held-out documents"),
        Figure("overlap, apart, without", "0.338", PAIRS, 0, "none", 2, "our own pairs"),
        Figure("overlap, apart, decorrelated", "0.008", PAIRS, 0, "apart", 2),
        Figure("overlap, apart, complete forest", "0", PAIRS, 1, "both, gibbs", 2),
    ],
    "3. Links": [
        *of_links("Cora: PLSA", 0, "0.417 / 0.204", "PLSA"),
        *of_links("Cora: NetPLSA", 0, "0.562 / 0.457", "`NetworkPLSA`, random"),
        *of_links("Cora: 30 inner steps", 0, "0.486 / 0.393", "the same, 30"),
        *of_links("Cora: iTopicModel", 0, "0.553 / 0.443", "`NetworkTopics`, random"),
        *of_links("Cora: after 30 plain steps", 0, "0.606 / 0.470", "the same, after", "the gain is not found again"),
        *of_links("Cora: averaged k-means", 0, "0.694 / 0.556", "k-means of tf-idf, averaged"),
        *of_links("Cora: k-means", 0, "0.539 / 0.339", "k-means of tf-idf "),
        *of_links("Cora: iTopicModel from it", 0, "0.695 / 0.546", "`NetworkTopics` ", "equal to the averaged k-means"),
        *of_links("the same, ten steps", 0, "0.695 / 0.546", "`NetworkTopics`, ten", "no default: loses on other mail"),
        *of_links("mail: PLSA", 1, "– / 0.342", "PLSA", "our own sample"),
        *of_links("mail: iTopicModel", 1, "– / 0.365", "`NetworkTopics` ", "ours starts from the k-means"),
        *of_links("mail: averaged k-means", 1, "– / 0.402", "k-means of tf-idf, averaged", "our own sample"),
    ],
    "4. Comparative": [
        Figure("published mixture, words named", "200", CONTRASTS, 0, "true+mixture", 2),
        Figure("published mixture, right", "77–80 %", CONTRASTS, 0, "true+mixture", 3),
        Figure("published mixture, brands shuffled, right", "46–48 %", CONTRASTS, 0, "shuffled+mixture", 3),
        Figure("`contrasts`, words named", "17–44", CONTRASTS, 0, "true+`contrasts` ", 2),
        Figure("`contrasts`, right", "88–100 %", CONTRASTS, 0, "true+`contrasts` ", 3),
        Figure("`contrasts`, brands shuffled", "0 of 4 times any", CONTRASTS, 0, "shuffled+`contrasts` ", 2),
        Figure("normal null, words named", "57–84", CONTRASTS, 0, "true+`contrasts`, normal", 2),
        Figure("normal null, right", "82–89 %", CONTRASTS, 0, "true+`contrasts`, normal", 3),
        Figure("normal null, brands shuffled", "0–4", CONTRASTS, 0, "shuffled+`contrasts`, normal", 2),
        Figure("ABC, normal null, words named", "39", CONTRASTS, 1, "true+`contrasts`, normal", 2, "days as units"),
        Figure("ABC, normal null, right", "92 %", CONTRASTS, 1, "true+`contrasts`, normal", 3, "days as units"),
        Figure("ABC, shuffled", "0", CONTRASTS, 1, "shuffled+`contrasts`, normal", 2),
    ],
    "5 and 6. Shares in contexts: slope, coverage of 95 % (goal: 90–98 %)": [
        Figure(f"{n} words, {name}", specified, COVERAGE, 0, f"{n} ", column, note)
        for n, row in {
            8: ("0.36, 12 %", "0.94, 53 %", "0.98, 97 %", "1.01, 97 %"),
            40: ("0.72, 43 %", "0.95, 77 %", "0.99, 91 %", "0.98, 97 %"),
            200: ("0.91, 89 %", "0.97, 93 %", "0.99, 96 %", "0.99, 93 %"),
        }.items()
        for column, (name, specified, note) in enumerate(
            zip(
                ("mean θ_d", "α_d per context", "`coverage`", "`effects`"),
                row,
                ("rival", "rival", "", ""),
            ),
            1,
        )
    ]
    + [
        Figure(f"{n} words, learned topics", specified, COVERAGE, 3, f"{n} ", 1, "given these topics")
        for n, specified in {8: "0.17", 40: "0.75, 44 %", 200: "0.75, 66 %"}.items()
    ]
    + [Figure(f"random halves, {n} words, p < 0.05", "≤ 5 %", COVERAGE, 1, f"{n} ", 1, "goal") for n in (8, 40, 200)]
    + [
        Figure(f"2.5 → 11.5 %, {name}", specified, CURVES, 1, row, column, "our own simulated stream")
        for name, specified, row, column in (
            ("8 words, true topics, mean θ", "7.4 → 11.0 %", "8+true+posterior", 3),
            ("8 words, true topics, likelihood", "2.7 → 13.4 %", "8+true+word", 3),
            ("8 words, learned, before: mean θ", "10.1 → 10.1 %", "8+learned+posterior", 3),
            ("8 words, learned, now", "10.1 → 10.1 %", "8+learned+word shares, given", 3),
            ("40 words, learned, before: mean θ", "6.4 → 13.3 %", "40+learned+posterior", 3),
            ("40 words, learned, before: times missed", "9 of 9", "40+learned+posterior", 5),
            ("40 words, learned, now: times missed", "9 of 9", "40+learned+word shares, given", 5),
            ("40 words, uncertain topics: times missed", "9 of 9", "40+learned+word shares, uncertain", 5),
        )
    ],
    "7. Topics and sentiment (AUC)": [
        Figure("published mixture", "0.73–0.82", SENTIMENT, 0, "mixture", 1),
        Figure("counting the words", "0.83", SENTIMENT, 0, "counting", 1, "our own words"),
        Figure("pseudo-labels", "0.878", SENTIMENT, 0, "`TopicSentiment.predict_polarity`", 1),
        Figure("supervised", "0.942", SENTIMENT, 0, "supervised", 1),
    ],
    "8. Proportions, and wrong ones (Traps)": [
        Figure(name, specified, PROPORTIONS, 0, row, column, note)
        for name, specified, row, column, note in (
            ("seeded mixture", "0.691", "none |", 1, OTHER),
            ("weights fixed", "0.711", "none, weights", 1, ORDER),
            ("projected", "0.741", "the true shares |", 1, ORDER),
            ("power 0.3: mixture", "0.692", "none |", 2, OTHER),
            ("power 0.3: weights fixed", "0.743", "none, weights", 2, ORDER),
            ("power 0.3: projected", "0.753", "the true shares |", 2, ORDER),
            ("power 0.3: slack of 50 %", "0.736", "within half", 2, ""),
            ("power 0.3: each off by 30 %", "0.741", "each wrong", 2, ORDER),
            ("power 0.3: uniform", "0.569", "equal shares", 2, "the trap holds"),
        )
    ]
    + [
        Figure(f"power 0.3, mean of six orders: {name}", specified, PROPORTIONS, 2, "mean", column)
        for name, specified, column in (
            ("mixture", "0.692", 2),
            ("weights fixed", "0.743", 3),
            ("projected", "0.753", 4),
            ("slack of 50 %", "0.736", 5),
            ("each off by about 30 %", "0.741", 6),
        )
    ]
    + [
        Figure("logistic regression", "0.666", PROPORTIONS, 1, "logistic regression |", 1, OTHER),
        Figure("the same, projected after", "0.683", PROPORTIONS, 1, "logistic regression |", 2, OTHER),
        Figure("self-trained", "0.667", PROPORTIONS, 1, "logistic regression, self", 1, OTHER),
        Figure("self-trained, projected", "0.706", PROPORTIONS, 1, "logistic regression, self", 2, OTHER),
        Figure("expectation regularisation", "0.675", PROPORTIONS, 1, "logistic regression, exp", 2, OTHER),
    ],
    "9. Rules for chunks (F1)": [
        Figure(f"{name}, {n} sentences", specified, CHUNKS, 0, row, column, note)
        for name, row, values, note in (
            ("local", "local ", ("0.785", "0.868", "0.893", "0.909"), "ours: templates of CRF++"),
            ("legal BIO", "local, legal BIO ", ("0.786", "0.869", "0.897", "0.917"), "ours: templates of CRF++"),
            ("chain", "learned chain, legal BIO ", ("0.791", "0.872", "0.905", "0.922"), "ours: templates of CRF++"),
            ("rules", "learned chain, legal BIO, three rules ", ("0.799", "0.872", "0.905", "0.921"), "little gain"),
        )
        for column, (n, specified) in enumerate(zip(("20", "100", "500", "2,000"), values), 1)
    ]
    + [
        Figure("same tags by Viterbi and HiGHS", "60 of 60", CHUNKS, 1, "Viterbi", 1),
        Figure("Viterbi, ms per sentence", "0.13", CHUNKS, 1, "Viterbi", 2, "processor time"),
        Figure("HiGHS, ms per sentence", "12.8", CHUNKS, 1, "HiGHS, as", 2, "the complete program takes longer"),
    ],
    "10. Refits": [
        Figure("cold, other seed", "5 %", REFITS, 0, "cold, another", 1, "fifteen trials, not one"),
        Figure("cold, same seed", "89 %", REFITS, 0, "cold, the same", 1, "fifteen trials, not one"),
        Figure("warm", "100 %", REFITS, 0, "warm |", 1),
        Figure("warm, median cosine", "0.981", REFITS, 0, "warm |", 2),
        Figure("warm, old counts as a prior, median cosine", "0.999", REFITS, 0, "warm, old", 2),
        Figure("Traps: AUC of a topic whose words another has", "0.69", REFITS, 0, "warm |", 3, "the report says so"),
    ],
    "Cost of a guide (goals)": [
        Figure("words", "≤ 1.1", WORDS, 1, "words |", 2),
        Figure("words; a topic starts again", "≤ 1.1", WORDS, 1, "words; a topic", 2),
        Figure("links", "≤ 1.5", WORDS, 1, "words, two links", 2),
        Figure("proportion of a topic", "≤ 1.5", WORDS, 1, "words, proportion", 2),
        Figure("proportions of 20 topics", "≤ 1.5", WORDS, 1, "words, exact", 2),
    ],
}
"""The figures, by the parts of the specification."""


def tables(page: str) -> list[list[list[str]]]:
    """Return the rows of the tables of a kept result, without their headings."""
    found: list[list[list[str]]] = []
    inside = False
    for line in (RESULTS / f"{page}.md").read_text(encoding="utf-8").splitlines():
        if re.match(r"\|[\s:-]+\|", line) and set(line) <= set("|-: "):
            found.append([])
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside:
            found[-1].append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def cell(figure: Figure) -> str:
    """Return the cell of the only row that begins as requested; "a+b" requests two cells, and " |" a whole one."""
    begins = [part.replace("|", "").strip() if part.endswith((" ", "|")) else part for part in figure.row.split("+")]
    whole = figure.row.endswith((" ", "|"))
    rows = []
    for row in tables(figure.page)[figure.table]:
        same = [
            one == own if whole or i + 1 < len(begins) else one.startswith(own)
            for i, (one, own) in enumerate(zip(row, begins))
        ]
        if all(same):
            rows.append(row)
    if len(rows) != 1:
        raise SystemExit(f"{figure.page}.md has {len(rows)} rows for {figure.row!r}")
    return rows[0][figure.column]


def verdict(specified: str, ours: str) -> str:
    """Return whether a single number is higher or lower than specified; "" where either is no single number."""
    numbers = [
        re.fullmatch(r"[≤−-]?\s*(\d[\d.]*)\s*%?", re.split(" [±(]", text)[0].strip()) for text in (specified, ours)
    ]
    if numbers[0] is None or numbers[1] is None:
        return ""
    wanted, found = (float(one[1]) for one in numbers if one)
    if specified.startswith("≤"):
        return "kept" if found <= wanted else "missed"
    if specified.endswith("%") and not ours.endswith("%"):
        found *= 100
    if specified.startswith("−"):
        wanted, found = -wanted, -found
    return "equal" if abs(found - wanted) < 0.0005 else f"{found - wanted:+.3g}"


def main() -> None:
    print(__doc__)
    for part, figures in PARTS.items():
        rows = []
        for figure in figures:
            ours = cell(figure)
            script = f"`benchmarks.{figure.page.replace('/', '.')}`"
            rows.append([figure.name, figure.specified, ours, verdict(figure.specified, ours), script, figure.note])
        print_table(part, ["figure", "specified", "ours", "difference", "script", "note"], rows)


if __name__ == "__main__":
    main()
