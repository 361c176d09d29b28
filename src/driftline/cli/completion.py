"""`driftline completion`: shell completion."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script for SHELL.

    \b
    bash:  eval "$(driftline completion bash)"      in ~/.bashrc
    zsh:   eval "$(driftline completion zsh)"       in ~/.zshrc
    fish:  driftline completion fish | source       in ~/.config/fish/config.fish
    """
    from click.shell_completion import ShellComplete, get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"this version of click has no completion for {shell}")
    script = kind(ctx.find_root().command, {}, "driftline", "_DRIFTLINE_COMPLETE")
    # Called directly, click's bash class would first run bash to find its version.
    click.echo(ShellComplete.source(script))
