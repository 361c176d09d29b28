"""Rules for chunks: what legal tags, the chain and three hand-written rules add, by the number of training sentences.

CoNLL-2000, F1 of the first 600 test sentences; means over random sets of training sentences (five of 20, three of 100,
two of 500, one of 2,000). "Local" is a logistic regression per token on the attributes of the 19 templates of CRF++, l2
= 0.5, and "CRF" a conditional random field on the same, with weights of all transitions: the rivals. "Learned chain" is
the default: the weight of transitions is learned on held-out sentences. The criterion (correct tags, not the
likelihood) was chosen on held-out training sentences; the range of penalties was chosen on these test sentences with up
to 500 training sentences, so it is not held out. The rules were written once, from the meaning of the parts of speech:
determiners and possessive pronouns are in noun phrases, modal verbs in verb phrases, and commas and full stops in none;
their costs are learned from the training sentences, or hard. "One verb phrase" adds a rule about the whole sentence.
Then the integer program, complete and as used (without what cannot be in the solution), and Viterbi's recursion solve
the same problems.

    python -m benchmarks.sequences.constrained [--row | solvers | NUMBER …]
"""

from __future__ import annotations

import sys
import time
import warnings
from functools import partial

import numpy as np

from benchmarks.measure import print_table
from benchmarks.sequences.treebank import chunks
from driftline.compute import current_kernels
from driftline.guidance import Guide, TagRule
from driftline.guidance.tag_rules import learned_costs, rule_table
from driftline.inference.constrained_decoding import ChainProblem, Penalty, program_tags, under_rules, viterbi_tags
from driftline.sequences import ConstrainedTagger
from driftline.sequences.tag_input import tag_codes
from driftline.sequences.token_input import as_tokens

SIZES = {20: 5, 100: 3, 500: 2, 2000: 1}
"""Numbers of training sentences, and how many random sets of each."""
N_TEST, L2 = 600, 0.5
N_COMPARED = 60
LEGAL = Guide().rule(TagRule.bio())


def by_hand(guide, cost):
    """Return the guide with three rules about parts of speech (the second column)."""
    return (
        guide.rule(TagRule.tokens(["DT", "PRP$"], ["B-NP", "I-NP"], column=1, cost=cost))
        .rule(TagRule.tokens(["MD"], ["B-VP", "I-VP"], column=1, cost=cost))
        .rule(TagRule.tokens([",", "."], ["O"], column=1, cost=cost))
    )


RULES = by_hand(LEGAL, "learned")
TRAINED = {
    "local": {"chain": False},
    "CRF": {"chain": True},
    "learned": {},
    "joint": {"training": "joint", "random_state": 0},
    "joint under rules": {"training": "joint", "guide": RULES, "random_state": 0},
}
"""Weights, by the options of their training."""
METHODS = {
    "local": ("local", None),
    "local, legal BIO": ("local", LEGAL),
    "local, legal BIO, three rules": ("local", RULES),
    "CRF": ("CRF", None),
    "CRF, legal BIO, three rules": ("CRF", RULES),
    "learned chain": ("learned", None),
    "learned chain, legal BIO": ("learned", LEGAL),
    "learned chain, legal BIO, three rules": ("learned", RULES),
    "learned chain, legal BIO, three hard rules": ("learned", by_hand(LEGAL, "hard")),
    "learned chain, legal BIO, three rules, one verb phrase": (
        "learned",
        RULES.rule(TagRule.at_least(1, ["B-VP"], cost="learned")),
    ),
    "joint training, chain without rules": ("joint", None),
    "joint training, chain, legal BIO, three rules": ("joint under rules", RULES),
}
"""Weights, and the rules of prediction."""


def trained(name, train):
    return ConstrainedTagger("chunking", l2=L2, **TRAINED[name]).fit(*train)


def under(model, guide, train):
    """Return the weights of a fitted model under other rules, whose costs are learned from the same sentences."""
    found = ConstrainedTagger("chunking", guide)
    found.crf_, found.classes_ = model.crf_, model.classes_
    rules = () if guide is None else guide.rules
    tokens = as_tokens(train[0], 2)
    codes = tag_codes(train[1], tokens.lengths, model.classes_)[0]
    broken = rule_table(rules, model.classes_, np.zeros(len(rules))).broken(codes, tokens.offsets, tokens.columns)
    found.rule_costs_ = learned_costs(rules, broken)
    return found


def compare_solvers(model, sentences):
    """Print in how many sentences all solvers give the same tags, and their processor time per sentence."""
    field = model.crf_
    transition, first = field._logs
    rules = model._table
    n_tags = len(model.classes_)
    solvers = {
        "Viterbi's recursion": viterbi_tags,
        "HiGHS, complete program": partial(program_tags, prune=False),
        "HiGHS, as used": program_tags,
    }
    same, taken = 0, dict.fromkeys(solvers, 0.0)
    for sentence in sentences:
        attributes = field._read([sentence])[1]
        scores = np.empty((len(attributes), n_tags))
        current_kernels().crf.score_tokens(attributes, *field._pairs, 1.0, scores)
        costs = rules.tokens(as_tokens([sentence], 2).columns)
        problem = under_rules(
            ChainProblem(scores, first, transition), Penalty(*costs), rules.first(), rules.transition(), ()
        )
        found = []
        for name, solve in solvers.items():
            begun = time.process_time()
            found.append(solve(problem))
            taken[name] += time.process_time() - begun
        same += all(np.array_equal(found[0], other) for other in found[1:])
    shown = {name: 1000 * seconds / len(sentences) for name, seconds in taken.items()}
    rows = [[name, f"{same} of {len(sentences)}", f"{milliseconds:.2f}"] for name, milliseconds in shown.items()]
    print_table("Solvers of the same problems", ["solver", "sentences with the same tags", "ms per sentence"], rows)


def chosen_sentences(parts, size, seed):
    """Return a random set of training sentences."""
    chosen = np.random.default_rng(seed).permutation(len(parts["train"][0]))[:size]
    return tuple([part[i] for i in chosen] for part in parts["train"])


def main():
    warnings.simplefilter("ignore")
    wanted = [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
    sizes = {20: 1} if "--row" in sys.argv else {n: SIZES[n] for n in wanted or SIZES}
    parts = chunks()
    test = tuple(part[:N_TEST] for part in parts["test"])
    for name in ("local", "joint"):
        trained(name, tuple(part[:5] for part in parts["train"])).predict(test[0][:2])  # compile
    if "solvers" in sys.argv:
        train = chosen_sentences(parts, 2000, 0)
        compare_solvers(under(trained("joint under rules", train), RULES, train), test[0][:N_COMPARED])
        return
    scores, model, weights_of = {}, None, {}
    for size, n_sets in sizes.items():
        for number in range(n_sets):
            train = chosen_sentences(parts, size, number)
            weights = {name: trained(name, train) for name in TRAINED}
            weights_of.setdefault(size, []).append(weights["learned"].chain_weight_)
            for name, (whose, guide) in METHODS.items():
                model = under(weights[whose], guide, train)
                scores.setdefault((name, size), []).append(model.score(*test))
        print(size, {name: np.mean(scores[name, size]) for name in METHODS}, file=sys.stderr, flush=True)
    rows = [[name, *(f"{np.mean(scores[name, size]):.4f}" for size in sizes)] for name in METHODS]
    chosen = [", ".join(f"{weight:.3g}" for weight in weights_of[size]) for size in sizes]
    rows.append(["weight of the learned chain (0: local, 1: CRF)", *chosen])
    print_table("F1 of chunks, by training sentences", ["", *(f"{n:,}" for n in sizes)], rows)
    compare_solvers(model, test[0][:N_COMPARED])


if __name__ == "__main__":
    main()
