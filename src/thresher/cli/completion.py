"""`thresher completion`: the script with which a shell completes commands and options."""

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script of a shell; load it in the shell's start-up file.

    bash: eval "$(thresher completion bash)"; zsh the same; fish: thresher completion fish | source
    """
    kind = get_completion_class(shell)
    assert kind is not None
    program = context.find_root().command
    click.echo(kind(program, {}, "thresher", "_THRESHER_COMPLETE").source())
