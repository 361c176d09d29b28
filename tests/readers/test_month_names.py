import pytest

from driftline.readers.month_names import month_number


@pytest.mark.parametrize(
    "months",
    [
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "enero febrero marzo abril mayo junio julio agosto setiembre octubre noviembre diciembre",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "januari februari maart april mei juni juli augustus september oktober november december",
        "januari februari mars april maj juni juli augusti september oktober november december",
    ],
)
def test_months_of_eight_languages(months):
    assert [month_number(name) for name in months.split()] == list(range(1, 13))


@pytest.mark.parametrize("name", ["ju", "jui", "foo", "aprilx", "", "ma"])
def test_other_words_are_not_months(name):
    with pytest.raises(ValueError, match="is not a month"):
        month_number(name)
