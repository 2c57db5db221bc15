"""Which processes are there, and whether this one was told to end."""

import os
import signal
import subprocess
import sys

import pytest

from rag_ablation.core import process
from rag_ablation.core.process import alive, listen, started, told_to_end


def test_a_process_is_there_until_it_has_ended() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        assert alive(other.pid)
        other.kill()
        other.wait()
        assert not alive(other.pid)


@pytest.mark.skipif(not process.PROCESSES.is_dir(), reason="the system does not say when a process began")
def test_a_process_that_began_at_another_moment_is_another_one() -> None:
    start = started(os.getpid())
    assert alive(os.getpid(), start)
    assert not alive(os.getpid(), "0")


@pytest.mark.skipif(not process.PROCESSES.is_dir(), reason="the system does not say how a process is")
def test_a_process_that_has_ended_and_was_not_asked_how_is_not_there() -> None:
    with subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.read()  # until it has ended
        os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
        assert not alive(other.pid)


@pytest.mark.parametrize(
    ("number", "error", "status"), [("SIGINT", KeyboardInterrupt, 130), ("SIGTERM", SystemExit, 143)]
)
def test_a_request_to_end_is_raised_and_remembered(number: str, error: type[BaseException], status: int) -> None:
    kept = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    try:
        listen()
        assert told_to_end() is None
        with pytest.raises(error):
            signal.raise_signal(signal.Signals[number])
        assert told_to_end() == status
        listen()
        assert told_to_end() is None
    finally:
        signal.signal(signal.SIGINT, kept[0])
        signal.signal(signal.SIGTERM, kept[1])
