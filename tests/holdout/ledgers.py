"""Ledgers of a few entries, and processes of their own that add to one."""

import os
import subprocess
import sys
from pathlib import Path

from rag_ablation.holdout.entry import Entry, Kind, Question, question_of
from rag_ablation.holdout.ledger import append, read_ledger
from tests.paths import ROOT

QUERIES = "0123456789abcdef" * 4
# Drops what lets root on Linux read and write against permissions, and becomes the command that follows.
DROP_OVERRIDE = """
import ctypes, os, sys
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2
for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
    assert ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""
FORGO = (sys.executable, "-c", DROP_OVERRIDE)


def questions(*texts: str) -> list[Question]:
    return [question_of(f"q{number}", text, number) for number, text in enumerate(texts)]


def add(path: Path, word: str, *, start_from: Path | None = None, queries: str = QUERIES) -> Entry:
    """An entry that notes one word."""
    details = {"dataset": "tiny", "queries": queries, "word": word}
    entry = append(path, lambda _: (Kind.IN_USE, questions(word), details), start_from=start_from)[1]
    assert entry is not None
    return entry


def filled(path: Path, *words: str) -> Path:
    for word in words:
        add(path, word)
    return path


def words(path: Path) -> list[str]:
    """What the entries note, in order; an entry that joins is a `+`."""
    return [str(entry.details.get("word", "+")) for entry in read_ledger(path).entries]


def process(code: str, *arguments: str, plain: bool = False) -> "subprocess.Popen[str]":
    """Python that runs beside the test, with this package; `plain`: permissions hold for it though it be root's."""
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [*(FORGO if plain and os.geteuid() == 0 else ()), sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
