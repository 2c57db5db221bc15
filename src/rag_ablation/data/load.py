"""From a dataset folder to a `Benchmark`: start reading here.

The order of work: which layout and which files (`_folder`), each file by itself, then the files against
each other (`_reading`, `_checks`), then the nouns (`_assemble`). Everything wrong is told at once.
"""

import threading
from pathlib import Path

from rag_ablation.core.corpus import DEFAULT_TEMPLATE, Passage, Passages
from rag_ablation.core.digest import digest_json
from rag_ablation.core.evalset import Benchmark
from rag_ablation.data._assemble import assemble
from rag_ablation.data._folder import ABOUT, CORPUS, QRELS, QUERIES, Source, find_source
from rag_ablation.data._reading import handle_of, read
from rag_ablation.data._report import Report

__all__ = ["ABOUT", "CORPUS", "QRELS", "QUERIES", "benchmark_of", "load"]

MOST_KEPT = 4

_kept: dict[str, Benchmark] = {}
_lock = threading.Lock()


def load(
    path: Path, *, qrels: str | None = None, template: str = DEFAULT_TEMPLATE, name: str | None = None
) -> Benchmark:
    """Read and check a dataset folder; nothing is ever written into it.

    The same bytes are parsed once per process, and an edited file is always seen.

    Args:
        path: folder in the native or the plain BEIR layout.
        qrels: BEIR only, which file of `qrels/`; may be left out where there is one.
        template: how a passage becomes the text that stages read.
        name: name of the dataset; None takes it from dataset.yaml, else from the folder.

    Returns:
        The benchmark, questions and passages in id order.

    Raises:
        DataError: with every problem of every file.
    """
    report = Report()
    source = find_source(path, qrels, report, hold_corpus=True)
    key = digest_json([source.digest(), name or path.resolve().name, template])
    with _lock:
        kept = _kept.get(key)
    if kept is not None and not report.problems:
        return kept
    benchmark = benchmark_of(source, report, template=template, name=name)
    with _lock:
        while len(_kept) >= MOST_KEPT:
            del _kept[next(iter(_kept))]
        _kept[key] = benchmark
    return benchmark


def benchmark_of(
    source: Source, report: Report, *, template: str = DEFAULT_TEMPLATE, name: str | None = None
) -> Benchmark:
    """The benchmark of files that are read already.

    Args:
        source: the files, the corpus among them.
        report: what was found while they were read.
        template: how a passage becomes the text that stages read.
        name: name of the dataset; None takes it from dataset.yaml, else from the folder.

    Raises:
        DataError: with every problem of every file.
    """
    rows: list[Passage] = []
    corpus = handle_of(source.contents.get(CORPUS))
    parts = read(source, corpus, name, report, lambda row: rows.append(row.passage))
    if report.problems:
        raise source.error(report)
    rows.sort(key=lambda passage: passage.id)
    return assemble(parts, Passages(tuple(rows), template), rows, tuple(report.notices))
