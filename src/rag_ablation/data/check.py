"""A dataset folder looked at without holding its corpus: any number of passages in bounded memory.

The files are read by the same code as in `load`. Of a passage stays what the checks need (`_index`, under
300 bytes); the text of those that a label names is read again from its place in the file.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from rag_ablation.core.corpus import Passages
from rag_ablation.core.errors import DataError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.data._answers import answer_notices
from rag_ablation.data._assemble import Parts, assemble
from rag_ablation.data._checks import Files
from rag_ablation.data._corpus_file import CorpusFile
from rag_ablation.data._findings import PassageTally, question_notices
from rag_ablation.data._folder import CORPUS, Source, find_source
from rag_ablation.data._reading import read
from rag_ablation.data._report import Report
from rag_ablation.data.native import PassageLine

LINES_BETWEEN = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check found.

    Args:
        benchmark: the dataset with, of its corpus, only the passages that a label names, and the fingerprints
            of all; None where the dataset cannot be used.
        error: every problem; None where there is none.
        notices: everything else worth knowing, one sentence each.
        n_passages: number of passages of the corpus.
        n_judgements: number of judgements.
    """

    benchmark: Benchmark | None
    error: DataError | None
    notices: tuple[str, ...]
    n_passages: int
    n_judgements: int


def check(path: Path, *, qrels: str | None = None, on_read: Callable[[int, int], None] | None = None) -> Checked:
    """Find everything that is wrong or worth knowing in a folder; nothing is written into it.

    Args:
        path: folder in the native or the plain BEIR layout.
        qrels: BEIR only, which file of `qrels/`.
        on_read: told now and then how many bytes of the corpus are read, and how many there are.

    Raises:
        DataError: there is no such folder, or the corpus changed meanwhile.
    """
    report = Report()
    source = find_source(path, qrels, report, hold_corpus=False)
    try:
        handle = (path / CORPUS).open("rb")
    except OSError:  # said already by find_source
        return _check(source, None, report, on_read)
    with handle:
        return _check(source, handle, report, on_read)


def _check(
    source: Source, corpus: BinaryIO | None, report: Report, on_read: Callable[[int, int], None] | None
) -> Checked:
    tally = PassageTally()
    size = (source.folder / CORPUS).stat().st_size if corpus is not None else 0

    def visit(row: PassageLine) -> None:
        tally.add(row)
        if on_read is not None and row.line % LINES_BETWEEN == 0:
            on_read(row.offset, size)

    parts = read(source, corpus, None, report, visit)
    if on_read is not None:
        on_read(size, size)
    notices = [*report.notices, *tally.notices(), *question_notices(parts.files)]
    benchmark = None
    if corpus is not None:
        texts = CorpusFile(corpus, parts.files.corpus, _named(parts.files))
        notices += answer_notices(parts.files, texts)
        benchmark = None if report.count else _benchmark(parts, texts, tuple(notices))
    return Checked(
        benchmark=benchmark,
        error=source.error(report) if report.count else None,
        notices=tuple(notices) if benchmark is None else benchmark.notices,
        n_passages=len(parts.files.corpus),
        n_judgements=len(parts.files.judgements.rows),
    )


def _benchmark(parts: Parts, texts: CorpusFile, notices: tuple[str, ...]) -> Benchmark:
    return assemble(parts, Passages(texts.kept()), texts.in_order(), notices)


def _named(files: Files) -> set[int]:
    """Rows of the passages that a judgement, an evidence group or `asked_about` names."""
    index = files.corpus
    units = {row.unit_id for row in files.judgements.rows}
    names: set[str] = set()
    for question in files.queries.rows:
        units.update(unit for group in question.evidence_groups for unit in group)
        names.update(question.asked_about)
    found = {row for unit in units | names for row in index.members(unit)}
    return found | {index.row(name) for name in names if name in index.line_of}
