import numpy as np
import pyarrow as pa

from driftline.text.lexicon import Lexicon


def _array(words):
    return pa.array(words, pa.large_string())


def test_numbers_are_those_of_a_dictionary_for_any_division_of_the_words():
    rng = np.random.default_rng(0)
    words = [f"{'é' * (n % 5)}{n}" for n in rng.zipf(1.3, size=20_000) % 7000]
    distinct = list(dict.fromkeys(words))
    expected = [{word: n for n, word in enumerate(distinct)}[word] for word in words[:50]]
    lexicon = Lexicon()
    numbers = []
    start = 0
    for size in [0, 1, 10, 3000, 1, 9000, 20_000]:
        numbers.append(lexicon.number(_array(words[start : start + size])))
        start += size
    numbers = np.concatenate(numbers)
    assert len(lexicon) == len(distinct)
    assert numbers[:50].tolist() == expected
    assert lexicon.words().take(pa.array(numbers)).to_pylist() == words
    assert lexicon.words(10).to_pylist() == distinct[10:]


def test_words_handed_out_do_not_change_when_the_lexicon_grows():
    lexicon = Lexicon()
    lexicon.number(_array(["war", "peace"]))
    before = lexicon.words()
    lexicon.number(_array([str(n) for n in range(5000)]))
    assert before.to_pylist() == ["war", "peace"]


def test_the_empty_word_and_empty_arrays_are_words_like_others():
    lexicon = Lexicon()
    assert lexicon.number(_array([])).tolist() == []
    assert lexicon.words().to_pylist() == []
    assert lexicon.number(_array(["", "a", ""])).tolist() == [0, 1, 0]
    assert lexicon.words().to_pylist() == ["", "a"]


def test_a_slice_of_an_array_is_read_from_its_offset():
    assert Lexicon().number(_array(["x", "a", "b", "a", "y"])[1:4]).tolist() == [0, 1, 0]


def test_keys_differ_and_numbers_do_not_depend_on_them():
    one, other = Lexicon(), Lexicon()
    assert one.table.key.tolist() != other.table.key.tolist()
    words = _array([str(n) for n in range(1000)])
    assert one.number(words).tolist() == other.number(words).tolist()
