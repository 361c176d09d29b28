import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.text import Tokenizer, WordCounter
from driftline.text.phrases import AdjacentPairs
from tests.oracles import phrases as oracle


def counted(texts, stop_words=(), parts=1):
    counter = WordCounter(Tokenizer(), pairs=AdjacentPairs(stop_words))
    for part in np.array_split(np.array(texts, dtype=object), parts):
        counter.add(part.tolist())
    counter.finish()
    return counter.phrases()


def simulated(seed, n=400):
    """Texts of few words, so that pairs meet often, with punctuation, hyphens and line ends between them."""
    rng = np.random.default_rng(seed)
    words = ["war", "peace", "sierra", "leone", "hong", "kong", "the", "in", "été", "x"]
    between = [" ", "-", "\n", ", ", "  ", " - ", "\t"]
    texts = []
    for _ in range(n):
        chosen = [str(rng.choice(words)) for _ in range(rng.integers(0, 9))]
        if rng.random() < 0.3:
            chosen += ["sierra", "leone"]
        texts.append("".join(word + str(rng.choice(between)) for word in chosen))
    return texts


@pytest.mark.parametrize("seed", range(5))
def test_phrases_are_those_of_the_definition(seed):
    texts = simulated(seed)
    expected = oracle.phrases(texts, {"the", "in"})
    found = counted(texts, ["the", "in"], parts=3)
    assert list(found.vocabulary) == list(expected)
    assert found.counts.toarray().T.tolist() == list(expected.values())


def test_the_limits_are_those_of_the_definition():
    others = [f"word{i}" for i in range(400)]
    assert list(counted(["sierra leone"] * 8 + others).vocabulary) == ["sierra leone"]
    assert list(counted(["sierra leone"] * 7 + others).vocabulary) == []
    # 8 of the 17 documents with the rarer word are fewer than half
    assert list(counted(["sierra leone"] * 8 + ["sierra", "leone"] * 8 + others).vocabulary) == ["sierra leone"]
    assert list(counted(["sierra leone"] * 8 + ["sierra", "leone"] * 9 + others).vocabulary) == []


def test_punctuation_and_stop_words_part_words():
    others = [f"word{i}" for i in range(40)]
    for text in ("sierra, leone", "sierra. leone", "sierra in leone", "sierra (leone", "sierra x leone"):
        assert list(counted([text] * 9 + others, ["in"]).vocabulary) == []
    for text in ("sierra-leone", "Sierra\nLeone", "sierra  leone"):
        assert list(counted([text] * 9 + others, ["in"]).vocabulary) == ["sierra leone"]


def test_words_are_counted_as_without_phrases():
    texts = simulated(1)
    plain, vocabulary = WordCounter(Tokenizer()), None
    plain.add(texts)
    counts, vocabulary = plain.finish()
    with_pairs = WordCounter(Tokenizer(), pairs=AdjacentPairs())
    with_pairs.add(texts)
    again, same = with_pairs.finish()
    assert same == vocabulary
    assert (again != counts).nnz == 0


def test_nothing_and_all_alike():
    assert counted(["", "!"] * 3 + ["word"]).counts.shape == (7, 0)
    assert list(counted(["sierra leone"] * 20).vocabulary) == []


def test_a_counter_without_pairs_says_so():
    counter = WordCounter()
    counter.add(["war"])
    with pytest.raises(InvalidInput, match="AdjacentPairs"):
        counter.phrases()
