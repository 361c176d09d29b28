"""`driftline describe`: summary and integrity of a saved model."""

from __future__ import annotations

import click

from driftline.cli.conventions import json_option, print_facts, print_json


@click.command()
@click.argument("model", type=click.Path())
@json_option
def describe(model: str, as_json: bool) -> None:
    """Describe a saved model, and check that it is intact.

    MODEL is a folder written by `model.save(…)`. Every file is checked against its hash; nothing is loaded.
    """
    from driftline.persistence.model_description import describe as described

    description = described(model)
    if as_json:
        print_json(description)
        return
    versions = {"driftline": description.driftline_version} | description.made_with
    print_facts(
        {
            "model": description.path,
            "class": description.class_name,
            "parameters": "\n".join(f"{name} = {value}" for name, value in description.parameters.items()) or "none",
            "learned": "\n".join(f"{name}: {value}" for name, value in description.state.items())
            or "nothing: it is not fitted",
            "files": "\n".join(f"{name}: {size:,} bytes" for name, size in description.files.items()),
            "made with": ", ".join(f"{name} {version}" for name, version in versions.items()),
            "state": "intact: every file matches its hash",
        }
    )
