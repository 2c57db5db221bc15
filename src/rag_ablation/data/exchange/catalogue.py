"""Which formats there are. A format's file is imported when it is used."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from rag_ablation.core.errors import DataError
from rag_ablation.data.exchange._rows import Rows
from rag_ablation.data.exchange._source import Source
from rag_ablation.data.exchange.options import Options

PACKAGE = "rag_ablation.data.exchange"
NAMES = frozenset({"name", "language", "label_unit"})
FILES = frozenset({"corpus", "questions", "qrels"})
TEXT = frozenset({"encoding"})
TABLE = frozenset({"columns", "separator"})
GRADED = frozenset({"grades"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format of others.

    Args:
        title: its name in sentences.
        module: file that reads and writes it.
        reads: options that reading takes; None where it is not read.
        writes: options that writing takes; None where it is not written.
    """

    title: str
    module: str
    reads: frozenset[str] | None
    writes: frozenset[str] | None


class Reader(Protocol):
    """What `read` of a format is."""

    def __call__(self, source: Source, rows: Rows) -> None:
        """Fill the rows from the source."""


Writer = Callable[[Rows, Path, Options], list[str]]

OPTION_WORDS = {
    "corpus": "--corpus",
    "questions": "--questions",
    "qrels": "--qrels",
    "split": "--split-name",
    "columns": "--column",
    "separator": "--separator",
    "delimiter": "--delimiter",
    "encoding": "--encoding",
    "grades": "--grade-map",
    "name": "--name",
    "language": "--language",
    "label_unit": "--label-unit",
}

SPLIT = frozenset({"split", "qrels"})
FORMATS = {
    "beir": Format(title="BEIR", module="beir", reads=NAMES | TEXT | GRADED | SPLIT, writes=SPLIT),
    "native": Format(title="native", module="native_folder", reads=NAMES | TEXT | GRADED, writes=None),
    "trec": Format(title="TREC", module="trec", reads=NAMES | TEXT | GRADED | FILES, writes=frozenset({"qrels"})),
    "squad": Format(title="SQuAD", module="squad", reads=(NAMES | TEXT | {"split"}) - {"label_unit"}, writes=SPLIT),
    "csv": Format(
        title="CSV",
        module="csv_files",
        reads=NAMES | TEXT | GRADED | FILES | TABLE | {"delimiter"},
        writes=frozenset({"qrels", "separator", "delimiter"}),
    ),
    "xlsx": Format(title="XLSX", module="xlsx", reads=NAMES | GRADED | FILES | TABLE, writes=None),
    "samples": Format(
        title="samples",
        module="samples",
        reads=NAMES | TEXT | GRADED | {"corpus", "questions", "delimiter"},
        writes=frozenset({"qrels"}),
    ),
    "parquet": Format(title="Parquet", module="parquet", reads=NAMES | GRADED | {"split"}, writes=SPLIT),
    "ir_datasets": Format(title="ir_datasets", module="ir_datasets_ids", reads=NAMES | GRADED, writes=None),
}


def readable() -> list[str]:
    """Names of the formats that can be read."""
    return [name for name, item in FORMATS.items() if item.reads is not None]


def writable() -> list[str]:
    """Names of the formats that can be written."""
    return [name for name, item in FORMATS.items() if item.writes is not None]


def reader(name: str, options: Options) -> Reader:
    """The `read` of a format.

    Raises:
        DataError: no such format, or an option that it does not take.
    """
    _check(name, {name: item.reads for name, item in FORMATS.items()}, options)
    return cast("Reader", import_module(f"{PACKAGE}.{FORMATS[name].module}").read)


def writer(name: str, options: Options) -> Writer:
    """The `write` of a format.

    Raises:
        DataError: no such format, or an option that it does not take.
    """
    _check(name, {name: item.writes for name, item in FORMATS.items()}, options)
    return cast("Writer", import_module(f"{PACKAGE}.{FORMATS[name].module}").write)


def _check(name: str, taken_by: Mapping[str, frozenset[str] | None], options: Options) -> None:
    taken = taken_by.get(name)
    if taken is None:
        available = ", ".join(key for key, value in taken_by.items() if value is not None)
        raise DataError.of("FORMAT", repr(name), f"one of: {available}")
    extra = [OPTION_WORDS[option] for option in options.given() if option not in taken]
    if extra:
        known = ", ".join(sorted(OPTION_WORDS[option] for option in taken))
        raise DataError.of("options", f"{', '.join(extra)}, which {name} does not take", f"of these: {known}")
