from __future__ import annotations

import importlib

import click
import pytest

from driftline.cli.commands import COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_where_the_table_says(name):
    module, _, function = COMMANDS[name].home.partition(":")
    assert isinstance(getattr(importlib.import_module(module), function), click.Command)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_one_sentence_that_fits_a_line(name):
    assert COMMANDS[name].help.endswith(".")
    assert len(COMMANDS[name].help) <= 80
