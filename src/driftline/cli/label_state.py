"""Checks of the files that `driftline label` writes, so that neither a crash nor a mistake loses an answer."""

from __future__ import annotations

import json
from pathlib import Path

from driftline.cli.output_path import is_source
from driftline.core.errors import InvalidInput

BEGUN = "begun.json"
"""Name of the file that records the output of a state's first run until the state exists; that run may be repeated."""


def check_answers_may_be_written(output: Path, source: str, state: Path | None) -> None:
    """Refuse to replace a file that contains anything but answers that this run will write again.

    `state` is the folder of the state, which must be locked.
    """
    if not output.exists():
        return
    if is_source(output, source):
        raise InvalidInput(f"{output} is the source itself; name another file with -o")
    if state is None:
        from driftline.cli.answers_file import holds_answers

        if not holds_answers(output):
            raise InvalidInput(f"{output} exists and was not written by `driftline label`; name another file with -o")
    elif not _has_state(state) and _begun_output(state) != str(output.absolute()):
        raise InvalidInput(
            f"{output} exists, but {state} contains no state that could have written it; restore the state, "
            f"move the file away, or name another with -o"
        )


def check_suggestions_may_be_written(to_label: Path, source: str, state: Path | None) -> None:
    """Refuse to replace labelled suggestions, unless this run learns and saves their labels."""
    if not to_label.exists() or (state is not None and is_source(to_label, source)):
        return
    from driftline.cli.answers_file import holds_no_labels

    if not holds_no_labels(to_label):
        raise InvalidInput(
            f"{to_label} exists and contains labels, or is not a list of suggestions; "
            f"learn from it first (with --state), or name another file with --suggestions"
        )


def begin(state: Path, output: Path) -> None:
    """Record, before the first answers of a state are written, that they belong to it."""
    from driftline.cli.state_folder import write_state_file

    if not _has_state(state):
        write_state_file(state / BEGUN, json.dumps({"output": str(output.absolute())}).encode("ascii"))


def finish(state: Path) -> None:
    """Remove the record: the state itself now contains what was answered."""
    (state / BEGUN).unlink(missing_ok=True)


def labeller_of(state: Path) -> Path:
    """Return the path of a state's labeller."""
    return state / "labeller"


def _has_state(state: Path) -> bool:
    from driftline.persistence.model import is_saved_model

    return is_saved_model(labeller_of(state))


def _begun_output(state: Path) -> str | None:
    from driftline.cli.state_folder import read_state_file

    try:
        found: str | None = json.loads(read_state_file(state / BEGUN) or b"null")["output"]
        return found
    except (OSError, ValueError, KeyError, TypeError):
        return None
