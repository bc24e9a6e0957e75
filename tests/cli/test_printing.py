import sys

from thresher.cli.options import RULES
from thresher.cli.output import print_table
from thresher.text_table import Cell, TextTable
from thresher.threshold.rules import RULE_NAMES

TABLE = TextTable(
    "F1 [bold]here[/bold]",
    ("data set", "tree"),
    [["[red]one[/red]", Cell(0.75, is_best=True)]],
    ["A [b]note[/b]."],
)


def test_a_pipe_gets_plain_text(capsys):
    print_table(TABLE)
    assert capsys.readouterr().out == TABLE.as_text() + "\n\n"


def test_a_terminal_gets_a_drawn_table_whose_names_are_not_markup(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_table(TABLE)
    printed = capsys.readouterr().out
    assert "\N{BOX DRAWINGS LIGHT VERTICAL}" in printed
    for text in (TABLE.title, "[red]one[/red]", "0.750", "A [b]note[/b]."):
        assert text in printed


def test_the_command_line_offers_every_rule():
    assert RULES == RULE_NAMES
