"""Inside a worker process: runs come in through a pipe, outcomes go out through another."""

import os
import pickle
import queue
import struct
import threading
from typing import IO, Any, NamedTuple

from thresher.benchmark.study.dataset import Dataset
from thresher.benchmark.study.execution import RunOutcome, error_text, execute

TABLE, RUN, REPLY = b"TRA"
"""Kinds of messages: a table, a run on it, and "started" or an outcome in return."""

STARTED = "started"
HEAD = struct.Struct("<BQ")


class Message(NamedTuple):
    """Pickled content of a kind."""

    kind: int
    body: bytes


def send(stream: IO[bytes], message: Message) -> None:
    """Write a message."""
    stream.write(HEAD.pack(message.kind, len(message.body)))
    stream.write(message.body)
    stream.flush()


def receive(stream: IO[bytes]) -> Message | None:
    """Return the next message, None at the end."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    kind, length = HEAD.unpack(head)
    body = stream.read(length)
    return Message(kind, body) if len(body) == length else None


def serve() -> None:
    """Execute the runs that come in, until the pipe is closed."""
    stream, replies = _take_over_pipes()
    inbox: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
    is_idle = threading.Event()
    is_idle.set()
    threading.Thread(target=_read, args=(stream, inbox, is_idle), daemon=True).start()
    table: bytes | Dataset = b""
    while (message := inbox.get()) is not None:
        if message.kind == TABLE:
            table = message.body
            continue
        table, outcome = _execute_message(message, table, replies)
        is_idle.set()
        _reply(replies, outcome)


def _execute_message(
    message: Message, table: bytes | Dataset, replies: IO[bytes]
) -> tuple[bytes | Dataset, RunOutcome]:
    """Return the table as it is read, and the outcome; its time begins when all is read."""
    try:
        dataset: Dataset = pickle.loads(table) if isinstance(table, bytes) else table
        run, pickled = pickle.loads(message.body)
        contender = pickle.loads(pickled)
    except Exception as error:  # such as a module that only the main process can import
        _reply(replies, STARTED)
        return table, RunOutcome("failed", f"Not readable in a worker process: {error_text(error)}")
    _reply(replies, STARTED)
    return dataset, execute(run, dataset, contender)


def _take_over_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Keep standard input and output for messages; methods read nothing and print to errors."""
    stream, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return stream, replies


def _read(
    stream: IO[bytes], inbox: "queue.SimpleQueue[Message | None]", is_idle: threading.Event
) -> None:
    """Pass messages on; once the study has gone, nobody waits for a run that is under way."""
    while (message := receive(stream)) is not None:
        is_idle.clear()
        inbox.put(message)
    if not is_idle.is_set():
        os._exit(1)
    inbox.put(None)


def _reply(stream: IO[bytes], value: Any) -> None:
    try:
        send(stream, Message(REPLY, pickle.dumps(value)))
    except OSError:  # the study has gone
        os._exit(1)
