"""Changes of the simulated newswire: the slots with drifting words, and the events.

Every word here is a single token, so the length of a story does not depend on time, and the topics keep their shares:
a word outside these slots has exactly the same probability all year.
"""

from __future__ import annotations

from driftline.datasets.courses import Course, Event, change, season

STORM = Event("Storm Petra", "weather", first_day=40, last_day=56, intensity=1.1)
OUTBREAK = Event("Marlowe fever", "health", first_day=117, last_day=159, intensity=0.6)
ELECTION = Event("General election", "politics", first_day=252, last_day=273, intensity=1.3)
EVENTS = (STORM, OUTBREAK, ELECTION)

DRIFTING_SLOTS: dict[str, dict[str, tuple[float, Course | None]]] = {
    "market_theme": {
        "inflation": (5.0, change(-2.6, day=190, width=45)),
        "exports": (2.0, None),
        "wages": (1.6, None),
        "housing": (1.4, None),
        "dividends": (1.2, None),
        "mergers": (1.0, None),
        "tariffs": (0.25, change(3.2, day=225, width=40)),
        "harvests": (0.5, season(2.2, peak=245)),
        "flooding": (0.04, STORM.lifts(5.8)),
        "quarantine": (0.02, OUTBREAK.lifts(5.4)),
        "election": (0.05, ELECTION.lifts(6.0)),
    },
    "politics_theme": {
        "pensions": (2.2, None),
        "schools": (2.0, None),
        "transport": (1.6, None),
        "taxes": (1.4, None),
        "borders": (1.0, change(1.6, day=120, width=30)),
        "corruption": (1.6, change(-2.4, day=150, width=35)),
        "Petra": (0.02, STORM.lifts(6.2)),
        "flooding": (0.04, STORM.lifts(5.4)),
        "quarantine": (0.03, OUTBREAK.lifts(5.2)),
        "election": (0.06, ELECTION.lifts(6.2)),
        "candidates": (0.08, ELECTION.lifts(5.2)),
        "turnout": (0.03, ELECTION.lifts(6.0)),
        "polling": (0.06, ELECTION.lifts(5.8)),
    },
    "leader": {
        "Hallam": (1.0, change(-6.0, day=266, width=4)),
        "Okafor": (0.05, change(6.0, day=266, width=4)),
    },
    "sport_kind": {
        "football": (3.0, season(1.2, peak=10)),
        "rugby": (1.4, None),
        "cricket": (0.5, season(2.6, peak=200)),
        "tennis": (0.8, season(1.8, peak=180)),
        "cycling": (0.4, season(2.4, peak=205)),
        "skiing": (0.15, season(3.6, peak=25)),
        "basketball": (1.2, None),
        "athletics": (0.8, None),
    },
    "illness": {
        "influenza": (0.3, season(3.0, peak=15)),
        "asthma": (1.4, None),
        "diabetes": (2.0, None),
        "dementia": (1.5, None),
        "allergies": (0.25, season(2.8, peak=135)),
        "obesity": (1.3, None),
        "Marlowe": (0.05, OUTBREAK.lifts(5.8)),
        "fever": (0.10, OUTBREAK.lifts(4.4)),
    },
    "remedy": {
        "surgery": (2.0, None),
        "screening": (1.6, None),
        "exercise": (1.4, None),
        "telehealth": (0.25, change(3.0, day=170, width=50)),
        "antibiotics": (1.6, change(-1.8, day=210, width=40)),
        "vaccines": (0.20, OUTBREAK.lifts(4.2)),
        "quarantine": (0.06, OUTBREAK.lifts(5.2)),
    },
    "device": {
        "Orbit": (4.0, change(-5.0, day=160, width=22)),
        "Nova": (0.08, change(5.0, day=160, width=22)),
        "Cirrus": (1.0, None),
        "Tandem": (0.8, None),
    },
    "tech_theme": {
        "chips": (1.8, None),
        "batteries": (1.6, None),
        "satellites": (1.0, None),
        "robots": (1.4, None),
        "assistants": (0.2, change(3.6, day=200, width=55)),
        "headsets": (2.4, change(-2.8, day=140, width=45)),
        "drones": (0.5, change(2.0, day=90, width=25)),
    },
    "sky": {
        "rain": (3.0, None),
        "wind": (2.4, None),
        "clouds": (1.6, None),
        "snow": (0.1, season(4.2, peak=20)),
        "frost": (0.1, season(3.6, peak=0)),
        "heat": (0.1, season(4.2, peak=205)),
        "drought": (0.1, season(3.4, peak=235)),
        "fog": (0.2, season(2.6, peak=310)),
        "Petra": (0.02, STORM.lifts(8.2)),
        "gales": (0.10, STORM.lifts(6.2)),
        "flooding": (0.10, STORM.lifts(6.0)),
    },
}
"""Slot → word → (weight, course of its logarithm); the weights of a slot are normalised at every time."""
