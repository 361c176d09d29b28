import re

import numpy as np
import pytest

import driftline
from driftline.analysis.analyse import analyse
from driftline.analysis.serialise import from_json, to_json
from driftline.report.page import render
from driftline.report.sentences import headlines
from driftline.streams.stream import Stream

WORDS = ["rain", "snow", "storm", "market", "war", "peace", "budget", "vote", "match", "goal", "price", "river"]


def documents(n, seed=0):
    rng = np.random.default_rng(seed)
    seconds = np.sort(rng.integers(0, 100 * 86400, n)).tolist()
    return [(str(np.datetime64("2020-01-01", "s") + s), " ".join(rng.choice(WORDS, 6))) for s in seconds]


def page_and_sentence(given, **options):
    findings = analyse(Stream.from_documents(given), **options)
    assert from_json(to_json(findings)) == findings
    return render(findings), headlines(findings)


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (0, "There are no documents"),
        (1, "There is only one document"),
        (2, "There are only 2 documents"),
        (30, "There are only 30 documents"),
        (199, "There are only 199 documents"),
    ],
)
def test_few_documents_are_shown_without_claims(n, said):
    page, sentences = page_and_sentence(documents(n))
    assert sentences[0].startswith(said)
    assert len(sentences) == 1
    assert "nan" not in page.split("<main")[1].split("</main>")[0].lower().replace("finance", "")
    assert ("The most frequent words" in page) == (n > 0)


def test_the_limit_can_be_moved():
    findings = analyse(Stream.from_documents(documents(60)), fewest_documents=50)
    assert findings.small is None
    assert findings.n_words_tested > 0


def test_equal_times_say_nothing_about_change():
    _, sentences = page_and_sentence([("2020-01-01", text) for _, text in documents(250)])
    assert sentences == ["All 250 documents have the same time, so no change can be measured."]


def test_documents_without_words():
    page, sentences = page_and_sentence(
        [(time, f"https://example.org/{i}") for i, (time, _) in enumerate(documents(220))]
    )
    assert sentences[0] == "There are no words to count in 220 documents, so no change can be measured."
    assert "Words and documents" not in page


def test_two_fifths_at_one_instant_are_set_aside():
    crowd = [("2020-02-10T10:00:00", text) for _, text in documents(160, seed=1)]
    page, sentences = page_and_sentence([*documents(240), *crowd])
    assert "160 documents all dated 10 Feb 2020, 10:00, as by an import" in sentences[-1]
    assert "Excluded from curves and tests because of their dates" in page


def test_one_document_of_1970_changes_no_sentence_but_the_note():
    given = documents(300)
    _, without = page_and_sentence(given)
    _, stray = page_and_sentence([("1970-01-01", "rain and snow and a comet"), *given])
    assert stray[:-1] == without
    assert "1 document dated long before all others (1 January 1970)" in stray[-1]


def test_one_text_a_thousand_times_is_a_plain_page():
    moments = [time for time, _ in documents(1000)]
    page, sentences = page_and_sentence([(time, "the storm hits the coast again today") for time in moments])
    assert "duplicates" in sentences[-1]
    assert not [ratio for ratio in re.findall(r"in ([0-9.,]+) times", " ".join(sentences)) if float(ratio) > 100]
    assert "In short" in page


def test_two_languages_are_both_recognised():
    german = ["der wind und die wolken sind nicht von hier", "das ist ein haus mit einem garten und auch mit bäumen"]
    english = ["the wind and the clouds are not from here", "this is a house with a garden and with trees as well"]
    texts = [f"{(german if i % 2 else english)[i // 2 % 2]} {WORDS[i % 12]} {WORDS[i * 7 % 12]}" for i in range(400)]
    page, sentences = page_and_sentence([(time, text) for (time, _), text in zip(documents(400), texts)])
    findings = analyse(Stream.from_documents([(time, text) for (time, _), text in zip(documents(400), texts)]))
    assert set(findings.text.languages) == {"de", "en"}
    assert sentences
    assert "In short" in page


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize(("name", "every"), [("abc_headlines_2003", 8), ("tweets_2015_2017", 6)])
def test_a_stray_date_changes_no_sentence_about_real_streams(real_data, name, every):
    table = driftline.read(real_data(name)).table()
    some = table.take(np.arange(0, len(table), every))
    given = list(zip(some["time"].to_pylist(), some["text"].to_pylist()))
    plain, stray = (
        headlines(analyse(Stream.from_documents(documents)))
        for documents in (given, [("1970-01-01", "war and sars and an asteroid"), *given])
    )
    (note,) = [sentence for sentence in stray if sentence not in plain]
    assert "1 document dated long before all others (1 January 1970)" in note
    assert [sentence for sentence in stray if sentence != note] == plain
