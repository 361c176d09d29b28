"""Names of months, in full or shortened, in eight languages: English, German, French, Spanish, Italian, Portuguese,
Dutch and Swedish."""

from __future__ import annotations

import unicodedata

_NAMES = (
    "january januar janner januari janvier enero gennaio janeiro",
    "february februar februari fevrier febrero febbraio fevereiro",
    "march marz maerz mars marzo marco maart",
    "april avril abril aprile",
    "may mai mayo maggio maio mei maj",
    "june juni juin junio giugno junho",
    "july juli juillet julio luglio julho",
    "august aout agosto augustus augusti",
    "september septembre septiembre setiembre settembre setembro",
    "october oktober octobre octubre ottobre outubro",
    "november novembre noviembre novembro",
    "december dezember decembre diciembre dicembre dezembro",
)
"""Names from January to December, without case and accents."""
_FEWEST_LETTERS = 3


def month_number(name: str) -> int:
    """Return the number of a month from its name or the first three or more letters of it.

    Letters with which the names of different months begin are not accepted (`jui` is June or July in French).

    >>> [month_number(name) for name in ("Apr", "sept", "März", "août", "diciembre")]
    [4, 9, 3, 8, 12]
    >>> month_number("jui")
    Traceback (most recent call last):
    ValueError: 'jui' is not a month
    """
    number = _NUMBERS.get(_plain(name), 0)
    if not number:
        raise ValueError(f"{name!r} is not a month")
    return number


def _plain(name: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", name.lower()) if not unicodedata.combining(c))


def _numbers() -> dict[str, int]:
    """Return the month of every prefix of a name; 0 if several months share it."""
    found: dict[str, int] = {}
    for number, names in enumerate(_NAMES, start=1):
        for name in names.split():
            for end in range(_FEWEST_LETTERS, len(name) + 1):
                found[name[:end]] = number if found.get(name[:end], number) == number else 0
    return found


_NUMBERS = _numbers()
