"""All files of a folder, each by itself and then against each other: one reading for `load` and for `check`."""

import io
from collections.abc import Callable
from typing import BinaryIO

from rag_ablation.core.corpus import Unit
from rag_ablation.data import beir
from rag_ablation.data._about import About, read_about, usable_name
from rag_ablation.data._assemble import Parts
from rag_ablation.data._checks import Files, check_fit
from rag_ablation.data._folder import ABOUT, CORPUS, QUERIES, Source
from rag_ablation.data._index import CorpusIndex
from rag_ablation.data._report import Part, Place, Report, shown
from rag_ablation.data.native import PassageLine, QueryLine, read_corpus, read_queries
from rag_ablation.data.qrels import Judgement, read_qrels

Visit = Callable[[PassageLine], None]


def read(source: Source, corpus: BinaryIO | None, name: str | None, report: Report, visit: Visit) -> Parts:
    """Read each file, then check them against each other; a missing file gives an incomplete part.

    Args:
        source: the folder; of its corpus only the handle is used.
        corpus: the corpus at its start, None where there is none.
        name: name of the dataset; None takes it from dataset.yaml, else from the folder.
        report: receives every problem and notice.
        visit: receives each passage in the order of the file.
    """
    data = source.contents
    about = read_about(ABOUT, data[ABOUT], report) if ABOUT in data else About(identities={}, rest={})
    called = name or about.name or source.folder.resolve().name
    if not usable_name(called):
        report.problem(Place("", None), "name", shown(called), "a name of visible characters on one line")
    index = _index(corpus, about, report, visit)
    queries: Part[QueryLine] = (
        read_queries(QUERIES, data[QUERIES], report) if QUERIES in data else Part([], complete=False)
    )
    known = frozenset(row.query.id for row in queries.rows)
    judgements: Part[Judgement] = Part([], complete=False)
    if source.qrels_file in data:
        judgements = read_qrels(source.qrels_file, data[source.qrels_file], report)
        if source.layout == "BEIR":
            queries = beir.questions_in_set(source.qrels_file, queries, judgements.rows, report)
    files = Files(
        corpus=index,
        queries=queries,
        known_queries=known,
        qrels_file=source.qrels_file,
        judgements=judgements,
        identities=about.identities,
    )
    if not index.clash:
        check_fit(files, report)
    return Parts(name=called, about=about, files=files)


def _index(corpus: BinaryIO | None, about: About, report: Report, visit: Visit) -> CorpusIndex:
    index = CorpusIndex()

    def both(row: PassageLine) -> None:
        index.add(row)
        visit(row)

    unit = about.label_unit or about.unit or Unit.PASSAGE
    if corpus is None:
        index.close({}, False, unit, report)
    else:
        records = read_corpus(CORPUS, corpus, report, both)
        index.close(records.line_of, records.complete, unit, report)
    return index


def handle_of(data: bytes | None) -> BinaryIO | None:
    """Bytes as a file; None stays None."""
    return None if data is None else io.BytesIO(data)
