from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from rag_ablation.core.digest import digest_json
from rag_ablation.core.errors import DataError, Problem
from rag_ablation.data import beir
from rag_ablation.data._report import Place, Report

ABOUT, CORPUS, QUERIES, QRELS = "dataset.yaml", "corpus.jsonl", "queries.jsonl", "qrels.tsv"
EXPECTED = (
    f"a folder with {CORPUS}, {QUERIES} and {QRELS} (native layout) "
    f"or with {CORPUS}, {QUERIES} and {beir.FOLDER}/<split>.tsv (BEIR layout)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A folder's files; the bytes of those that are held whole, each read once."""

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

    def error(self, report: Report) -> DataError:
        """Every problem of the folder."""
        return report.error(f"{self.folder} ({self.layout} layout) cannot be used", self.order())


def find_source(path: Path, qrels: str | None, report: Report, *, hold_corpus: bool) -> Source:
    """Which files there are, in which layout.

    Args:
        path: the folder.
        qrels: which file of `qrels/`.
        report: receives a problem for each file that is missing or cannot be read.
        hold_corpus: whether the bytes of the corpus are read too.
    """
    layout, qrels_file = _layout(path, qrels, report)
    contents: dict[str, bytes] = {}
    for file in (ABOUT, CORPUS, QUERIES, qrels_file):
        if file is None or (file == ABOUT and not (path / file).exists()):
            continue
        try:
            if file != CORPUS or hold_corpus:
                contents[file] = (path / file).read_bytes()
            else:
                (path / file).open("rb").close()
        except FileNotFoundError:
            report.problem(Place(file, None), "file", f"no such file; in the folder: {_listing(path)}", EXPECTED)
        except OSError as error:
            report.problem(Place(file, None), "file", str(error.strerror), "a file that can be read")
    return Source(folder=path, layout=layout, qrels_file=qrels_file or "", contents=contents)


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
