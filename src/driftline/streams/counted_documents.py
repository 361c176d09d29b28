"""Documents counted once for all purposes: words, phrases and stop words, each in separate columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp

from driftline.core.arrays import Bools, Counts
from driftline.core.errors import NoWords
from driftline.core.labels import label_codes
from driftline.streams.corpus import Corpus
from driftline.text.counts import WordCounter
from driftline.text.frequency import frequent_enough
from driftline.text.pattern import WordRuns
from driftline.text.phrases import AdjacentPairs
from driftline.text.tokenise import Tokenizer
from driftline.text.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class ExtraColumns:
    """Additional counts of a corpus: the same documents in the same order, other columns.

    These counts must not be added to the number of words of a document: uses of a phrase are uses of its words.
    """

    vocabulary: Vocabulary
    counts: Counts


@dataclass(frozen=True, eq=False)
class CountedDocuments:
    """A corpus of the words that are not stop words, and the phrases and stop words of the same documents."""

    corpus: Corpus
    phrases: ExtraColumns
    stop_words: ExtraColumns

    def with_phrases(self) -> Corpus:
        """Return the corpus with phrases, then stop words, as columns after those of the words.

        It is for methods that use one column at a time; its rows do not sum to numbers of words.
        """
        parts = (self.phrases, self.stop_words)
        counts = sp.csr_array(sp.hstack([self.corpus.counts, *(part.counts for part in parts)]))
        words = [*self.corpus.vocabulary.words, *(word for part in parts for word in part.vocabulary)]
        tokenizer = replace(self.corpus.tokenizer, stop_words=None)
        return replace(self.corpus, counts=counts, vocabulary=Vocabulary(words), tokenizer=tokenizer)


def count_documents(
    documents: pa.Table,
    counted: pa.ChunkedArray,
    tokenizer: Tokenizer,
    *,
    min_df: int | float = 1,
    max_df: int | float = 1.0,
    max_features: int | None = None,
) -> CountedDocuments:
    """Count the `counted` text of each document, in one pass; the corpus keeps the full texts.

    `documents` is a table of `driftline.streams.schema.SCHEMA` in time order, `counted` has one text per row of it.
    Phrases are found if the tokenizer returns single, unstemmed words; otherwise there are none.
    """
    plain = isinstance(tokenizer.word_finder, WordRuns) and tokenizer.ngram_range == (1, 1) and not tokenizer.stemmer
    pairs = AdjacentPairs(tokenizer.excluded) if plain else None
    counter = WordCounter(replace(tokenizer, stop_words=None) if plain else tokenizer, min_df=min_df, pairs=pairs)
    counter.add(counted)
    counts, vocabulary = counter.finish()
    stopped = pc.is_in(vocabulary.to_array(), value_set=pa.array(tokenizer.excluded, pa.large_string()))
    is_stopped = stopped.to_numpy(zero_copy_only=False)
    within = frequent_enough(
        np.where(is_stopped, 0, np.bincount(counts.indices, minlength=len(vocabulary))),
        np.asarray(counts.sum(axis=0)).ravel(),
        total_documents=len(documents),
        min_df=min_df,
        max_df=max_df,
        max_features=max_features,
    )
    if not within.any():
        raise NoWords(
            f"only stop words are left in {len(documents):,} documents with min_df={min_df!r} and "
            f"max_df={max_df!r}; change them, or the stop words"
        )
    chosen = _columns(counts, vocabulary, within)
    corpus = _corpus(documents, chosen, tokenizer)
    if pairs is None:
        phrases = ExtraColumns(Vocabulary([]), sp.csr_matrix((len(documents), 0), dtype=np.int32))
    else:
        phrases = ExtraColumns(*counter.phrases())
    return CountedDocuments(corpus, phrases, _columns(counts, vocabulary, is_stopped))


def _columns(counts: Counts, vocabulary: Vocabulary, keep: Bools) -> ExtraColumns:
    kept = vocabulary.prune(keep)
    return ExtraColumns(kept.vocabulary, counts[:, kept.kept])


def _corpus(documents: pa.Table, columns: ExtraColumns, tokenizer: Tokenizer) -> Corpus:
    codes, names = label_codes(documents["label"])
    return Corpus(
        columns.counts,
        pc.local_timestamp(documents["time"]).to_numpy(),
        columns.vocabulary,
        ids=documents["id"].cast(pa.large_string()),
        labels=codes if names else None,
        label_names=names,
        texts=documents["text"],
        tokenizer=tokenizer,
    )
