"""Processor time of a piece of work, for tests of how it grows."""

import time


def least_time(work, tries=4):
    """Return the least processor time, in seconds, of a few tries."""
    return min(_time_of(work) for _ in range(tries))


def _time_of(work):
    start = time.process_time()
    work()
    return time.process_time() - start
