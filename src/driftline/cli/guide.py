"""`driftline guide init`: a draft of a guide, from a quick fit, to be corrected by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from driftline.cli.conventions import say
from driftline.cli.options import FILE
from driftline.cli.source_options import SourceArguments, SourceCommand, source_options
from driftline.cli.text_options import TextArguments, text_options

DRAFTED_WORDS, MORE_WORDS = 6, 18
"""Number of words of a drafted topic, and number of those that take the place of words of other topics."""
HEADER = """\
# A guide for `driftline topics SOURCE --guide FILE`, drafted from a quick fit. Delete topics that you do not need,
# rename the others, and keep the words that describe each topic best. Further tables:
#
# [[together]]                      # words that are used alike
# words = ["car", "automobile"]
#
# [[apart]]                         # words that never share a topic
# words = ["hockey", "baseball"]
#
# [[label]]                         # documents that are about a topic
# topic = "NAME"
# documents = ["ID", "ID"]
#
# [[proportion]]                    # share of a topic: about, at_least, at_most or exactly; by = "month"
# topic = "NAME"
# about = [0.05, 0.15]
"""


@click.group()
def guide() -> None:
    """Draft a guide: a file of wishes about topics for `driftline topics --guide`."""


@guide.command(cls=SourceCommand)
@source_options
@click.option(
    "-k", "--topics", "n_topics", type=click.IntRange(1), default=10, show_default=True, help="Number of topics."
)
@click.option("--min-df", type=click.IntRange(1), default=3, show_default=True, help="Ignore words in fewer documents.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
@click.option("-o", "--output", type=FILE, help="Write to this file, not to the terminal.")
@text_options
def init(
    source: SourceArguments, n_topics: int, min_df: int, seed: int, output: Path | None, text: TextArguments
) -> None:
    """Draft a guide from a quick fit to SOURCE: its topics with their characteristic words."""
    from driftline.cli.output_path import check_output
    from driftline.core.errors import InvalidInput
    from driftline.core.progress import announce
    from driftline.guidance import Guide
    from driftline.persistence.atomic_file import write_text
    from driftline.streams.preparation import prepare
    from driftline.topics import LDA, show_words

    if output is not None:
        check_output(output, source.source, "--output")
    corpus = prepare(source.read(), **text.options).corpus(min_df=min_df, max_df=0.5)
    if not corpus.counts.nnz:
        raise InvalidInput("no word is in enough documents to find topics; lower --min-df or supply more documents")
    lda = LDA(n_topics, n_jobs=-1, random_state=seed, vocabulary=corpus.vocabulary).fit(corpus.counts)
    shown = [[str(word) for word in row] for row in show_words(lda, corpus.counts, DRAFTED_WORDS + MORE_WORDS)]
    column = {str(word): at for at, word in enumerate(corpus.vocabulary)}
    draft = Guide()
    for own in divided_words(shown, lambda topic, word: float(lda.topic_counts_[topic, column[word]])):
        name = next((word for word in own if not word.isdigit()), "")  # a number would be that of a topic
        if name:
            draft = draft.topic(name, own)
    written = f"{HEADER}\n{draft.to_toml()}\n"
    if output is None:
        for line in written.splitlines():
            say(line)
    else:
        write_text(output, written)
        announce(f"{len(draft.wishes)} topics drafted in {output}")


def divided_words(shown: list[list[str]], uses: Callable[[int, str], float]) -> list[list[str]]:
    """Return the first words of every topic, each in the topic that uses it most; later words replace the others."""
    owner: dict[str, int] = {}
    for k, row in enumerate(shown):
        for word in row[:DRAFTED_WORDS]:
            owner[word] = max((owner.get(word, k), k), key=lambda topic: uses(topic, word))
    found = []
    for k, row in enumerate(shown):
        own = [word for word in row[:DRAFTED_WORDS] if owner[word] == k]
        more = [word for word in row[DRAFTED_WORDS:] if word not in owner]
        found.append([*own, *more][:DRAFTED_WORDS])
        owner |= dict.fromkeys(found[-1], k)
    return found
