from __future__ import annotations

import pytest

from driftline.core.errors import InvalidInput
from driftline.guidance import Guide
from driftline.guidance.toml_guide import guide_of_toml
from driftline.topics import LDA

TEXT = """
[[topic]]
name = "medicine"
words = ["doctor", "disease"]
never = ["game"]

[[together]]
words = ["car", "automobile"]

[[topic]]
name = "war"
words = {iraq = 200, baghdad = 10.5}
number = 4

[[apart]]
words = ["hockey", "baseball"]

[[merge]]
topics = ["war", 3]

[[label]]
topic = "medicine"
documents = ["a", "b"]
strength = 20

[[spread]]

[[link]]
links = [["a", "b"], ["b", "c", 2.0]]

[[proportion]]
topic = "war"
about = [0.1, 0.2]
by = "month"
"""


def test_tables_are_the_methods_in_the_order_of_the_file():
    guide = guide_of_toml(TEXT)
    expected = (
        Guide()
        .topic("medicine", ["doctor", "disease"], never=["game"])
        .together("car", "automobile")
        .topic("war", {"iraq": 200, "baghdad": 10.5}, number=4)
        .apart("hockey", "baseball")
        .merge("war", 3)
        .label(["a", "b"], "medicine", strength=20)
        .spread()
        .link([("a", "b"), ("b", "c", 2.0)])
        .proportion("war", about=(0.1, 0.2), by="month")
    )
    assert repr(guide) == repr(expected)
    assert guide.wishes[2] == expected.wishes[2]
    again = guide_of_toml(guide.to_toml())
    assert repr(again) == repr(expected)
    assert again.to_toml() == guide.to_toml()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[topic]]\nname = "a"\n\n[[topik]]\nname = "b"', "line 4: there is no table 'topik'; did you mean 'topic'"),
        ('[[topic]]\nname = "a"\nwrods = []', "line 3: topic has no key 'wrods'; did you mean 'words'"),
        ('[[topic]]\nname = "a"\n[[topic]]\nname = "b"\nneve = []', "line 5: topic has no key 'neve'"),
        ('[[topic]]\nwords = ["a"]', "line 1: topic needs the key 'name'"),
        ('[[topic]]\nname = "a"\nwords = 3', "line 3: words must be a list or a table, not 3"),
        ('[[topic]]\nname = "a"\n[[topic]]\nname = "a"', "line 3: .*twice"),
        ('[[together]]\nwords = ["a"]', "line 1: together needs at least two"),
        ('[[proportion]]\ntopic = "a"\nabout = [1]', "two numbers"),
        (
            '[[proportion]]\ntopic = "a"\nabout = 0.1\nby = "mnth"',
            "line 1: there is no unit 'mnth'; did you mean 'month'",
        ),
        ('[[keep]]\nmodel = "none.dl"', "line 1: there is no model at .*none.dl"),
        ('topic = "a"', r"write \[\[topic\]\]"),
        ('[[topic]\nname = "a"', "is not TOML: .*line 1"),
    ],
)
def test_a_typo_is_reported_with_its_line(text, message, tmp_path):
    path = tmp_path / "guide.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match=f"guide.toml.*{message}"):
        Guide.read(path)


def test_guides_without_a_toml_form_are_refused():
    old = LDA(2, max_epochs=1, random_state=0).fit([[1, 2], [2, 1]])
    with pytest.raises(InvalidInput, match="cannot be written"):
        Guide().keep(old).to_toml()
    with pytest.raises(InvalidInput, match="calendar unit"):
        Guide().proportion("a", at_least=0.1, by=[0, 1]).to_toml()


def test_values_of_other_types_are_reported_with_the_line_of_their_table():
    for text, message in (
        ('[[topic]]\nname = "a"\n[[topic]]\nname = "b"\nwords = [["x"]]', r"line 3: a word is a string"),
        ('[[topic]]\nname = "b"\nwords = {x = 2003-01-01}', "line 1: the weight of 'x'"),
        ('[[topic]]\nname = "b"\nnumber = 1.0', "line 3: number must be a whole number"),
        ("[[link]]\nlinks = [1, 2]", "line 1: a link is a pair"),
        ("a = " + "[" * 5000 + "]" * 5000, "nested too deeply"),
        ('[[topic]]\nname = "a"\nwords = [\n["x"],\n]\nnevr = []', "line 6: topic has no key 'nevr'"),
    ):
        with pytest.raises(InvalidInput, match=message):
            guide_of_toml(text)
