"""`driftline tag`: list the names and noun phrases of a source that rose or fell, or train a tagger."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from driftline.cli.conventions import json_option, print_json, print_table, say
from driftline.cli.options import EXISTING_FILE, FOLDER
from driftline.cli.source_options import SourceArguments, SourceCommand, source_options
from driftline.core.errors import InvalidInput

if TYPE_CHECKING:
    from driftline.analysis.findings.names import ChangedName
    from driftline.sequences.constrained_tagger import ConstrainedTagger
    from driftline.sequences.crf import CRF


@click.command(cls=SourceCommand)
@source_options
@click.option(
    "-m",
    "--model",
    type=FOLDER,
    metavar="MODEL",
    help="Folder of a saved tagger of universal parts of speech; by default the one for English.",
)
@click.option(
    "--guide",
    "guide_file",
    type=EXISTING_FILE,
    metavar="FILE",
    help="TOML file with rules about tags, which the tagger then follows.",
)
@click.option("--phrases", is_flag=True, help="Also list noun phrases.")
@click.option("--train", is_flag=True, help="Train a tagger on SOURCE, a CoNLL-U file, and save it in MODEL.")
@click.option(
    "--most",
    type=click.IntRange(1),
    default=20_000,
    show_default=True,
    help="Largest number of documents to tag.",
)
@json_option
def tag(
    source: SourceArguments,
    model: Path | None,
    guide_file: Path | None,
    phrases: bool,
    train: bool,
    most: int,
    as_json: bool,
) -> None:
    """List the names in SOURCE, and which of them became more or less frequent.

    Names are sequences of proper nouns. A change is tested by permuting whole days; q is the lowest false discovery
    rate at which it would still be reported.
    """
    if train and guide_file is not None:
        raise InvalidInput("--guide does not apply to --train; omit it")
    if train:
        _train(Path(source.source), model)
        return
    from driftline.analysis.findings.names import NameFindings, changed_names, evenly, mentions
    from driftline.sequences.text_sentences import capitals_warning
    from driftline.streams.preparation import prepare

    tagger = _tagger(model, guide_file)
    prepared = prepare(source.read())
    language = prepared.language.unspaced or (prepared.language.codes or ("en",))[0]
    if model is None and language != "en":
        raise InvalidInput(
            f"the language of the documents is {language}, but the tagger that comes with driftline knows only "
            f"English; train one from a CoNLL-U file with --train, and pass it with -m"
        )
    rows = evenly(len(prepared), most)
    texts = prepared.counted.take(rows).to_pylist()
    found = mentions(texts, tagger, phrases=phrases)
    changed, n_tested = changed_names(found, prepared.document_times[rows])
    if as_json:
        longest = max((len(text or "") for text in texts), default=0)
        print_json(NameFindings(changed, len(rows), len(prepared), longest, n_tested, found.capitals))
        return
    if changed:
        _print(changed)
    else:
        say("No name or phrase changed by more than chance explains.")
    say(f"{len(rows):,} of {len(prepared):,} documents tagged, {n_tested:,} names tested", err=True)
    warning = capitals_warning(found.capitals)
    if warning:
        say(f"Note: {warning}.", err=True)


def _print(changed: Sequence[ChangedName]) -> None:
    print_table(
        ["name or phrase", "change", "early, per 1,000", "late", "documents", "q"],
        [
            (
                *(one.text, one.change, f"{1000 * one.early:.3g}", f"{1000 * one.late:.3g}"),
                *(one.n_documents, f"{one.q_value:.2g}"),
            )
            for one in changed
        ],
    )


def _tagger(model: Path | None, guide_file: Path | None) -> CRF | ConstrainedTagger:
    """Return the tagger in a folder, or the one for English, under the rules of a guide if there is one."""
    from driftline.guidance import Guide
    from driftline.persistence.model import load
    from driftline.sequences.constrained_tagger import ConstrainedTagger
    from driftline.sequences.crf import CRF
    from driftline.sequences.shipped_tagger import english_tagger

    tagger = english_tagger() if model is None else load(model)
    if not isinstance(tagger, CRF | ConstrainedTagger):
        raise InvalidInput(f"{model} is a {type(tagger).__name__}, not a tagger; train one with --train")
    if guide_file is None:
        return tagger
    if not isinstance(tagger, CRF):
        raise InvalidInput(f"{model} is a tagger that already has rules; omit --guide")
    return ConstrainedTagger.of(tagger, Guide.read(guide_file))


def _train(path: Path, model: Path | None) -> None:
    from driftline.sequences.conllu import read_conllu
    from driftline.sequences.crf import CRF
    from driftline.sequences.templates import Templates

    if model is None:
        raise InvalidInput("--train needs a folder for the tagger: -m MODEL")
    sentences, tags = read_conllu(path)
    fitted = CRF(Templates.parts_of_speech(min_count=2), l2=0.5, epochs=12, random_state=0).fit(sentences, tags)
    fitted.save(model)
    say(f"a tagger of {len(fitted.classes_)} tags, trained on {len(sentences):,} sentences, is in {model}")
