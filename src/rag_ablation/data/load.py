"""From a dataset folder to a `Benchmark`: start reading here.

The order of work: which layout, the bytes of its files, each file by itself, the files against each
other, then the nouns. Everything wrong is told at once.
"""

import threading
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from rag_ablation.core.corpus import DEFAULT_TEMPLATE, Passages, Unit, UnitMap
from rag_ablation.core.digest import digest_json
from rag_ablation.core.errors import DataError, Problem
from rag_ablation.core.evalset import Benchmark
from rag_ablation.data import beir
from rag_ablation.data._about import About, read_about, usable_name
from rag_ablation.data._assemble import Parts, assemble
from rag_ablation.data._checks import Files, check_fit
from rag_ablation.data._report import Part, Place, Report, shown
from rag_ablation.data.native import PassageLine, QueryLine, read_corpus, read_queries
from rag_ablation.data.qrels import Judgement, read_qrels

ABOUT, CORPUS, QUERIES, QRELS = "dataset.yaml", "corpus.jsonl", "queries.jsonl", "qrels.tsv"
EXPECTED = (
    f"a folder with {CORPUS}, {QUERIES} and {QRELS} (native layout) "
    f"or with {CORPUS}, {QUERIES} and {beir.FOLDER}/<split>.tsv (BEIR layout)"
)
MOST_KEPT = 4

_kept: dict[str, Benchmark] = {}
_lock = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """The bytes of a folder's files, each read once."""

    folder: Path
    layout: str
    qrels_file: str
    contents: dict[str, bytes]

    def digest(self) -> str:
        """The same for the same bytes in the same layout, wherever they lie."""
        files = [[file, sha256(data).hexdigest()] for file, data in sorted(self.contents.items())]
        return digest_json([self.layout, self.qrels_file, files])

    def order(self) -> tuple[str, ...]:
        """Files in the order in which problems are told."""
        return ("", ABOUT, CORPUS, QUERIES, self.qrels_file)


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
    source = _source(path, qrels, report)
    key = digest_json([source.digest(), name or path.resolve().name, template])
    with _lock:
        kept = _kept.get(key)
    if kept is not None and not report.problems:
        return kept
    parts = _read(source, name, report)
    if report.problems:
        raise report.error(f"{path} ({source.layout} layout) cannot be used", source.order())
    benchmark = assemble(parts, template, tuple(report.notices))
    with _lock:
        while len(_kept) >= MOST_KEPT:
            del _kept[next(iter(_kept))]
        _kept[key] = benchmark
    return benchmark


def _source(path: Path, qrels: str | None, report: Report) -> _Source:
    layout, qrels_file = _layout(path, qrels, report)
    contents: dict[str, bytes] = {}
    for file in (ABOUT, CORPUS, QUERIES, qrels_file):
        if file is None or (file == ABOUT and not (path / file).exists()):
            continue
        try:
            contents[file] = (path / file).read_bytes()
        except FileNotFoundError:
            report.problem(Place(file, None), "file", f"no such file; in the folder: {_listing(path)}", EXPECTED)
        except OSError as error:
            report.problem(Place(file, None), "file", str(error.strerror), "a file that can be read")
    return _Source(folder=path, layout=layout, qrels_file=qrels_file or "", contents=contents)


def _read(source: _Source, name: str | None, report: Report) -> Parts:
    """Read each file, then check them against each other; a missing file gives an incomplete part."""
    data = source.contents
    about = read_about(ABOUT, data[ABOUT], report) if ABOUT in data else About(identities={}, rest={})
    called = name or about.name or source.folder.resolve().name
    if not usable_name(called):
        report.problem(Place("", None), "name", shown(called), "a name of visible characters on one line")
    corpus: Part[PassageLine] = (
        read_corpus(CORPUS, data[CORPUS], report) if CORPUS in data else Part([], complete=False)
    )
    queries: Part[QueryLine] = (
        read_queries(QUERIES, data[QUERIES], report) if QUERIES in data else Part([], complete=False)
    )
    known = frozenset(row.query.id for row in queries.rows)
    judgements: Part[Judgement] = Part([], complete=False)
    if source.qrels_file in data:
        judgements = read_qrels(source.qrels_file, data[source.qrels_file], report)
        if source.layout == "BEIR":
            queries = beir.questions_in_set(source.qrels_file, queries, judgements.rows, report)
    units, unit_of = _units(corpus, about, report)
    files = Files(
        corpus=corpus,
        queries=queries,
        known_queries=known,
        qrels_file=source.qrels_file,
        judgements=judgements,
        unit_of=unit_of,
        identities=about.identities,
    )
    if units is not None:
        check_fit(files, report)
    return Parts(name=called, about=about, files=files, units=units)


def _units(corpus: Part[PassageLine], about: About, report: Report) -> tuple[UnitMap | None, list[str]]:
    passages = Passages(tuple(row.passage for row in corpus.rows))
    try:
        units = passages.units(about.label_unit or about.unit or Unit.PASSAGE)
    except DataError as error:
        report.problems.extend(error.problems)
        return None, []
    return units, [units.ids[row] for row in units.rows]


def _layout(path: Path, qrels: str | None, report: Report) -> tuple[str, str | None]:
    if not path.is_dir():
        raise DataError(f"{path} cannot be read", [_no_folder(path)])
    single, folder = (path / QRELS).exists(), (path / beir.FOLDER).is_dir()
    if single and folder and qrels is None:
        found = f"both {QRELS} (native layout) and {beir.FOLDER}/ (BEIR layout)"
        report.problem(Place("", None), "layout", found, "one of them, or qrels=<split> to choose the BEIR layout")
        return "native", None
    if folder:
        available = sorted(file.stem for file in (path / beir.FOLDER).glob(f"*{beir.SUFFIX}") if file.is_file())
        chosen = beir.choose_qrels(available, qrels, report)
        return "BEIR", None if chosen is None else f"{beir.FOLDER}/{chosen}{beir.SUFFIX}"
    if single and qrels is not None:
        found = f"qrels={qrels}, and no folder {beir.FOLDER}/"
        report.problem(Place("", None), "qrels", found, f"no such choice: this folder has one {QRELS} (native layout)")
    return ("native" if single else "unknown"), QRELS


def _no_folder(path: Path) -> Problem:
    found = "a file" if path.exists() else "no such folder"
    return Problem(field="dataset", found=found, expected=EXPECTED)


def _listing(path: Path) -> str:
    names = sorted(entry.name + ("/" if entry.is_dir() else "") for entry in path.iterdir())
    return ", ".join(names[:20]) + (", …" if len(names) > 20 else "") or "nothing"
