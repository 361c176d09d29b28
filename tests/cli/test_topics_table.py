from __future__ import annotations

from driftline.cli.topics_table import TopicRow, first_of_rest, print_topics, shares_of_rest


def row(topic, state, share, documents, near=()):
    return TopicRow(
        topic=topic,
        name=f"name {topic}",
        state=state,
        words=["war", "iraq"],
        near=list(near),
        share=share,
        documents=documents,
        trend=0.125,
        p_value=0.01,
        rises_or_falls="rises",
        peak="2003-03-20",
        examples=[{"id": "1", "text": "war in\x1b[31m iraq"}],
    )


ROWS = [
    row(0, "clear", 0.5, 0.4, ["name 1"]),
    row(1, "mixed", 0.1, 0.2),
    row(2, "junk", 0.3, 0.2),
    row(3, "junk", 0.1, 0.2),
]


def test_the_rest_has_a_heading_with_its_shares(capsys):
    assert first_of_rest(ROWS) == [False, False, True, False]
    assert shares_of_rest(ROWS) == ("40.0 %", "40.0 %")
    print_topics(ROWS)
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.count("The rest:") == 1
    assert shown.index("name 1 (mixed)") < shown.index("40.0 % 40.0 % The rest:") < shown.index("name 2 (junk)")
    assert "50.0 % 40.0 % +12.5 points name 0 rises war iraq nearly the same: name 1 war in" in shown
    assert "\x1b[31m" not in shown


def test_nothing_is_the_rest(capsys):
    print_topics(ROWS[:2])
    assert "The rest" not in capsys.readouterr().out
