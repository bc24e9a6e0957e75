"""`thresher completion`, in a real shell where there is one."""

import os
import shutil
import subprocess

import pytest

from tests.cli.program import command, run, run_here
from tests.requirements import require


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts(shell):
    done = run("completion", shell)
    assert done.returncode == 0, done.stderr
    assert f"_THRESHER_COMPLETE={shell}_complete" in done.stdout


def test_another_shell_is_a_usage_error():
    assert run_here("completion", "cmd").exit_code == 2


@pytest.mark.parametrize(
    ("typed", "expected"),
    [("thresher tr", "train"), ("thresher train x.csv --min-re", "--min-rec")],
)
def test_bash_completes(tmp_path, typed, expected):
    bash = shutil.which("bash")
    require(bash, "bash is not installed")
    program = tmp_path / "thresher"
    quoted = " ".join(f"'{part}'" if part else "''" for part in escaped(command()))
    program.write_text(f'#!/bin/sh\nexec {quoted} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    words = typed.split()
    script = (
        'eval "$(thresher completion bash)"\n'
        f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}\n"
        '_thresher_completion thresher "" ""; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        [bash, "-c", script], capture_output=True, text=True, env=environment, timeout=60
    )
    assert expected in done.stdout, done.stderr


def escaped(parts):
    return [part.replace("'", "'\\''") for part in parts]
