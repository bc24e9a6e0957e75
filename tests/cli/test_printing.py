import sys

from thresher.cli.printing import print_table
from thresher.text_table import Cell, TextTable

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
