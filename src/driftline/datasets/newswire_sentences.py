"""The sentences of the simulated newswire: its topics and their stories.

A sentence is text with slots in braces; `newswire_words` and `newswire_changes` define the words of each slot. A story
is one lead and up to two further sentences, of its topic or of a common stock.
"""

from __future__ import annotations

SHARES = {
    "markets": 0.20,
    "politics": 0.20,
    "sport": 0.18,
    "health": 0.14,
    "technology": 0.14,
    "weather": 0.14,
}
"""Share of stories per topic; constant over the year."""

LENGTHS = {1: 0.30, 2: 0.42, 3: 0.28}
"""Distribution of the number of sentences per story."""

STOCK_SHARE = 0.35
"""Probability that a further sentence comes from the stock rather than from the topic."""

LEADS: dict[str, tuple[str, ...]] = {
    "markets": (
        "shares in {firm} {moved} {amount} percent after it reported {adjective} figures on {market_theme}",
        "{market_theme} dominated trading in {place} as investors weighed {adjective} results from {firm}",
        "the central bank kept interest rates unchanged, saying {market_theme} remained its main concern",
        "{firm} agreed to buy a {sector} rival in {place} for {amount} million, betting on {market_theme}",
        "traders turned to {market_theme} on news of {adjective} demand for {sector} companies",
        "{sector} stocks {moved} for the {ordinal} day as fears over {market_theme} spread",
        "{firm} plans to cut {amount} hundred jobs in {place} and blames {market_theme}",
        "analysts at {firm} expect {market_theme} to shape the {sector} business this quarter",
    ),
    "politics": (
        "Prime Minister {leader} defended the government over {politics_theme} during {adjective} questions",
        "lawmakers in {place} voted on {politics_theme} after {amount} hours of {adjective} debate",
        "the opposition accused {leader} of neglecting {politics_theme} in {place}",
        "a committee led by {first_name} {surname} published {adjective} findings on {politics_theme}",
        "{first_name} {surname} resigned as minister after a row about {politics_theme}",
        "the mayor of {place} asked the government for help with {politics_theme}",
        "ministers met in {place} to settle a dispute about {politics_theme}",
        "{leader} promised {adjective} action on {politics_theme} before the winter",
    ),
    "sport": (
        "{place} beat {other_place} in the {ordinal} round of the {sport_kind} championship",
        "{first_name} {surname} scored {amount} points as {place} won a {adjective} {sport_kind} match",
        "{sport_kind} captain {first_name} {surname} will miss the {ordinal} game with a {body_part} injury",
        "a {adjective} finish gave {first_name} {surname} the {sport_kind} title in {place}",
        "{place} signed {sport_kind} player {first_name} {surname} for {amount} million",
        "rain and pride decided the {sport_kind} derby between {place} and {other_place}",
        "the {sport_kind} federation fined {place} after {adjective} scenes in the stadium",
    ),
    "health": (
        "doctors in {place} reported {adjective} progress against {illness} using {remedy}",
        "cases of {illness} {moved} by {amount} percent in {place}, the health ministry said",
        "a study of {amount} thousand patients links {illness} with {adjective} {habit}",
        "hospitals in {place} are short of {remedy} for people with {illness}",
        "researchers at {firm} say {remedy} may help patients with {illness}",
        "nurses in {place} warned that {illness} would put {adjective} pressure on wards",
        "{first_name} {surname}, a specialist in {illness}, called for more {remedy}",
    ),
    "technology": (
        "{firm} presented the {device}, a {adjective} phone built around {tech_theme}",
        "sales of the {device} {moved} by {amount} percent as buyers waited for {tech_theme}",
        "engineers in {place} demonstrated {adjective} {tech_theme} that could reach shops within {amount} months",
        "regulators opened an inquiry into {firm} and its use of {tech_theme}",
        "a {adjective} fault in the {device} exposed data of {amount} thousand customers",
        "{firm} will spend {amount} million on {tech_theme} at its campus in {place}",
        "schools in {place} are testing {tech_theme} together with the {device}",
    ),
    "weather": (
        "{sky} will reach {place} and {other_place} before the weekend, forecasters said",
        "{adjective} {sky} closed roads near {place} and delayed trains for {amount} hours",
        "the {ordinal} day of {sky} left {amount} hundred homes in {place} without power",
        "forecasters warned of {sky} along the {compass} coast",
        "farmers around {place} counted the cost of {adjective} {sky}",
        "temperatures in {place} {moved} by {amount} degrees as {sky} reached the {compass}",
        "rescue teams were called to {place} after {sky} surprised hikers",
    ),
}
"""The opening sentences of each topic, most frequent first."""

FOLLOW_UPS: dict[str, tuple[str, ...]] = {
    "markets": (
        "the {sector} index {moved} {amount} percent over the week",
        "bonds were little changed and oil {moved} slightly",
        "economists had expected more from {market_theme}",
        "{firm} declined to comment on {market_theme}",
        "the company employs {amount} thousand people in {place}",
        "investors said {market_theme} would decide the rest of the quarter",
    ),
    "politics": (
        "a vote on {politics_theme} is expected within {amount} weeks",
        "critics said the plan ignored {politics_theme}",
        "{leader} is due to speak in {place} again",
        "the coalition remains divided over {politics_theme}",
        "{first_name} {surname} of the opposition called the answer {adjective}",
        "demonstrators gathered outside parliament to protest about {politics_theme}",
    ),
    "sport": (
        "the {sport_kind} season continues in {place}",
        "{surname} thanked the supporters and praised a {adjective} defence",
        "coach {first_name} {surname} said the team had trained for {amount} weeks",
        "the crowd of {amount} thousand was the largest of the {sport_kind} year",
        "{place} now lead the table by {amount} points",
        "the {sport_kind} union will review the referee decision",
    ),
    "health": (
        "the ministry recommended {remedy} for older people",
        "experts said {illness} had become {adjective} in recent years",
        "clinics will offer {remedy} without appointment",
        "the trial of {remedy} runs for {amount} months",
        "patients with {illness} should see their doctor",
        "charities asked for more money for {remedy}",
    ),
    "technology": (
        "the {device} goes on sale in {amount} weeks",
        "developers praised the {adjective} tools for {tech_theme}",
        "rivals are investing in {tech_theme} as well",
        "the company said no {device} had been lost",
        "privacy groups remain worried about {tech_theme}",
        "analysts called the {device} a {adjective} bet",
    ),
    "weather": (
        "the {sky} should ease by morning",
        "crews cleared {amount} fallen trees in {place}",
        "schools near the {compass} coast stayed closed because of {sky}",
        "the weather service extended its warning about {sky}",
        "insurers expect claims of {amount} million",
        "more {sky} may follow next week",
    ),
}
"""Further sentences of each topic, most frequent first."""

STOCK: tuple[str, ...] = (
    "{first_name} {surname} said the {noun} was {adjective}",
    "a spokeswoman for {firm} confirmed the {noun}",
    "the {noun} comes after {amount} weeks of {adjective} talks",
    "nobody in {place} was available for comment",
    "{first_name} {surname}, who lives in {place}, called it a {adjective} {noun}",
    "a decision about the {noun} is due next month",
    "local people spoke of a {adjective} {noun}",
    "the {noun} surprised observers in {place} and {other_place}",
    "officials will study the {noun} before they act",
    "it was the {ordinal} such {noun} this year",
)
"""Sentences that fit any topic, most frequent first."""
