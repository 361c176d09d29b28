import pytest

from driftline.readers.exports.slack import people_of, slack_record
from driftline.readers.records import Limits


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<@U1> and <@U9> and <@U9|carl>", "@ann and @U9 and @carl"),
        ("<#C1|general> <#C2>", "#general #C2"),
        ("<https://a.b/c?d|here> <mailto:a@b|a@b> <https://x.y>", "here a@b https://x.y"),
        ("<!here> <!subteam^S1|@team> <!date^1392734382^{date}|Feb 18>", "@here @team Feb 18"),
        ("1 &lt; 2 &amp;&amp; 3 &gt; 2", "1 < 2 && 3 > 2"),
        ("<>|<|>", "<>|<|>"),
        ("&lt;@U1&gt;", "<@U1>"),
        (5, 5),
        (None, None),
    ],
)
def test_links_and_mentions_are_written_out(text, shown):
    assert slack_record({"ts": "1.0", "text": text}, None, {"U1": "ann"})["text"] == shown


@pytest.mark.parametrize("subtype", ["channel_join", "group_leave", "channel_topic", "bot_add", "pinned_item"])
def test_notices_are_rejected(subtype):
    assert slack_record({"ts": "1.0", "subtype": subtype}, None, {}) == f"no text: a notice of the channel ({subtype})"


@pytest.mark.parametrize("subtype", ["bot_message", "me_message", "thread_broadcast", "file_share", 5, None])
def test_messages_are_not(subtype):
    assert slack_record({"ts": "1.0", "subtype": subtype, "text": "x"}, None, {})["text"] == "x"


@pytest.mark.parametrize("content", ['[{"id": "U1", "name": "ann"}, {"id": "U2"}, 5]', "{}", "broken", "[" * 9999, ""])
def test_a_list_of_people_may_be_broken(content, tmp_path):
    (tmp_path / "users.json").write_text(content)
    assert people_of(tmp_path / "users.json", Limits()) == ({"U1": "ann"} if "ann" in content else {})
    assert people_of(tmp_path / "missing.json", Limits()) == {}
