"""A list whose items are made when they are asked for."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar, overload

Item = TypeVar("Item")
Other = TypeVar("Other")


class LazyList(Sequence[Item]):
    """Items with a key each; all that are asked for at once are made at once.

    Examples
    --------
    >>> squares = LazyList(lambda keys: [key * key for key in keys], [2, 3, 4])
    >>> squares[-1], list(squares), list(squares.take([1]))
    (16, [4, 9, 16], [9])
    """

    def __init__(self, make: Callable[[Sequence[int]], list[Item]], keys: Sequence[int]) -> None:
        self._make, self.keys = make, keys

    def take(self, places: Sequence[int]) -> "LazyList[Item]":
        """Return some of the items, still to be made."""
        return LazyList(self._make, [self.keys[place] for place in places])

    def then(self, change: Callable[[Item], Other]) -> "LazyList[Other]":
        """Return what a function makes of the items, once they are made."""
        return LazyList(lambda keys: [change(one) for one in self._make(keys)], self.keys)

    @cached_property
    def _items(self) -> list[Item]:
        return self._make(self.keys)

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...
    def __getitem__(self, place: Any) -> Any:
        if "_items" in vars(self):
            return self._items[place]
        if isinstance(place, slice):
            return self._make(self.keys[place])
        return self._make([self.keys[place]])[0]


def taken(items: Sequence[Item], places: Sequence[int]) -> Sequence[Item]:
    """Return some items of a list; those of a lazy one are still to be made."""
    if isinstance(items, LazyList):
        return items.take(places)
    return tuple(items[place] for place in places)
