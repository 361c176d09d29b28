from dataclasses import asdict, fields

import click
import pytest
from click.testing import CliRunner

from driftline.analysis.headlines.rules import DEFAULT_RULES, HeadlineRules
from driftline.cli.headline_options import headline_options


@click.command
@headline_options
def shown(headlines):
    click.echo(repr(HeadlineRules(**headlines)))


def rules_of(*arguments):
    result = CliRunner().invoke(shown, arguments)
    assert result.exit_code == 0, result.output
    return result.output.strip()


def test_every_rule_has_an_option_with_the_same_default():
    assert rules_of() == repr(DEFAULT_RULES)
    given = [option.name for option in shown.params]
    assert sorted(given) == sorted(field.name for field in fields(HeadlineRules))


@pytest.mark.parametrize("option", shown.params, ids=lambda option: option.name)
def test_an_option_sets_its_rule_and_no_other(option):
    value = 1 if option.name != "min_similarity" else 0.5
    value = 2 if getattr(DEFAULT_RULES, option.name) == value else value
    expected = asdict(DEFAULT_RULES) | {option.name: option.type.convert(value, option, None)}
    assert rules_of(option.opts[0], str(value)) == repr(HeadlineRules(**expected))
