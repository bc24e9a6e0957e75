"""The tree unfolds, by mouse and by keyboard."""

from tests.report.reports import line_report


def inner_nodes(node):
    return bool(node["children"]) + sum(inner_nodes(child) for child in node["children"])


def test_a_node_unfolds_by_click_and_folds_again(opened):
    first = opened.page.locator(".tree details details > summary").first
    below = opened.page.locator(".tree details details li").first
    assert below.is_visible()  # a tree of at most 32 leaves is open
    first.click()
    assert not below.is_visible()
    first.click()
    assert below.is_visible()


def test_a_node_unfolds_by_keyboard(opened):
    first = opened.page.locator(".tree details details > summary").first
    below = opened.page.locator(".tree details details li").first
    first.focus()
    for key, is_open in (("Enter", False), ("Space", True), ("Space", False)):
        opened.page.keyboard.press(key)
        assert below.is_visible() is is_open


def test_all_nodes_unfold_and_fold(opened):
    count = inner_nodes(line_report()["tree"]["root"])
    opened.page.locator('button[data-unfold="all"]').click()
    assert opened.page.locator(".tree details[open]").count() == count > 3
    leaves = opened.page.locator(".tree .leaf")
    assert all(leaf.is_visible() for leaf in leaves.all())
    assert opened.page.locator(".tree .says.alert").count() >= 3
    opened.page.locator('button[data-unfold="none"]').click()
    assert opened.page.locator(".tree details[open]").count() == 0
