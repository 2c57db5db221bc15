"""Run four arms on the dev side of both handbooks and write data/README.md.

python -m experiments.handbooks [--root DIR]

Every number is read from the arms' result.json; data/README.md is introduction.md of this folder and the tables.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TARGET = HERE.parents[1] / "data" / "README.md"
PROGRAM = str(Path(sys.executable).parent / "rag-ablation")
ARMS = {"bm25": "BM25", "dense": "dense", "rrf": "RRF", "late_interaction": "late interaction"}
HANDBOOKS = ("handbook_zh", "handbook_en")
MEASURES = {"ndcg@10": "nDCG@10", "recall@5": "Recall@5", "mrr@10": "MRR@10"}


def sweep(dataset: str, root: Path) -> str:
    """Run the four arms; gives the words of the command."""
    words = ["run", "-m", f"variant={','.join(ARMS)}", f"dataset={dataset}", "latency=none"]
    subprocess.run([PROGRAM, "--root", str(root), *words], check=True)
    return "rag-ablation " + " ".join(words)


def results(root: Path, dataset: str) -> dict[str, Mapping[str, Any]]:
    """The newest record of each arm."""
    found = {}
    for path in sorted(root.glob("runs/*/result.json"), key=lambda path: path.stat().st_mtime):
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["dataset"] == dataset:
            found[record["variant"]] = record
    return {arm: found[arm] for arm in ARMS}


def table(records: Mapping[str, Mapping[str, Any]], measure: str) -> str:
    """One measure by type, all types last."""
    lines = ["| type | n (groups) | " + " | ".join(ARMS.values()) + " |", "|---|---:|" + "---:|" * len(ARMS)]
    first = next(iter(records.values()))
    for kind in [*first["slices"]["type"], None]:
        means = [
            record["points"]["final"][measure] if kind is None else record["slices"]["type"][kind][measure]
            for record in records.values()
        ]
        if means[0]["n"]:
            size = f"{means[0]['n']} ({means[0]['n_groups']})"
            name = "**all**" if kind is None else f"`{kind}`"
            lines.append(f"| {name} | {size} | " + " | ".join(map(shown, means)) + " |")
    return "\n".join(lines)


def shown(mean: Mapping[str, Any]) -> str:
    """Value and 95 % interval; what is undefined says so."""
    if mean["value"] is None:
        return f"undefined ({mean['reason']})"
    interval = "no interval" if mean["low"] is None else f"{mean['low']:.2f} to {mean['high']:.2f}"
    return f"{mean['value']:.3f} ({interval})"


def main() -> None:
    """Run both and write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path)
    root = (parser.parse_args().root or Path(tempfile.mkdtemp())).absolute()
    parts = [(HERE / "introduction.md").read_text(encoding="utf-8").strip()]
    for dataset in HANDBOOKS:
        command = sweep(dataset, root)
        records = results(root, dataset)
        counts = next(iter(records.values()))["counts"]
        excluded = ", ".join(f"{n} {name[9:]}" for name, n in counts.items() if name.startswith("excluded_"))
        parts.append(
            f"### {dataset}, dev side\n\n```\n{command}\n```\n\n{counts['scored']} of {counts['questions']} questions "
            f"are scored; excluded: {excluded}. Means over questions at the measuring point `final`, in parentheses "
            "the 95 % interval clustered by group. A type with few groups has a wide interval, or one that says "
            "nothing beyond its few questions."
        )
        parts += [f"{label}\n\n{table(records, measure)}" for measure, label in MEASURES.items()]
    TARGET.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
