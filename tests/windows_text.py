"""Text files as Windows writes them."""

from pathlib import Path


def write_as_windows(monkeypatch):
    """End lines as Windows does, wherever a writer does not say how they end."""
    usual = Path.write_text

    def write_text(path, data, encoding=None, errors=None, newline=None):
        return usual(path, data, encoding, errors, "\r\n" if newline is None else newline)

    monkeypatch.setattr(Path, "write_text", write_text)
