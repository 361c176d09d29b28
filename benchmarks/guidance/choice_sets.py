"""Documents with known groups and five words for each, on which settings of guidance are chosen: never newsgroups.

Ten and twenty topics of Reuters-21578, the subjects and the first words of messages of five mailing lists, and commit
messages of four projects: long and short documents, groups of equal and of very unequal size. The words were written
down from the names of the groups.
"""

from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp

from benchmarks.guidance.newsgroups import Newsgroups
from benchmarks.measure import real_data
from driftline.streams.corpus import Corpus

TEN = {
    "earn": ["dividend", "profit", "earnings", "net", "quarterly"],
    "acq": ["acquisition", "merger", "takeover", "stake", "acquire"],
    "crude": ["oil", "crude", "opec", "barrels", "petroleum"],
    "trade": ["trade", "tariffs", "exports", "deficit", "imports"],
    "money-fx": ["currency", "dollar", "yen", "intervention", "currencies"],
    "interest": ["rates", "rate", "interest", "prime", "lending"],
    "ship": ["ship", "ships", "shipping", "vessel", "port"],
    "grain": ["wheat", "grain", "corn", "maize", "barley"],
    "coffee": ["coffee", "ico", "beans", "brazil", "growers"],
    "gold": ["gold", "ounces", "mine", "ore", "mining"],
}
TWENTY = TEN | {
    "money-supply": ["supply", "m1", "m2", "m3", "money"],
    "sugar": ["sugar", "beet", "cane", "raw", "sweetener"],
    "gnp": ["gnp", "gdp", "growth", "economy", "gross"],
    "cpi": ["inflation", "consumer", "cpi", "index", "prices"],
    "cocoa": ["cocoa", "icco", "buffer", "ghana", "chocolate"],
    "jobs": ["unemployment", "jobless", "jobs", "workers", "unemployed"],
    "copper": ["copper", "codelco", "cathode", "smelter", "cathodes"],
    "reserves": ["reserves", "reserve", "holdings", "sdrs", "foreign"],
    "iron-steel": ["steel", "iron", "steelworks", "tonnes", "mill"],
    "nat-gas": ["gas", "pipeline", "cubic", "feet", "natural"],
}
LISTS = {
    "linux-man": ["man", "manual", "page", "pages", "groff"],
    "linux-raid": ["raid", "mdadm", "array", "raid5", "disks"],
    "usrp-users": ["usrp", "uhd", "ettus", "gnuradio", "fpga"],
    "linux-bluetooth": ["bluetooth", "bluez", "hci", "l2cap", "a2dp"],
    "selinux": ["selinux", "policy", "semanage", "libselinux", "selinuxfs"],
}
PROJECTS = {
    "wine": ["wine", "dll", "windows", "direct3d", "registry"],
    "postgres": ["postgres", "postgresql", "vacuum", "planner", "psql"],
    "django": ["django", "template", "admin", "queryset", "forms"],
    "sqlite": ["sqlite", "btree", "pager", "vdbe", "tcl"],
}
FIRST = 400
"""Characters of a message that are used."""


def counted(texts, labels, words_of, min_df) -> Newsgroups:
    """Return the counts of texts, their groups, and the columns of the words that occur."""
    corpus = Corpus.from_texts(texts, min_df=min_df, max_df=0.5, keep_texts=False)
    words = [str(word) for word in corpus.vocabulary]
    place = {word: j for j, word in enumerate(words)}
    columns = {k: np.array([place[w] for w in own if w in place]) for k, own in enumerate(words_of.values())}
    return Newsgroups(sp.csr_matrix(corpus.counts), np.asarray(labels), words, columns, list(words_of))


def reuters(words_of=TEN) -> Newsgroups:
    """Return the documents with exactly one of the topics."""
    table = pq.read_table(real_data("reuters21578"), columns=["title", "text", "topics"]).to_pylist()
    kept = [(row, [t for t in row["topics"] or [] if t in words_of]) for row in table]
    kept = [(row, found[0]) for row, found in kept if len(found) == 1]
    texts = [f"{row['title'] or ''}\n{row['text'] or ''}" for row, _ in kept]
    return counted(texts, [list(words_of).index(label) for _, label in kept], words_of, 5)


def mail(text_of, n: int) -> Newsgroups:
    """Return `n` messages of each list, with the text that a function takes of a row."""
    table = pq.read_table(real_data("maillists_2019_2026"), columns=["label", "subject", "text"]).to_pylist()
    labels, rng = np.array([list(LISTS).index(row["label"]) for row in table]), np.random.default_rng(0)
    rows = np.sort(np.concatenate([rng.permutation(np.flatnonzero(labels == k))[:n] for k in range(len(LISTS))]))
    return counted([text_of(table[i]) for i in rows], labels[rows], LISTS, 3)


def commits() -> Newsgroups:
    """Return 20,000 commit messages."""
    table = pq.read_table(real_data("gitlog_2003_2008"), columns=["label", "subject", "text"]).to_pylist()
    rows = np.sort(np.random.default_rng(0).permutation(len(table))[:20_000])
    texts = [f"{table[i]['subject'] or ''}\n{table[i]['text'] or ''}" for i in rows]
    return counted(texts, [list(PROJECTS).index(table[i]["label"]) for i in rows], PROJECTS, 3)


CHOICE_SETS = {
    "Reuters, 20 topics": lambda: reuters(TWENTY),
    "mail, subjects": lambda: mail(lambda row: row["subject"] or "", 2000),
    "mail, first words": lambda: mail(lambda row: (row["text"] or "")[:FIRST], 2000),
    "commits": commits,
    "Reuters, 10 topics": reuters,
}
