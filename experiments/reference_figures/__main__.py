"""Run the reference figures and write README.md beside this file.

RAG_ABLATION_COLLECTIONS=… RAG_ABLATION_MODELS=… python -m experiments.reference_figures [--root DIR]

Every number comes from `rag-ablation run`, read back from MLflow by its metric names; differences come from
the leaderboard that the sweep logged.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from rag_ablation.tracking.mlflow_tracker import MlflowTracker

HERE = Path(__file__).parent
PROGRAM = str(Path(sys.executable).parent / "rag-ablation")
METRICS = ["final/recall_at_1", "final/recall_at_10", "final/mrr_at_10", "final/ndcg_at_10"]
LADDER = "variant=bm25,dense,rrf"
CROSS_ENCODER = ["variant=bm25,bm25_rerank", "rerank.depth=20", "rerank.model={models}/ce-minilm-sentences-en"]
# name of the MLflow experiment, collection, words of the command
SWEEPS: list[tuple[str, str, list[str]]] = [
    ("xquad_zh", "xquad_zh", ["variant=bm25"]),
    ("xquad_en", "xquad_en", ["variant=bm25,dense", "dense.model=minilm"]),
    ("xquad_zh_sentences", "xquad_zh_sentences", [LADDER, "dense.model=e5_small"]),
    ("xquad_en_sentences", "xquad_en_sentences", ["variant=bm25,dense,rrf,late_interaction", "rerank.depth=20"]),
    ("cross_encoder_sentences", "xquad_en_sentences", [*CROSS_ENCODER, "dataset.sample=200"]),
    ("cross_encoder_paragraphs", "xquad_en", [*CROSS_ENCODER, "dataset.sample=100"]),
]


def sweep(experiment: str, collections: Path, root: Path) -> str:
    """Run one sweep; gives the words of its command."""
    _, collection, words = next(found for found in SWEEPS if found[0] == experiment)
    words = [word.format(models=os.environ.get("RAG_ABLATION_MODELS")) for word in words]
    data = ["dataset=folder", f"dataset.path={collections / collection}", "split=none"]
    command = ["run", "-m", *words, *data, f"tracking.experiment={experiment}", "latency=none"]
    subprocess.run([PROGRAM, "--root", str(root), *command], check=True)
    return "rag-ablation " + " ".join(command).replace(str(collections), "$RAG_ABLATION_COLLECTIONS")


def read(root: Path, experiment: str) -> list[dict[str, object]]:
    """The arms of a sweep, read back from MLflow."""
    return MlflowTracker.open(None, root).runs(experiment, METRICS)


def table(root: Path, experiment: str) -> str:
    """The arms' metrics as Markdown."""
    lines = [f"| arm | n | {' | '.join(METRICS)} |", "| --- | ---: |" + " ---: |" * len(METRICS)]
    for row in read(root, experiment):
        cells = [f"{row[name]:.4f}" for name in METRICS]
        lines.append(f"| {row['name']} | {row['scored']:.0f} | {' | '.join(cells)} |")
    return "\n".join(lines)


def differences(root: Path) -> str:
    """The second table of the newest sweep's leaderboard, where there is one."""
    newest = max(root.glob("runs/*/leaderboard.md"), key=lambda path: path.stat().st_mtime)
    parts = newest.read_text(encoding="utf-8").split("\n\n")
    found = [part for part in parts if part.startswith("| difference")]
    return found[0] if found else ""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path)
    args = parser.parse_args()
    collections = Path(os.environ["RAG_ABLATION_COLLECTIONS"]).absolute()
    root = (args.root or Path(tempfile.mkdtemp())).absolute()
    os.environ.pop("MLFLOW_TRACKING_URI", None)
    parts = [(HERE / "introduction.md").read_text(encoding="utf-8").strip()]
    for experiment, _, _ in SWEEPS:
        command = sweep(experiment, collections, root)
        shown = command.replace(os.environ.get("RAG_ABLATION_MODELS", "\0"), "$RAG_ABLATION_MODELS")
        parts.append(
            f"## {experiment}\n\n```\n{shown}\n```\n\n{table(root, experiment)}\n\n{differences(root)}".strip()
        )
    (HERE / "README.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
