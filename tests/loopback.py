"""An application served over HTTP on loopback, and requests to it."""

import json
import threading
import time
import urllib.request
from contextlib import contextmanager

import uvicorn


@contextmanager
def served(app):
    """Serve an application as long as the block runs; yields its address."""
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    end = time.monotonic() + 60
    while not server.started and thread.is_alive() and time.monotonic() < end:
        time.sleep(0.02)
    assert server.started
    try:
        host, port = server.servers[0].sockets[0].getsockname()[:2]
        yield f"http://{host}:{port}"
    finally:
        server.should_exit = True
        thread.join(60)


def post(address, content):
    """Send JSON; return the status and the answer's JSON."""
    data = json.dumps(content).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)
