r"""Stories of a stream under a decayed Chinese restaurant process with Dirichlet-multinomial words.

The weight of story k is :math:`n_k(t) = \sum_{d \in k} e^{-(t - t_d)/\tau}`; its words have the prior
:math:`\mathrm{Dir}(A m)`, m being the shares of words in all documents so far. A document with counts x and length n
joins story k rather than a new one by the log odds

.. math:: \ln\frac{n_k(t)}{\alpha}
          + \ln\frac{(A)_n}{(A + N_k)_n} + \sum_v \ln\frac{(A m_v + c_{kv})_{x_v}}{(A m_v)_{x_v}},               (1)

with rising factorials :math:`(a)_n`. The sum has terms only for words that both have, so posting lists word → (story,
count) find all stories for which it is not zero.
"""

import math

import numpy as np

from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def _log_rising(a, n):
    """Return ln (a)_n."""
    return math.log(a) if n == 1.0 else math.lgamma(a + n) - math.lgamma(a)


@njit(cache=True, nogil=True)
def insert_stories(offsets, words, amounts, heads, nexts, owners):
    """Put the word counts of stories, one row each, into the lists; entry i of the rows is node i."""
    for k in range(len(offsets) - 1):
        for i in range(offsets[k], offsets[k + 1]):
            owners[i], nexts[i] = k, heads[words[i]]
            heads[words[i]] = i


@njit(cache=True, nogil=True)
def seat_documents(
    first, last, offsets, words, counts, times, n_uses, n_tokens, heads, nexts, owners, amounts, n_nodes,
    weights, latest, lengths, newest, n_stories, concentration, strength, decay, memory, learn, seats, targets, odds,
):  # fmt: skip
    """Assign documents `first` to `last` − 1 in their order, each to its most probable story; return the next story.

    Row d of `targets` receives the newest document of each of the most probable stories, best first, −1 where there are
    fewer, and `odds` their (1); the document joins the first if its odds are above 0, and else begins story `n_stories`
    (`seats`; −1 for a document without words). If `learn`, the arrays of stories and words are
    updated in place: decayed weight, time of the latest document, length and `newest` document of every story, uses of
    words. `n_tokens` has one element.
    """
    n_words, n_candidates = len(heads), targets.shape[1]
    gains, touched = np.zeros(len(weights), np.float64), np.empty(len(weights), np.int64)
    is_touched, chosen = np.zeros(len(weights), np.bool_), np.empty(n_candidates, np.int64)
    for d in range(first, last):
        begin, end = offsets[d], offsets[d + 1]
        seats[d] = -1
        targets[d] = -1
        odds[d] = -np.inf
        chosen[:] = -1
        if begin == end:
            continue
        length, n_touched = 0.0, 0
        for i in range(begin, end):
            length += counts[i]
        for i in range(begin, end):
            prior = strength * (n_uses[words[i]] + 1.0) / (n_tokens[0] + n_words)
            before, node = -1, heads[words[i]]
            while node >= 0:
                k = owners[node]
                if latest[k] < times[d] - memory:  # the story has ended
                    if learn and before < 0:
                        heads[words[i]] = nexts[node]
                    elif learn:
                        nexts[before] = nexts[node]
                else:
                    if not is_touched[k]:
                        is_touched[k] = True
                        touched[n_touched] = k
                        n_touched += 1
                    gains[k] += _log_rising(prior + amounts[node], counts[i]) - _log_rising(prior, counts[i])
                    before = node
                node = nexts[node]
        for j in range(n_touched):
            k = touched[j]
            score = gains[k] + _log_rising(strength, length) - _log_rising(strength + lengths[k], length)
            # ln of the decayed weight; its exponential might underflow
            score += math.log(weights[k] / concentration) + (latest[k] - times[d]) / decay  # (1)
            gains[k], is_touched[k] = 0.0, False
            place = n_candidates
            while place > 0 and (
                chosen[place - 1] < 0
                or score > odds[d, place - 1]
                or (score == odds[d, place - 1] and k > chosen[place - 1])
            ):
                place -= 1
            for c in range(n_candidates - 1, place, -1):
                chosen[c], odds[d, c] = chosen[c - 1], odds[d, c - 1]
            if place < n_candidates:
                chosen[place], odds[d, place] = k, score
        for c in range(n_candidates):
            targets[d, c] = newest[chosen[c]] if chosen[c] >= 0 else -1
        joins = chosen[0] >= 0 and odds[d, 0] > 0
        if not learn:
            seats[d] = chosen[0] if joins else -1
            continue
        story = chosen[0] if joins else n_stories
        seats[d] = story
        if story == n_stories:
            weights[story], latest[story], lengths[story] = 0.0, times[d], 0.0
            n_stories += 1
        weights[story] = weights[story] * math.exp((latest[story] - times[d]) / decay) + 1.0
        latest[story], newest[story] = times[d], d
        lengths[story] += length
        n_tokens[0] += length
        for i in range(begin, end):
            n_uses[words[i]] += counts[i]
            node = heads[words[i]]
            while node >= 0 and owners[node] != story:
                node = nexts[node]
            if node < 0:
                node = n_nodes
                n_nodes += 1
                owners[node], amounts[node], nexts[node] = story, 0.0, heads[words[i]]
                heads[words[i]] = node
            amounts[node] += counts[i]
    return n_stories
