from thresher.cli.options import RULES
from thresher.threshold.rules import RULE_NAMES


def test_the_command_line_offers_every_rule():
    assert RULES == RULE_NAMES
