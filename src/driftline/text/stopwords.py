"""A small list of English function words: they hold sentences together and say nothing about their subject.

The list is short on purpose. It has articles, pronouns, prepositions, conjunctions, auxiliaries, and what is left of
contractions when the apostrophe splits them (``don``, ``ve``). It leaves out words that are often something else in
dated text: *may* (a month), *us* (a country), *first*, *last*, *new* and the numbers.
"""

from __future__ import annotations

from collections.abc import Iterable

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


def stop_words_of(choice: object) -> tuple[str, ...] | None:
    """Return the words a tokenizer leaves out, sorted: of ``None``, ``"english"`` or the user's own collection.

    >>> "the" in stop_words_of("english"), stop_words_of(["b", "a", "b"])
    (True, ('a', 'b'))
    """
    if choice is None:
        return None
    if isinstance(choice, str):
        if choice != "english":
            raise InvalidInput(f"stop_words={choice!r} is not known; pass 'english', None or a collection of words")
        return tuple(sorted(ENGLISH))
    if not isinstance(choice, Iterable):
        raise InvalidInput(f"stop_words must be 'english', None or a collection of words, not {choice!r}")
    words = list(choice)
    for word in words:
        if not isinstance(word, str):
            raise InvalidInput(f"stop_words must hold words, but {word!r} is of type {type(word).__name__}")
    return tuple(sorted(set(words)))
