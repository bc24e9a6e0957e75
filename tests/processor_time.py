"""Processor time: of a piece of work, for tests of how it grows, and of another process.

On a busy machine the clock on the wall says nothing of how soon a process does something.
"""

import time

import psutil


def least_time(work, tries=4):
    """Return the least processor time, in seconds, of a few tries."""
    return min(_time_of(work) for _ in range(tries))


def _time_of(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def spent_by(child):
    """Return the processor time that a running process has taken so far, in seconds."""
    times = psutil.Process(child.pid).cpu_times()
    return times.user + times.system


def end_of(child, seconds, patience=300):
    """Return what a process still writes until it ends, within so much processor time of its own.

    `patience`: seconds on the clock after which a process that waits for ever is given up.
    """
    import resource  # not on Windows

    others = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    spent = spent_by(child)
    written = child.communicate(timeout=patience)
    total = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - others  # it has ended by now
    assert total - spent < seconds
    return written
