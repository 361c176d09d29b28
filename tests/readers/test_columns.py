import pytest

from driftline.core.errors import AmbiguousInput, InvalidInput
from driftline.readers.columns import Choice, find_columns, known_columns
from driftline.readers.records import Columns
from driftline.readers.timestamps import TimeReader

DATES = ["2003-03-20", None]
WORDS = ["war", "peace"]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("time text label id", Columns("time", ("text",), "label", "id")),
        ("Date BODY Topic _id", Columns("Date", ("BODY",), "Topic", "_id")),
        ("created_at message class", Columns("created_at", ("message",), "class")),
        ("createdAt content category", Columns("createdAt", ("content",), "category")),
        ("publish_date headline_text", Columns("publish_date", ("headline_text",))),
        ("timestamp date title", Columns("timestamp", ("title",))),
        ("year time text title", Columns("time", ("text",))),
        ("subject text date time_source", Columns("date", ("text",))),
        ("first-seen-date tweet-text", Columns("first-seen-date", ("tweet-text",))),
        ("year abstract", Columns("year", ("abstract",))),
        ("date text user source", Columns("date", ("text",), author="user")),
        ("date text From thread_id", Columns("date", ("text",), author="From", thread="thread_id")),
        ("date text Account account", Columns("date", ("text",), author="Account")),
    ],
)
def test_columns_are_found_by_their_names(names, expected):
    sample = {
        name: DATES if any(part in name.lower() for part in ("dat", "time", "year", "created")) else WORDS
        for name in names.split()
    }
    assert find_columns(sample) == expected


@pytest.mark.parametrize("name", ["Date Posted", "when", "Created", "Created At", "Posted on", "DATE (UTC)", "Sent On"])
def test_times_as_people_name_them(name):
    assert find_columns({"No.": [1, 2], name: DATES, "text": WORDS}).time == name


@pytest.mark.parametrize(
    "name", ["Feedback", "Comment", "Comments", "Message body", "Customer feedback", "Note", "Answer"]
)
def test_texts_as_people_name_them(name):
    assert find_columns({"No.": [1, 2], "date": DATES, name: WORDS}).text == (name,)


def test_values_decide_between_names_that_only_begin_like_a_time():
    assert find_columns({"timeline": WORDS, "date of report": DATES, "text": WORDS}).time == "date of report"


REVIEWS = ["very good food", "never again, sorry"]


def test_values_decide_where_no_name_is_known():
    sample = {"Ankunft": ["5 April 2003"], "zahl": [1049537472], "Meinung": REVIEWS, "Ort": ["Rom", "Bern"]}
    assert find_columns(sample) == Columns("Ankunft", ("Meinung",))


def test_a_table_without_names_of_columns_is_an_error_that_says_so():
    with pytest.raises(
        InvalidInput, match=r"first line of app\.log is a record, .*'2024-01-01 10:00:00'.*; add a first"
    ):
        find_columns(
            {"2024-01-01 10:00:00": ["2024-01-02 10:00:00"], "123 INFO snow": ["7 INFO rain"]}, source="app.log"
        )


def test_numbers_are_not_taken_for_times_by_their_values():
    for values in (["2003", "2004"], ["20030405", "20030406"], ["1.049.537.472", "1,049,537,473"], [2003, 2004]):
        with pytest.raises(InvalidInput, match="looks like a time"):
            find_columns({"price": values, "text": REVIEWS})


def test_dates_with_dots_are_not_numbers():
    assert find_columns({"Ankunft": ["05.04.2003", "06.04.2003"], "text": REVIEWS}).time == "Ankunft"


def test_several_columns_that_hold_what_was_looked_for_are_named():
    sample = {"Ankunft": ["5 April 2003"], "Abreise": ["7 April 2003"], "Meinung": REVIEWS, "Antwort": REVIEWS}
    message = r"name it with time=; by their values it may be time='Ankunft' or time='Abreise'$"
    with pytest.raises(InvalidInput, match=message):
        find_columns(sample)
    message = r"with text=; by their values it may be text='Meinung' or text='Antwort'$"
    with pytest.raises(InvalidInput, match=message):
        find_columns(sample, Choice(time="Ankunft"))


def test_a_name_with_hardly_any_text_is_not_preferred_to_prose():
    dates = ["2003-03-20"] * 10
    prose = ["The slide tipped over while nine visitors were on top of it"] * 10
    blank = [""] * 9 + ["see the file on this accident"]
    for scanty in (["."] * 10, blank, ["ok", ""] * 5):
        assert find_columns({"date": dates, "notes": scanty, "acc_desc": prose}).text == ("acc_desc",)
        assert find_columns({"date": dates, "notes": scanty, "what happened": prose}).text == ("what happened",)
        assert find_columns({"date": dates, "notes": scanty, "place": ["Rome", "Bern"] * 5}).text == ("notes",)
        assert find_columns({"date": dates, "notes": prose, "what happened": prose * 2}).text == ("notes",)
    short = ["ok", "thanks"] * 5  # one word each: the text of a chat, if there is nothing better
    assert find_columns({"date": dates, "message": short, "remark": blank}).text == ("message",)


def test_of_names_that_are_equally_good_the_much_longer_text_is_read():
    sample = {"date": DATES, "title": ["The crown", "Dark"], "description": ["A queen must learn to rule a realm"] * 2}
    assert find_columns(sample).text == ("description",)
    films = {"release_date": DATES, "title": ["Crush", "Pride"], "overview": ["An artist must join a team"] * 2}
    assert find_columns(films).text == ("overview",)
    with pytest.raises(AmbiguousInput, match="'title' or 'summary'"):
        find_columns({"date": DATES, "title": REVIEWS, "summary": REVIEWS})


def test_a_title_gives_way_to_a_much_longer_text_of_any_name():
    facts = ["The defendant copied nine photographs of a building without permission and sold them as postcards"] * 2
    titles = ["Doe v. Roe", "Roe v. Moe"]
    sample = {"year": DATES, "title": titles, "key_facts": facts, "issue": ["Whether it was fair", "Whether it was"]}
    assert find_columns(sample).text == ("key_facts",)
    assert find_columns({"year": DATES, "title": facts, "key_facts": facts}).text == ("title",)
    assert find_columns({"year": DATES, "comment": titles, "key_facts": facts}).text == ("comment",)


def test_dates_of_birth_and_death_are_not_preferred_to_any_other_time():
    lives = {"Birth Date": ["1852-08-30", "1853-07-18"], "Death Date": ["1911-03-01", "1928-02-04"]}
    assert find_columns({**lives, "Year": ["1901", "1902"], "text": REVIEWS}).time == "Year"
    assert find_columns({"Death Date": lives["Death Date"], "text": REVIEWS}).time == "Death Date"
    awarded = ["10 December 1901", "10 December 1902"]
    assert find_columns({"Birth Date": awarded, "Verliehen": awarded, "text": REVIEWS}).time == "Verliehen"


def test_dates_are_preferred_to_numbers_and_beginnings_to_ends_and_changes():
    sample = {"date_aired": ["2003-03-20", "2003-03-21"], "run_time": [21, 22], "text": REVIEWS}
    assert find_columns(sample).time == "date_aired"
    assert find_columns({"start_date": DATES, "end_date": DATES, "text": REVIEWS}).time == "start_date"
    assert find_columns({"dateUpdated": DATES, "firstDate": DATES, "text": REVIEWS}).time == "firstDate"
    assert find_columns({"end_date": DATES, "n": [1, 2], "text": REVIEWS}).time == "end_date"
    with pytest.raises(AmbiguousInput, match="'due_date' or 'end_date'"):
        find_columns({"due_date": DATES, "end_date": DATES, "text": REVIEWS})


def test_a_text_of_a_few_repeated_values_gives_way_to_another():
    clients = ["<a href='x'>a client for telephones</a>", "<a href='x'>a client for browsers</a>"] * 50
    posts = [f"{i} of the things that people write" for i in range(100)]
    dates = ["2003-03-20"] * 100
    assert find_columns({"date": dates, "text": clients, "content": posts}).text == ("content",)
    assert find_columns({"date": dates, "text": clients, "place": ["Rome", "Bern"] * 50}).text == ("text",)
    assert find_columns({"date": dates, "text": posts[:11] * 9 + posts[:1], "content": posts}).text == ("text",)


def test_a_time_by_name_without_times_gives_way_to_the_only_dates():
    sample = {"time": ["10:11", "10:12"], "Ankunft": ["5 April 2003", "6 April 2003"], "text": REVIEWS}
    assert find_columns(sample).time == "Ankunft"


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        (
            {"created_at": DATES, "published_at": DATES, "text": WORDS},
            "time of x may be 'created_at' or 'published_at'",
        ),
        ({"time": DATES, "Time": DATES, "text": WORDS}, "choose with time='time' or time='Time'"),
        ({"time": DATES, "body": WORDS, "content": WORDS}, "choose with text='body' or text='content'"),
        ({"time": DATES, "text": WORDS, "category": WORDS, "class": WORDS}, "label='class', or label=False for none"),
        ({"time": DATES, "text": WORDS, "id": WORDS, "_id": WORDS}, "id='id' or id='_id', or id=False for none"),
    ],
)
def test_two_that_are_equally_good_are_ambiguous(sample, message):
    with pytest.raises(AmbiguousInput, match=message):
        find_columns(sample, source="x")


def test_values_decide_where_names_mislead():
    sample = {"date": DATES, "time": ["10:11:12", "10:11:13"], "text": [{"html": "x"}], "body": WORDS}
    assert find_columns(sample) == Columns("date", ("body",), clock="time")
    assert find_columns({"time": ["10:11"], "text": [""]}) == Columns("time", ("text",))


def test_a_time_about_which_more_must_be_said_is_still_the_time():
    assert find_columns({"time": [17], "date": DATES, "text": WORDS}).time == "time"
    assert find_columns({"time": ["05/04/2003"], "date": DATES, "text": WORDS}).time == "time"


def test_looking_teaches_the_reader_of_times_nothing():
    times = TimeReader()
    find_columns({"time": [1049537472], "text": WORDS}, times=times)
    assert times.read([2003]).microseconds.astype("datetime64[us]").astype(str) == ["2003-01-01T00:00:00.000000"]


def test_authors_and_threads_can_be_named_or_left_out():
    sample = {"date": DATES, "text": WORDS, "author": WORDS, "who": WORDS, "thread": WORDS}
    found = find_columns(sample, Choice(author="who", thread=False))
    assert (found.author, found.thread) == ("who", None)
    assert find_columns(sample).needed() == ["date", "text", "author", "thread"]
    with pytest.raises(InvalidInput, match="no column 'whom' for author="):
        find_columns(sample, Choice(author="whom"))


def test_lists_of_words_are_a_text():
    assert find_columns({"time": DATES, "text": [["a", "b"]]}).text == ("text",)


def test_columns_can_be_named():
    sample = {"when": DATES, "subject": WORDS, "body": WORDS, "a,b": WORDS, "Who": WORDS}
    assert find_columns(sample, Choice("when", "subject,body", "who")) == Columns("when", ("subject", "body"), "Who")
    assert find_columns(sample, Choice("when", "subject + body")).text == ("subject", "body")
    assert find_columns(sample, Choice("when", ["body", "subject"])).text == ("body", "subject")
    assert find_columns(sample, Choice("when", "a,b")).text == ("a,b",)


def test_a_category_is_preferred_to_tags():
    sample = {"time": DATES, "text": WORDS, "tags": WORDS, "category": WORDS, "topic": WORDS}
    assert find_columns(sample).label == "category"
    assert find_columns({name: sample[name] for name in ("time", "text", "tags", "topic")}).label == "topic"


def test_label_and_id_can_be_declined():
    sample = {"time": DATES, "text": WORDS, "label": WORDS, "id": WORDS}
    assert find_columns(sample, Choice(label=False, id=False)) == Columns("time", ("text",))
    with pytest.raises(InvalidInput, match="label must be the name of a column, None to find it or False"):
        find_columns(sample, Choice(label=True))


def test_a_wrong_name_is_an_error_that_helps():
    sample = {"created": DATES, "text": WORDS}
    with pytest.raises(InvalidInput, match=r"no column 'creatd' for time= .*created, text.*mean time='created'\?"):
        find_columns(sample, Choice(time="creatd"))
    with pytest.raises(AmbiguousInput, match="may be 'A b' or 'a_b'"):
        find_columns({"A b": DATES, "a_b": DATES}, Choice(time="AB"))
    with pytest.raises(InvalidInput, match=r"text=\[\] names no column"):
        find_columns(sample, Choice(text=[]))


def test_nothing_found_says_what_there_is():
    with pytest.raises(InvalidInput, match=r"no column of x looks like a time .*its columns: id, term.*with time="):
        find_columns({"id": [1], "term": WORDS}, source="x")
    with pytest.raises(InvalidInput, match=r"looks like a text .*with text="):
        find_columns({"time": DATES, "tokens": WORDS})
    with pytest.raises(InvalidInput, match="c19 and 5 more"):
        find_columns({f"c{i}": [] for i in range(25)})


def test_known_columns_take_the_users_choice_over_the_usual():
    usual = Choice("time", ("subject", "body"), label=False, id="id", author=False)
    names = ("id", "time", "subject", "body", "author")
    assert known_columns(names, Choice(), usual, source="x") == Columns("time", ("subject", "body"), None, "id")
    chosen = known_columns(names, Choice(text="body", label="author", id=False), usual, source="x")
    assert chosen == Columns("time", ("body",), "author", None)
    with pytest.raises(InvalidInput, match="x has no column 'autor' for label="):
        known_columns(names, Choice(label="autor"), usual, source="x")


def test_replies_are_threads_if_there_is_no_other_and_the_id_is_then_what_they_name():
    sample = {
        "id": ["1", "2"],
        "date": DATES,
        "text": WORDS,
        "message_id": ["<a@x>", "<b@x>"],
        "References": ["", "<a@x>"],
    }
    found = find_columns(sample)
    assert (found.id, found.thread) == ("message_id", "References")
    assert find_columns({**sample, "thread": WORDS}).thread == "thread"
    assert find_columns({**sample, "thread": WORDS}).id == "id"
    assert find_columns(sample, Choice(id="id")).id == "id"
    assert find_columns(sample, Choice(thread=False))[-1] is None


@pytest.mark.parametrize("values", [["Smith 1990; Jones 1991"], [["a", "b"]], [17], [None], ["see me @ noon"]])
def test_a_bibliography_is_not_a_thread(values):
    assert find_columns({"date": DATES, "text": WORDS, "references": values}).thread is None


@pytest.mark.parametrize(
    ("time", "text"), [("Datum", "Kommentar"), ("Erstelldatum", "Nachricht"), ("fecha_alta", "texto"), ("date", "avis")]
)
def test_headers_in_other_languages(time, text):
    sample = {time: ["2003-02-19"], "n": ["3"], text: ["Die Lieferung kam zu spät"]}
    assert find_columns(sample)[:2] == (time, (text,))
