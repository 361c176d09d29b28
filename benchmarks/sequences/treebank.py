"""The sentences of the benchmarks: UD English EWT (parts of speech, some dated) and CoNLL-2000 (chunks)."""

from __future__ import annotations

import pyarrow.parquet as pq

from benchmarks.measure import real_data


def treebank(column="upos"):
    """Return (sentences, tags) of the parts train, dev and test."""
    rows = pq.read_table(real_data("ud_english_ewt"), columns=["split", "tokens", column]).to_pylist()
    return {
        split: tuple([row[name] for row in rows if row["split"] == split] for name in ("tokens", column))
        for split in ("train", "dev", "test")
    }


def chunks():
    """Return (sentences of rows of a word and its part of speech, tags of chunks) of the parts train and test."""
    rows = pq.read_table(real_data("conll2000")).to_pylist()
    return {
        split: (
            [list(zip(row["tokens"], row["pos"])) for row in rows if row["split"] == split],
            [row["chunk"] for row in rows if row["split"] == split],
        )
        for split in ("train", "test")
    }


def bio_names(tags):
    """Return runs of proper nouns as names: B-NAME, I-NAME and O.

    >>> bio_names(["PROPN", "PROPN", "VERB"])
    ['B-NAME', 'I-NAME', 'O']
    """
    return [
        "O" if tag != "PROPN" else "I-NAME" if place and tags[place - 1] == "PROPN" else "B-NAME"
        for place, tag in enumerate(tags)
    ]


def main():
    """Print what there is."""
    for split, (sentences, _) in treebank().items():
        print(f"{split}: {len(sentences):,} sentences, {sum(map(len, sentences)):,} words")


if __name__ == "__main__":
    main()
