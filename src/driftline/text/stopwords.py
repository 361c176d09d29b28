"""A small list of English function words: they hold sentences together and say nothing about their subject.

The list is short on purpose. It has articles, pronouns, prepositions, conjunctions, auxiliaries, and what is left of
contractions when the apostrophe splits them (``don``, ``ve``). It leaves out words that are often something else in
dated text: *may* (a month), *us* (a country), *first*, *last*, *new* and the numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from driftline.core.errors import InvalidInput

_ENGLISH = """
a an the this that these those such
i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself
we our ours ourselves they them their theirs themselves
who whom whose which what where when why how whoever whatever
there here then thus
and or but nor so yet if because while although though unless until whether since than as
of in on at by for with from to into onto upon out off over under up down about above below between among
through during before after against within without across along around behind beyond near toward towards per via
am is are was were be been being have has had having do does did doing done
will would shall should can could might must cannot ought
not no nor never none nothing neither either
all any both each every few more most much many some other another others own same only very too just also even
again ever once still already quite rather almost
ain aren couldn didn doesn don hadn hasn haven isn mightn mustn needn shan shouldn wasn weren won wouldn
ll re ve im ive id isnt dont didnt doesnt cant wont
"""

ENGLISH = frozenset(_ENGLISH.split())
"""The built-in list, as ``stop_words="english"`` uses it."""

STOP_WORDS = {"en": ENGLISH}
"""The built-in lists, by ISO 639-1 code of the language."""


def stop_words_of(choice: object) -> tuple[str, ...] | None:
    """Return the words a tokenizer leaves out, sorted: of ``None``, ``"english"`` or the user's own collection.

    >>> "the" in stop_words_of("english"), stop_words_of(["b", "a", "b"])
    (True, ('a', 'b'))
    """
    if choice is None:
        return None
    if isinstance(choice, str):
        code = "en" if choice == "english" else choice
        if code not in STOP_WORDS:
            raise InvalidInput(
                f"stop_words={choice!r} is not known; pass None, a collection of words, 'english' or one of "
                f"{', '.join(STOP_WORDS)}"
            )
        return tuple(sorted(STOP_WORDS[code]))
    if not isinstance(choice, Iterable):
        raise InvalidInput(f"stop_words must be 'english', None or a collection of words, not {choice!r}")
    words = list(choice)
    for word in words:
        if not isinstance(word, str):
            raise InvalidInput(f"stop_words must hold words, but {word!r} is of type {type(word).__name__}")
    return tuple(sorted(set(words)))


def read_stop_words(path: Path) -> tuple[str, ...]:
    """Return the words of a file in UTF-8, one per line; empty lines and those that begin with # are passed over."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"the stop words in {path} cannot be read: {error}; write one word per line, in UTF-8"
        ) from error
    words = (line.strip().lower() for line in lines)
    return tuple(sorted({word for word in words if word and not word.startswith("#")}))


def stop_words_for(choice: object, languages: tuple[str, ...]) -> tuple[str, ...]:
    """Return the stop words of a choice; ``"auto"`` stands for those of the languages that were found.

    >>> stop_words_for("auto", ("en",))[:3]
    ('a', 'about', 'above')
    """
    if choice == "auto":
        return tuple(sorted(set().union(*(STOP_WORDS[code] for code in languages))))
    return stop_words_of(choice) or ()
