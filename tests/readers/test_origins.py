"""Every document says which file, folder, list or channel it is from, if the source has several."""

from __future__ import annotations

import json

import pytest

from driftline.readers.read import read

ROWS = "date,text\n2003-03-20,war begins\n2003-03-21,war goes on\n"
MAIL = "From a\nDate: 20 Mar 2003 03:34 +0000\nSubject: war\n{}\nwar begins\n\n"


def origins(source, **options):
    return sorted(set(read(source, **options).table()["origin"].to_pylist()), key=lambda name: name or "")


@pytest.fixture
def folder(tmp_path):
    def write(**files):
        for name, content in files.items():
            path = tmp_path / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(exist_ok=True)
            path.write_text(content)
        return tmp_path

    return write


def test_a_file_alone_is_no_origin(folder):
    assert origins(folder(a_csv=ROWS) / "a.csv") == [None]
    assert origins([{"date": "2003-03-20", "text": "war begins"}]) == [None]


def test_files_of_a_folder(folder):
    assert origins(folder(a_csv=ROWS, b_csv=ROWS)) == ["a.csv", "b.csv"]


def test_several_inputs(folder):
    path = folder(x__a_csv=ROWS, x__b_csv=ROWS, y__a_csv=ROWS)
    assert origins([path / "x", path / "y"]) == ["x/a.csv", "x/b.csv", "y/a.csv"]


def test_folders_of_text_files(folder):
    path = folder(
        war__1_txt="Date: 2003-03-20\nwar", peace__2_txt="Date: 2003-03-21\npeace", x_txt="Date: 2003-03-22\nx"
    )
    assert origins(path) == [None, "peace", "war"]


def test_mailing_lists_of_an_mbox(folder):
    listed = MAIL.format("List-Id: <dev.python.org>\n") + MAIL.format("List-Id: <list.python.org>\n") + MAIL.format("")
    path = folder(a_mbox=listed)
    assert origins(path / "a.mbox") == [None, "<dev.python.org>", "<list.python.org>"]
    folder(b_mbox=MAIL.format(""))
    assert origins(path) == ["a.mbox", "a.mbox/<dev.python.org>", "a.mbox/<list.python.org>", "b.mbox"]


def test_channels_of_slack(folder):
    days = json.dumps([{"ts": "1048131240.0002", "user": "U1", "text": "war"}])
    path = folder(channels_json="[]", **{"war__2003-03-20_json": days, "peace__2003-03-20_json": days})
    assert origins(path) == ["peace", "war"]


def test_chats_of_telegram(folder):
    chats = [
        {"name": name, "messages": [{"id": 1, "type": "message", "date_unixtime": "1048131240", "text": name}]}
        for name in ("News", "Ann")
    ]
    path = folder(result_json=json.dumps({"chats": {"list": chats}}))
    assert origins(path / "result.json", format="telegram") == ["Ann", "News"]


def test_mails_in_folders(folder):
    mail = MAIL.format("").partition("\n")[2]
    assert origins(folder(inbox__1_eml=mail, sent__2_eml=mail)) == ["inbox", "sent"]
