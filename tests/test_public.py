"""Public names: few on top, and none hidden by a module of the same name."""

import pkgutil
from importlib import import_module

import thresher


def test_few_names_are_on_top():
    names = [name for name in thresher.__all__ if not name.startswith("_")]
    assert len(names) <= 22
    assert names == sorted(names)


def test_no_module_hides_a_public_name():
    packages = [found.name for found in pkgutil.walk_packages(thresher.__path__, "thresher.")]
    hidden = {}
    for package in map(import_module, ["thresher", *packages]):
        inside = {found.name for found in pkgutil.iter_modules(getattr(package, "__path__", []))}
        hidden[package.__name__] = inside & {*getattr(package, "__all__", ())}
    assert {name: names for name, names in hidden.items() if names} == {}
