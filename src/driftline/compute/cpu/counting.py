"""From UTF-8 bytes to word numbers to counted rows: the loops under `driftline.text`.

Words are found by a table of word characters, numbered by a hash table of byte strings, and counted row by row. The
owner of a table (`driftline.text.lexicon`) enlarges its arrays between calls, so functions here allocate only their
results.
"""

import numpy as np

from driftline.compute.jit import njit

GROUP = 64
"""Number of words that are looked up together."""


@njit(cache=True, nogil=True)
def find_words(data, offsets, is_word, min_length):
    """Return the starts and ends of all words, and the number of words before each row.

    A word is a maximal run of at least `min_length` word characters.

    Row r is the UTF-8 text ``data[offsets[r]:offsets[r + 1]]``; `is_word` contains for every code point (or only the
    128 of ASCII, if the text has no other) whether it is part of a word. A byte that is not valid UTF-8 ends a word.
    """
    n_rows = offsets.size - 1
    # A word takes its letters and, except for the last one of a row, one more byte that ends it.
    most = (offsets[n_rows] - offsets[0] + n_rows) // (min_length + 1)
    starts = np.empty(most, np.int64)
    ends = np.empty(most, np.int64)
    before = np.zeros(n_rows + 1, np.int64)
    n = 0
    for row in range(n_rows):
        i = offsets[row]
        stop = offsets[row + 1]
        while i < stop:
            begin = i
            length = 0
            width = 1
            while i < stop:
                code = np.int64(data[i])
                width = 1
                if code >= 128:
                    second = np.int64(data[i + 1]) if i + 1 < stop else 0
                    third = np.int64(data[i + 2]) if i + 2 < stop else 0
                    fourth = np.int64(data[i + 3]) if i + 3 < stop else 0
                    code, width = _code_point(code, second, third, fourth)
                if code < 0 or not is_word[code]:
                    break
                length += 1
                i += width
            if length >= min_length:
                starts[n] = begin
                ends[n] = i
                n += 1
            i += width
        before[row + 1] = n
    return starts[:n], ends[:n], before


@njit(cache=True, nogil=True)
def mark_adjacent(data, starts, ends, offsets):
    """Return for each word whether the next one of its row follows after only one or two spaces, hyphens or line ends.

    The words are those of `find_words`: word k is ``data[starts[k]:ends[k]]`` and row r has the words ``offsets[r]`` to
    ``offsets[r + 1]``.
    """
    adjacent = np.zeros(starts.size, np.bool_)
    for row in range(offsets.size - 1):
        for k in range(offsets[row], offsets[row + 1] - 1):
            gap = starts[k + 1] - ends[k]
            joined = gap <= 2
            for i in range(ends[k], ends[k] + min(gap, 2)):
                joined &= data[i] == 32 or data[i] == 45 or data[i] == 10 or data[i] == 9
            adjacent[k] = joined
    return adjacent


@njit(cache=True, nogil=True)
def find_marked(data, offsets, mark):
    """Return the starts and ends of all marked words, and the number of words before each row.

    In every row the marks come in pairs: one before and one after each word. An empty match is not a word.
    """
    n_rows = offsets.size - 1
    most = 0
    for i in range(offsets[0], offsets[n_rows]):
        most += data[i] == mark
    starts = np.empty(most // 2, np.int64)
    ends = np.empty(most // 2, np.int64)
    before = np.zeros(n_rows + 1, np.int64)
    n = 0
    for row in range(n_rows):
        begin = np.int64(-1)
        for i in range(offsets[row], offsets[row + 1]):
            if data[i] == mark:
                if begin < 0:
                    begin = i + 1
                else:
                    if i > begin:
                        starts[n] = begin
                        ends[n] = i
                        n += 1
                    begin = -1
        before[row + 1] = n
    return starts[:n], ends[:n], before


@njit(cache=True, nogil=True)
def number_words(data, starts, ends, table, n_words):
    """Return the number of each word ``data[starts[k]:ends[k]]``, and the number of distinct words in the table.

    A new word gets the next number. The table must have enough free slots.
    """
    # The table is unpacked and the look-up is inlined: passing the arrays to a function would double the cost per word.
    letters, word_ends, hashes, slots, key = table
    mask = np.uint64(slots.size - 1)
    numbers = np.empty(starts.size, np.int32)
    codes = np.empty(GROUP, np.uint64)
    guesses = np.empty(GROUP, np.int32)
    agrees = np.empty(GROUP, np.bool_)
    places = np.empty(GROUP, np.int64)
    for first in range(0, starts.size, GROUP):
        size_of_group = min(GROUP, starts.size - first)
        for k in range(size_of_group):
            codes[k] = _keyed_hash(data, starts[first + k], ends[first + k], key)
        # A large table is slow because each look-up waits for memory. Independent loads are therefore issued first, for
        # a group of words at a time; the look-ups below then hit the cache.
        for k in range(size_of_group):
            guesses[k] = slots[codes[k] & mask]
        for k in range(size_of_group):
            word = max(guesses[k], 0)
            agrees[k] = hashes[word] == codes[k]
            places[k] = word_ends[word]
        for k in range(size_of_group):
            start = starts[first + k]
            size = ends[first + k] - start
            slot = codes[k] & mask
            while True:
                word = slots[slot]
                if word < 0:
                    word = np.int32(n_words)
                    place = word_ends[n_words]
                    for i in range(size):
                        letters[place + i] = data[start + i]
                    word_ends[n_words + 1] = place + size
                    hashes[n_words] = codes[k]
                    slots[slot] = word
                    n_words += 1
                    break
                guessed = word == guesses[k]
                if agrees[k] if guessed else hashes[word] == codes[k]:
                    place = places[k] if guessed else word_ends[word]
                    same = word_ends[word + 1] - place == size
                    i = 0
                    while same and i < size:
                        same = letters[place + i] == data[start + i]
                        i += 1
                    if same:
                        break
                slot = (slot + np.uint64(1)) & mask
            numbers[first + k] = word
    return numbers, n_words


@njit(cache=True, nogil=True)
def spell_ngrams(words, offsets, shortest, longest, table):
    """Return all n-grams as slices of one text: the text, their starts and ends, and the number before each row.

    Row r has the words ``words[offsets[r]:offsets[r + 1]]`` of the table. Its n-grams are ordered by length, and by
    position within a length; the words of an n-gram are separated by one space.
    """
    n_rows = offsets.size - 1
    size = 0
    for k in range(offsets[0], offsets[n_rows]):
        size += table.ends[words[k] + 1] - table.ends[words[k]] + 1
    most = 0
    for row in range(n_rows):
        for n in range(shortest, longest + 1):
            most += max(0, offsets[row + 1] - offsets[row] - n + 1)
    text = np.empty(size, np.uint8)
    starts = np.empty(most, np.int64)
    ends = np.empty(most, np.int64)
    before = np.zeros(n_rows + 1, np.int64)
    places = np.empty(offsets[n_rows] - offsets[0] + 1, np.int64)
    places[0] = 0
    size = 0
    for k in range(offsets[0], offsets[n_rows]):
        for i in range(table.ends[words[k]], table.ends[words[k] + 1]):
            text[size] = table.letters[i]
            size += 1
        text[size] = 32
        size += 1
        places[k - offsets[0] + 1] = size
    m = 0
    for row in range(n_rows):
        first = offsets[row] - offsets[0]
        length = offsets[row + 1] - offsets[row]
        for n in range(shortest, longest + 1):
            for k in range(first, first + length - n + 1):
                starts[m] = places[k]
                ends[m] = places[k + n] - 1
                m += 1
        before[row + 1] = m
    return text, starts, ends, before


@njit(cache=True, nogil=True)
def refill_slots(hashes, slots):
    """Put words 0, 1, … with these hashes into the empty slots of a larger table."""
    mask = np.uint64(slots.size - 1)
    for word in range(hashes.size):
        slot = hashes[word] & mask
        while slots[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = word


@njit(cache=True, nogil=True)
def keep_known(numbers, offsets, translation):
    """Translate numbers, drop those that become negative, and return the rest with the rows' new offsets."""
    kept = np.empty(numbers.size, np.int32)
    before = np.zeros(offsets.size, np.int64)
    n = 0
    for row in range(offsets.size - 1):
        for k in range(offsets[row], offsets[row + 1]):
            number = translation[numbers[k]]
            kept[n] = number
            n += number >= 0
        before[row + 1] = n
    return kept[:n], before


@njit(cache=True, nogil=True)
def count_rows(numbers, offsets, latest, base, n_documents, n_uses):
    """Return the distinct numbers of every row in order of appearance, the count of each, and the rows' offsets.

    `latest` contains for every number its last output position (offset by `base`), so that rows need no separate
    tables; `n_documents` and `n_uses` are incremented. A number beyond the end of `latest` is not counted.
    """
    distinct = np.empty(numbers.size, np.int32)
    counts = np.empty(numbers.size, np.int32)
    before = np.zeros(offsets.size, np.int64)
    n = 0
    for row in range(offsets.size - 1):
        first = n
        for k in range(offsets[row], offsets[row + 1]):
            number = numbers[k]
            if number >= latest.size:
                continue
            place = latest[number] - base
            if place >= first:
                counts[place] += 1
            else:
                latest[number] = base + n
                distinct[n] = number
                counts[n] = 1
                n_documents[number] += 1
                n += 1
            n_uses[number] += 1
        before[row + 1] = n
    return distinct[:n], counts[:n], before


@njit(cache=True, nogil=True)
def place_rows(distinct, counts, offsets, column_of, indices, data, row_ends, filled):
    """Write counted rows into the arrays of a CSR matrix starting at `filled`, and return the new end.

    Numbers become columns; those without one (−1) are left out, and every row is sorted by column.
    """
    for row in range(offsets.size - 1):
        first = filled
        for k in range(offsets[row], offsets[row + 1]):
            column = column_of[distinct[k]]
            if column < 0:
                continue
            indices[filled] = column
            data[filled] = counts[k]
            filled += 1
        _sort_pairs(indices, data, first, filled)
        row_ends[row] = filled
    return filled


@njit(cache=True, nogil=True)
def _sort_pairs(keys, values, first, stop):
    """Sort ``keys[first:stop]`` and the values with them by Shell's sort, which is insertion sort on short rows."""
    gap = 1
    while 9 * gap < stop - first:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(first + gap, stop):
            key = keys[k]
            value = values[k]
            j = k - gap
            while j >= first and keys[j] > key:
                keys[j + gap] = keys[j]
                values[j + gap] = values[j]
                j -= gap
            keys[j + gap] = key
            values[j + gap] = value
        gap //= 3


@njit(cache=True, nogil=True)
def _code_point(first, second, third, fourth):
    """Return the code point at the beginning of four bytes of UTF-8 and its width in bytes; (−1, 1) if there is none.

    Bytes beyond the end of the text are given as 0.
    """
    invalid = (-1, 1)
    if second & 0xC0 != 0x80:
        return invalid
    code = ((first & 0x1F) << 6) | (second & 0x3F)
    if 0xC2 <= first < 0xE0:
        return code, 2
    if first < 0xE0 or third & 0xC0 != 0x80:
        return invalid
    code = ((first & 0x0F) << 12) | ((second & 0x3F) << 6) | (third & 0x3F)
    if first < 0xF0:
        return (code, 3) if code >= 0x800 and not 0xD800 <= code < 0xE000 else invalid
    code = ((first & 0x07) << 18) | ((second & 0x3F) << 12) | ((third & 0x3F) << 6) | (fourth & 0x3F)
    if fourth & 0xC0 == 0x80 and first < 0xF5 and 0x10000 <= code < 0x110000:
        return code, 4
    return invalid


@njit(cache=True, nogil=True)
def _sip_round(a, b, c, d):
    a += b
    b = ((b << np.uint64(13)) | (b >> np.uint64(51))) ^ a
    a = (a << np.uint64(32)) | (a >> np.uint64(32))
    c += d
    d = ((d << np.uint64(16)) | (d >> np.uint64(48))) ^ c
    a += d
    d = ((d << np.uint64(21)) | (d >> np.uint64(43))) ^ a
    c += b
    b = ((b << np.uint64(17)) | (b >> np.uint64(47))) ^ c
    c = (c << np.uint64(32)) | (c >> np.uint64(32))
    return a, b, c, d


@njit(cache=True, nogil=True)
def _keyed_hash(data, start, end, key):
    """Return SipHash-1-3 of ``data[start:end]``: without the key, documents with colliding words cannot be crafted."""
    a = key[0] ^ np.uint64(0x736F6D6570736575)
    b = key[1] ^ np.uint64(0x646F72616E646F6D)
    c = key[0] ^ np.uint64(0x6C7967656E657261)
    d = key[1] ^ np.uint64(0x7465646279746573)
    i = start
    while i + 8 <= end:
        block = np.uint64(0)
        for k in range(8):
            block |= np.uint64(data[i + k]) << np.uint64(8 * k)
        d ^= block
        a, b, c, d = _sip_round(a, b, c, d)
        a ^= block
        i += 8
    block = np.uint64((end - start) & 0xFF) << np.uint64(56)
    for k in range(end - i):
        block |= np.uint64(data[i + k]) << np.uint64(8 * k)
    d ^= block
    a, b, c, d = _sip_round(a, b, c, d)
    a ^= block
    c ^= np.uint64(0xFF)
    for _ in range(3):
        a, b, c, d = _sip_round(a, b, c, d)
    return a ^ b ^ c ^ d
