"""The 20 newsgroups with five hand-picked words each: the documents and seeds of the benchmarks of this folder."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp

from benchmarks.measure import real_data
from driftline.streams.corpus import Corpus

SEEDS = {
    "alt.atheism": ["atheism", "atheist", "atheists", "morality", "belief"],
    "comp.graphics": ["graphics", "image", "jpeg", "polygon", "3d"],
    "comp.os.ms-windows.misc": ["windows", "dos", "microsoft", "win3", "cica"],
    "comp.sys.ibm.pc.hardware": ["ide", "scsi", "motherboard", "bios", "controller"],
    "comp.sys.mac.hardware": ["mac", "apple", "centris", "quadra", "powerbook"],
    "comp.windows.x": ["motif", "widget", "x11r5", "xterm", "server"],
    "misc.forsale": ["sale", "shipping", "offer", "condition", "sell"],
    "rec.autos": ["car", "cars", "engine", "ford", "dealer"],
    "rec.motorcycles": ["bike", "motorcycle", "dod", "ride", "helmet"],
    "rec.sport.baseball": ["baseball", "pitcher", "mets", "braves", "pitching"],
    "rec.sport.hockey": ["hockey", "nhl", "playoff", "leafs", "goalie"],
    "sci.crypt": ["encryption", "clipper", "crypto", "nsa", "key"],
    "sci.electronics": ["circuit", "voltage", "amp", "electronics", "wire"],
    "sci.med": ["doctor", "disease", "patients", "medical", "medicine"],
    "sci.space": ["space", "nasa", "orbit", "shuttle", "moon"],
    "soc.religion.christian": ["christ", "church", "christians", "sin", "faith"],
    "talk.politics.guns": ["gun", "guns", "firearms", "weapon", "fbi"],
    "talk.politics.mideast": ["israel", "israeli", "turkish", "armenian", "arab"],
    "talk.politics.misc": ["president", "clinton", "tax", "government", "drugs"],
    "talk.religion.misc": ["jesus", "bible", "koresh", "mormon", "scripture"],
}
"""Five words for every group, chosen once from the names and subjects of the groups."""
OTHER_SEEDS = {
    "alt.atheism": ["god", "religion", "islam", "secular", "agnostic"],
    "comp.graphics": ["images", "gif", "rendering", "animation", "pixel"],
    "comp.os.ms-windows.misc": ["win", "ini", "drivers", "font", "nt"],
    "comp.sys.ibm.pc.hardware": ["card", "bus", "486", "drive", "isa"],
    "comp.sys.mac.hardware": ["macintosh", "duo", "simms", "lc", "nubus"],
    "comp.windows.x": ["window", "x11", "xlib", "openwindows", "client"],
    "misc.forsale": ["price", "selling", "obo", "asking", "forsale"],
    "rec.autos": ["toyota", "honda", "mustang", "automotive", "tires"],
    "rec.motorcycles": ["bikes", "bmw", "riding", "rider", "harley"],
    "rec.sport.baseball": ["hitter", "inning", "yankees", "phillies", "batting"],
    "rec.sport.hockey": ["penguins", "puck", "rangers", "stanley", "wings"],
    "sci.crypt": ["cryptography", "escrow", "pgp", "rsa", "wiretap"],
    "sci.electronics": ["voltages", "resistor", "circuits", "transistor", "battery"],
    "sci.med": ["symptoms", "treatment", "diet", "infection", "cancer"],
    "sci.space": ["launch", "satellite", "lunar", "spacecraft", "rocket"],
    "soc.religion.christian": ["christian", "catholic", "prayer", "resurrection", "lord"],
    "talk.politics.guns": ["firearm", "nra", "rifle", "pistol", "handgun"],
    "talk.politics.mideast": ["armenia", "turkey", "palestinian", "jews", "lebanon"],
    "talk.politics.misc": ["gay", "senate", "congress", "jobs", "liberal"],
    "talk.religion.misc": ["gospel", "biblical", "mormons", "prophet", "cult"],
}
"""Five other words for every group, written down after all settings had been fixed, before they were used."""
N_WORDS = 10_000


class Newsgroups(NamedTuple):
    """Counts of subject and body, the number of every document's group, the words, and the seeds' columns."""

    counts: Any
    labels: np.ndarray
    words: list[str]
    columns: dict[int, np.ndarray]
    names: list[str]


def newsgroups(share: float = 1.0, given: dict[str, list[str]] = SEEDS) -> Newsgroups:
    """Return the documents, or a random share of them, with the most frequent words and the given ones."""
    table = pq.read_table(real_data("20news_bydate"), columns=["subject", "text", "label"])
    texts = [
        f"{subject or ''}\n{text or ''}"
        for subject, text in zip(table["subject"].to_pylist(), table["text"].to_pylist())
    ]
    names = list(given)
    labels = np.array([names.index(label) for label in table["label"].to_pylist()])
    rows = np.sort(np.random.default_rng(0).permutation(len(texts))[: int(share * len(texts))])
    corpus = Corpus.from_texts([texts[i] for i in rows], min_df=5, max_df=0.5, keep_texts=False)
    said = np.asarray(corpus.counts.sum(axis=0)).ravel()
    seeds = {word for words in given.values() for word in words}
    every = [str(word) for word in corpus.vocabulary]
    ranked = sorted(range(len(every)), key=lambda j: (every[j] not in seeds, -said[j]))
    kept = np.sort(ranked[:N_WORDS])
    words = [every[j] for j in kept]
    place = {word: j for j, word in enumerate(words)}
    columns = {k: np.array([place[w] for w in given[name] if w in place]) for k, name in enumerate(names)}
    return Newsgroups(sp.csr_matrix(corpus.counts)[:, kept], labels[rows], words, columns, names)
