"""Studies of a few small arms, for runs through the command line."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import yaml

from tests.e2e.program import tiny

ARMS: tuple[dict[str, Any], ...] = (
    {"key": "A", "set": "variant=bm25"},
    {"key": "A2", "set": "variant=bm25 sparse.b=0", "parents": ["A"]},
    {"key": "Oracle", "set": "variant=oracle", "role": "bracket"},
)


def write_study(folder: Path, arms: Sequence[dict[str, Any]] = ARMS, *, data: Path | None = None, **more: Any) -> Path:
    """A study over a folder of 24 questions, logged nowhere; `more` are keys of its section."""
    section = {**more, "arms": list(arms)}
    return write_definition(folder, data or tiny(folder / "data"), study=section, split="none")


def write_definition(
    root: Path,
    data: Path,
    *,
    name: str = "tiny",
    tracking: str = "files",
    study: Mapping[str, Any] | None = None,
    **more: Any,
) -> Path:
    """A study of three arms over a dataset, over its dev side unless `split` is given.

    Args:
        root: under which it is written.
        data: folder of the dataset.
        name: of the study.
        tracking: where its runs are logged.
        study: keys of its section that shall differ.
        more: keys at the top of the definition.
    """
    section = {
        "question": {"en": "does it pay?", "zh": "值不值？"},
        "primary": "final/ndcg@10",
        "smallest_difference": 0.02,
        "strict": False,
        "fail_fast": False,
        "latency": None,
        "sweeps": [],
        "watched": [],
        "arm": None,
        "arms": [dict(arm) for arm in ARMS],
        **(study or {}),
    }
    defaults = [{"override /dataset": "folder"}, {"override /latency": "none"}, {"override /tracking": tracking}]
    definition = {"defaults": defaults, "dataset": {"path": str(data)}, **more, "study": section}
    home = root / "experiments" / name
    home.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(definition, allow_unicode=True, sort_keys=False)
    (home / "study.yaml").write_text("# @package _global_\n" + text, encoding="utf-8")
    return home


def table(root: Path, name: str) -> list[dict[str, Any]]:
    """Rows of one kind in the study's results."""
    rows: list[dict[str, Any]] = pq.read_table(root / "studies" / "tiny" / "results.parquet").to_pylist()
    return [row for row in rows if row["table"] == name]
