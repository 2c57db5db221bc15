"""A dataset of the package ir_datasets, by its id. Needs the extra `ir-datasets`."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from rag_ablation.core.errors import DataError
from rag_ablation.data._report import shown
from rag_ablation.data.exchange._grades import read_grade
from rag_ablation.data.exchange._rows import Origin, Rows
from rag_ablation.data.exchange._source import Source

TEXT_FIELDS = ("text", "body", "contents")
QUESTION_FIELDS = ("text", "query", "title", "question")
EXPECTED = "an id of ir_datasets with docs, queries and qrels, such as beir/scifact/test"


class _Item(Protocol):
    def _asdict(self) -> dict[str, object]: ...


class _Dataset(Protocol):
    def has_docs(self) -> bool: ...

    def has_queries(self) -> bool: ...

    def has_qrels(self) -> bool: ...

    def docs_iter(self) -> Iterable[_Item]: ...

    def queries_iter(self) -> Iterable[_Item]: ...

    def qrels_iter(self) -> Iterable[_Item]: ...


def read(source: Source, rows: Rows) -> None:
    """Read documents, queries and judgements.

    A query without a judgement becomes a question of status `unreviewed`.

    Args:
        source: its name is the id.
        rows: filled, with every problem.

    Raises:
        DataError: the package is missing, there is no such id, or its data cannot be had.
    """
    dataset = _dataset(source.name)
    missing = [what for what in ("docs", "queries", "qrels") if not getattr(dataset, f"has_{what}")()]
    if missing:
        raise DataError.of("SRC", f"{source.name!r}, which has no {', '.join(missing)}", EXPECTED)
    for number, values in _items(source.name, "docs", dataset.docs_iter):
        _add_passage(Origin(f"{source.name} docs", number), values, rows)
    for number, values in _items(source.name, "queries", dataset.queries_iter):
        _add_question(Origin(f"{source.name} queries", number), values, rows)
    for number, values in _items(source.name, "qrels", dataset.qrels_iter):
        origin = Origin(f"{source.name} qrels", number)
        grade = read_grade(origin, values.get("relevance"), source.options, rows)
        if grade is not None:
            rows.add_judgement(origin, str(values.get("query_id")), str(values.get("doc_id")), grade)
    rows.about.setdefault("source", f"ir_datasets {source.name}")
    rows.mark_unjudged()


def _dataset(name: str) -> _Dataset:
    try:
        import ir_datasets  # noqa: PLC0415
    except ImportError as error:
        expected = 'pip install "rag-ablation[ir-datasets]"'
        raise DataError.of("FORMAT", "ir_datasets, and the package is not installed", expected) from error
    try:
        dataset: _Dataset = ir_datasets.load(name)
    except KeyError as error:
        raise DataError.of("SRC", f"{name!r}, which ir_datasets does not know", EXPECTED) from error
    return dataset


def _items(name: str, what: str, items: "_Iterate") -> Iterator[tuple[int, dict[str, object]]]:
    """Records in order; what the package cannot fetch is one clear error."""
    try:
        for number, item in enumerate(items(), start=1):
            yield number, item._asdict()
    except (OSError, RuntimeError, EOFError) as error:
        reason = " ".join(str(error).split())[:200]
        expected = "its files, which ir_datasets downloads to IR_DATASETS_HOME (by default ~/.ir_datasets)"
        raise DataError.of(what, f"no data ({type(error).__name__}: {reason})", expected, file=name) from error


class _Iterate(Protocol):
    def __call__(self) -> Iterable[_Item]: ...


def _add_passage(origin: Origin, values: dict[str, object], rows: Rows) -> None:
    name, title = values.pop("doc_id", None), values.pop("title", None)
    key = next((key for key in TEXT_FIELDS if isinstance(values.get(key), str)), None)
    if key is None:
        strings = [value for value in values.values() if isinstance(value, str) and value]
        rows.count("documents without a field text or body, whose fields are joined by line breaks", str(name))
        text, rest = "\n".join(strings), {k: v for k, v in values.items() if not isinstance(v, str)}
    else:
        text, rest = str(values.pop(key)), values
    rows.add_passage(origin, name, title if isinstance(title, str) else "", text, _kept(rest, rows))


def _add_question(origin: Origin, values: dict[str, object], rows: Rows) -> None:
    name = values.pop("query_id", None)
    key = next((key for key in QUESTION_FIELDS if isinstance(values.get(key), str)), None)
    if key is None:
        rows.problem(origin, "text", shown(sorted(values)), f"a field {' or '.join(QUESTION_FIELDS)}")
        return
    if key != "text":
        rows.count(f"queries whose text is the field {key}")
    text = values.pop(key)
    rows.add_question(origin, name, text, _kept(values, rows))


def _kept(values: dict[str, object], rows: Rows) -> dict[str, object]:
    """Other fields that are text; the rest has no form of its own in JSON."""
    for key, value in values.items():
        if value is not None and not isinstance(value, str):
            rows.count(f"values of {key} ({type(value).__name__}), which are not kept")
    return {key: value for key, value in values.items() if isinstance(value, str) and value}
