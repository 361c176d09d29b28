"""The words that fill the slots of the simulated newswire's sentences and do not change over the year.

Every list is ordered from the most common word to the rarest; word r is drawn with probability proportional to 1 / (r +
2), which gives the long tail of real text. No digits or apostrophes, so that all common tokenisers find the same words.
"""

from __future__ import annotations

from itertools import product

import numpy as np

ADJECTIVES = (
    "strong", "new", "surprising", "weak", "difficult", "careful", "bitter", "late", "modest", "steady",
    "sharp", "quiet", "rare", "dramatic", "mixed", "heavy", "promising", "rapid", "serious", "narrow", "fresh",
    "disappointing", "robust", "tense", "brief", "curious", "remarkable", "fierce", "gloomy", "hopeful",
    "controversial", "historic", "dull", "lively", "painful", "thorough", "puzzling", "welcome", "familiar",
    "brilliant", "clumsy", "decisive", "fragile", "gradual", "harsh", "lengthy", "lasting", "massive",
    "nervous", "patchy", "reckless", "savage", "timely", "bumpy", "vital", "worrying", "bold", "chaotic",
    "delicate", "frantic",
)  # fmt: skip

NOUNS = (
    "report", "decision", "plan", "result", "move", "agreement", "change", "announcement", "project",
    "proposal", "delay", "meeting", "letter", "figure", "problem", "review", "deal", "visit", "answer",
    "mistake", "success", "speech", "step", "inquiry", "survey", "contract", "estimate", "programme", "scheme",
    "target", "victory", "warning", "verdict", "complaint", "gesture", "blunder", "bargain", "compromise",
    "discovery", "experiment", "failure", "incident", "judgment", "milestone", "outcome", "petition",
    "recovery", "setback", "strategy", "transfer", "venture", "pledge", "rehearsal", "shortcut", "tribute",
    "upheaval", "wager", "riddle", "parade", "mishap",
)  # fmt: skip

FIRST_NAMES = (
    "Maria", "John", "Anna", "David", "Amina", "Peter", "Laura", "James", "Chen", "Sofia", "Daniel", "Ruth",
    "Omar", "Helen", "Victor", "Nadia", "Thomas", "Grace", "Ivan", "Clara", "Samuel", "Leila", "Martin", "Rosa",
    "Paul", "Yuki", "Oscar", "Irene", "Felix", "Joan", "Hugo", "Vera", "Simon", "Alma", "Bruno", "Edith",
    "Tariq", "Wilma", "Gideon", "Petronella",
)  # fmt: skip

SECTORS = (
    "energy", "retail", "banking", "mining", "transport", "insurance", "property", "media", "food", "chemical",
    "shipping", "textile", "timber", "tourism", "steel", "fishing", "brewing", "paper",
)  # fmt: skip

AMOUNTS = (
    "two", "three", "five", "four", "ten", "six", "eight", "seven", "twelve", "twenty", "nine", "fifteen",
    "thirty", "eleven", "forty", "fifty", "sixteen", "eighteen", "sixty", "ninety", "seventy", "eighty",
    "fourteen", "nineteen",
)  # fmt: skip

HABITS = (
    "smoking",
    "sleep",
    "sitting",
    "drinking",
    "stress",
    "noise",
    "loneliness",
    "commuting",
    "snacking",
    "overtime",
)
BODY_PARTS = ("knee", "shoulder", "ankle", "back", "hip", "wrist", "groin", "calf", "elbow", "thumb")
ORDINALS = ("third", "second", "first", "fourth", "final", "fifth", "sixth", "seventh", "opening", "eighth")
COMPASS = ("north", "south", "west", "east", "eastern", "western", "northern", "southern")
MOVES = (
    "rose",
    "fell",
    "climbed",
    "dropped",
    "gained",
    "slipped",
    "jumped",
    "eased",
    "surged",
    "plunged",
    "edged",
    "sank",
)


def _joined(beginnings: str, endings: str, order: int) -> tuple[str, ...]:
    """Join every beginning with every ending into an invented name; `order` fixes which names are common."""
    names = [first + last for first, last in product(beginnings.split(), endings.split())]
    return tuple(names[i] for i in np.random.default_rng(order).permutation(len(names)))


PLACES = _joined(
    "Ash Bram Cald Dun Elm Fern Glen Hazel Iver Kings Lang Mar North Oak Pem Quarry Raven Stan Thorn Wal Wester Yar",
    "bridge burn bury by combe field ford gate ham haven ley mere mouth pool port stead stow ton wick worth",
    order=1,
)
SURNAMES = _joined(
    "And Ben Car Dal Eri Fal Gar Hen Jans Kell Lind Mor Nor Olm Pet Ros Sand Tor Vand Wes",
    "ale berg ders dini er erson ett ides in man more ova owski sen ski stein",
    order=2,
)
FIRMS = tuple(
    f"{name} {kind}"
    for kind, name in product(
        ("Group", "Partners", "Holdings", "Laboratories", "Systems", "Works"),
        _joined("Al Bor Cor Dex Em Fin Hal Lum Nor Syl Tri Vel", "bion dane gent lix mark quist ris tec van", order=3)[
            :20
        ],
    )
)

STEADY_SLOTS: dict[str, tuple[str, ...]] = {
    "adjective": ADJECTIVES,
    "amount": AMOUNTS,
    "body_part": BODY_PARTS,
    "compass": COMPASS,
    "firm": FIRMS,
    "first_name": FIRST_NAMES,
    "habit": HABITS,
    "moved": MOVES,
    "noun": NOUNS,
    "ordinal": ORDINALS,
    "other_place": PLACES[::-1],
    "place": PLACES,
    "sector": SECTORS,
    "surname": SURNAMES,
}
"""Words of each slot whose probabilities are constant over the year."""
