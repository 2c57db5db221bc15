"""A folder in the native layout that needs mending on the way: another encoding, grades that mean something else."""

from rag_ablation.data.exchange._rows import QRELS, Origin, Rows
from rag_ablation.data.exchange._source import Source
from rag_ablation.data.exchange.beir import read_judgements, read_tables


def read(source: Source, rows: Rows) -> None:
    """Read corpus.jsonl, queries.jsonl and qrels.tsv.

    Args:
        source: the folder.
        rows: filled, with every problem.
    """
    read_tables(source, rows)
    path = source.path / QRELS
    if not path.is_file():
        rows.problem(Origin(QRELS), "file", f"no such file; in the folder: {source.listing()}", f"a file {QRELS}")
    read_judgements(source, rows, [path] if path.is_file() else [])
