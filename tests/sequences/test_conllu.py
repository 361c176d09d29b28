from __future__ import annotations

import pytest

from driftline.core.errors import InvalidInput, SourceNotFound
from driftline.sequences.conllu import read_conllu


def write(tmp_path, text):
    path = tmp_path / "bank.conllu"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_sentences_and_tags(tmp_path):
    text = "# text\n1-2\tdon't\t_\t_\n1\tdo\tdo\tAUX\n2\tn't\tnot\tPART\n2.1\tx\tx\tX\n\n\n1\tGo\tgo\t_\r\n"
    assert read_conllu(write(tmp_path, text)) == ([["do", "n't"], ["Go"]], [["AUX", "PART"], [None]])


@pytest.mark.parametrize(
    "text, message",
    [
        ("1\tdo\tdo\tAUX\n2 go\n", "line 2 of .* has 1 columns"),
        ("", "has no sentence"),
        (b"1\t\xff\t_\tX\n", "cannot be read as UTF-8"),
    ],
)
def test_bad_files_are_refused(tmp_path, text, message):
    with pytest.raises(InvalidInput, match=message):
        read_conllu(write(tmp_path, text))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SourceNotFound, match="nowhere"):
        read_conllu(tmp_path / "nowhere")


def test_a_byte_order_mark_is_skipped(tmp_path):
    path = tmp_path / "with_mark.conllu"
    path.write_text("# sent_id = 1\n1\tdogs\t_\tNOUN\t_\t_\t_\t_\t_\t_\n", encoding="utf-8-sig")
    assert read_conllu(path) == ([["dogs"]], [["NOUN"]])
