"""Run the ladder on the Chinese handbook and write docs/lost-evidence.md with its pictures.

python -m experiments.lost_evidence [--root DIR]

The page is introduction.md of this folder, the tables, and conclusion.md with its numbers filled in from the records.
Its words hold for the numbers that `claims` checks; where one fails, the page is not written.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pyarrow import parquet

from rag_ablation.core.record import ArmRecord
from rag_ablation.report.flow import cuts_of, flow
from rag_ablation.report.flow_svg import NARROW, WIDE, drawn
from rag_ablation.report.leaderboard import Leaderboard, Table
from rag_ablation.report.losses import fates_by_type, losses
from rag_ablation.report.markdown import to_markdown
from rag_ablation.tracking.files import read_record

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs"
TARGET = DOCS / "lost-evidence.md"
PICTURES = {"lost-evidence-flow.svg": WIDE, "lost-evidence-flow-narrow.svg": NARROW}
PROGRAM = str(Path(sys.executable).parent / "rag-ablation")
WORDS = ["run", "-m", "arms=ladder", "dataset=handbook_zh", "latency=none"]
SHOWN_BY_TYPE = ("a", "c60", "d")
IN_POOL = ("lost_in_rerank", "not_promoted")


def arms(root: Path) -> list[tuple[ArmRecord, Path]]:
    """Run the ladder; gives the arms of this sweep in its order."""
    before = set(root.glob("runs/*/result.json"))
    subprocess.run([PROGRAM, "--root", str(root), *WORDS], check=True)
    found = sorted(set(root.glob("runs/*/result.json")) - before, key=lambda path: path.stat().st_mtime_ns)
    return [(read_record(path.parent), path.parent) for path in found]


def key(arm: ArmRecord) -> str:
    """How the conclusion calls an arm."""
    if arm.variant == "rrf":
        return f"c{arm.settings['fusion']['rank_constant']}"
    return {"bm25": "a", "dense": "b", "late_interaction": "d", "dense_rerank": "bd"}.get(arm.variant, arm.variant)


def facts(arm: ArmRecord, points: Mapping[str, str]) -> dict[str, Any]:
    """Counts and points of an arm, and counts by type, for the conclusion.

    Args:
        arm: its record.
        points: its row of the table in points, by heading.
    """
    slices = arm.slices.get("type", {})
    by_type = {
        kind: {**counts, **_sums(counts), "questions": next((mean.n for mean in slices.get(kind, {}).values()), 0)}
        for kind, counts in arm.evidence["by_type"].items()
    }
    counts = arm.evidence["counts"]
    cuts = cuts_of(arm)
    sizes = {"window": cuts.window, "pool": cuts.pool, "depth": cuts.depth, "passages": arm.counts["passages"]}
    return {**counts, **_sums(counts), **sizes, "context recall": points["context recall"], **by_type}


def claims(known: Mapping[str, Mapping[str, Any]]) -> Sequence[tuple[str, bool]]:
    """What conclusion.md says in words."""
    a, b, c60, c10, d, bd = (known[name] for name in ("a", "b", "c60", "c10", "d", "bd"))
    recall = {name: float(fact["context recall"]) for name, fact in known.items()}
    return (
        ("the two retrievers together miss few", c60["not_retrieved"] * 20 < c60["units"]),
        ("BM25 alone misses more than both", a["not_retrieved"] > 2 * c60["not_retrieved"]),
        ("most of what it misses are paraphrases'", 2 * a["paraphrase"]["not_retrieved"] > a["not_retrieved"]),
        ("a small constant buries less", c10["lost_in_fusion"] < c60["lost_in_fusion"]),
        ("and keeps more", recall["c10"] > recall["c60"]),
        ("about where dense stands alone", abs(recall["c10"] - recall["b"]) <= 1),
        ("reranking keeps more than fusion and dense", min(d["kept"], bd["kept"]) > max(c60["kept"], b["kept"])),
        ("most of what is lost stood in the pool", 2 * d["in_pool"] > d["lost"]),
    )


def main() -> None:
    """Run, draw and write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path)
    root = (parser.parse_args().root or Path(tempfile.mkdtemp())).absolute()
    found = arms(root)
    records = [record for record, _ in found]
    lost = losses(records)
    if lost.points is None:
        raise SystemExit("no arm of the ladder has evidence")
    by_arm = {row[0]: dict(zip(lost.points.headings, row, strict=True)) for row in lost.points.rows}
    known = {key(record): facts(record, by_arm[record.arm]) for record in records}
    if broken := [claim for claim, holds in claims(known) if not holds]:
        raise SystemExit(f"conclusion.md no longer holds: {'; '.join(broken)}; rewrite it")
    at = {key(record): (record, folder) for record, folder in found}
    written = flow(at["d"][0], parquet.read_table(at["d"][1] / "fates.parquet").to_pydict())
    for name, layout in PICTURES.items():
        (DOCS / "images" / name).write_text(drawn(written, layout=layout), encoding="utf-8")
    by_type = [fates_by_type(at[name][0]) for name in SHOWN_BY_TYPE]
    groups = [table for table in lost.details if table.title.startswith("evidence groups")]
    TARGET.write_text(_page(records[0], (lost.points, lost.details[0], *groups), by_type, known), encoding="utf-8")


def _page(
    first: ArmRecord, tables: Sequence[Table], by_type: Sequence[Table], known: Mapping[str, Mapping[str, Any]]
) -> str:
    excluded = ", ".join(f"{n} {name[9:]}" for name, n in first.counts.items() if name.startswith("excluded_"))
    narrow, wide = sorted(PICTURES, key=lambda name: PICTURES[name].width)
    picture = (
        f'<picture>\n<source media="(max-width: 720px)" srcset="images/{narrow}">\n<img src="images/{wide}" '
        'alt="The way of the relevant units through the arm late_interaction, from retrieval to the context">\n'
        "</picture>"
    )
    parts = [
        (HERE / "introduction.md").read_text(encoding="utf-8").strip(),
        f"## The ladder on handbook_zh, dev side\n\n```\nrag-ablation {' '.join(WORDS)}\n```",
        f"{first.counts['scored']} of {first.counts['questions']} questions in {first.counts['groups']} groups are "
        f"scored; excluded: {excluded}.",
        *(_markdown(table) for table in tables),
        "## The way through one arm",
        picture,
        "Width is the number of units. At each level the bands that go on, and all that left there or before, add up "
        "to all units. The darker ribbon is what the reranker lifted from below the cut.",
        "## By question type",
        *(_markdown(table) for table in by_type),
        (HERE / "conclusion.md").read_text(encoding="utf-8").strip().format_map(known),
    ]
    return "\n\n".join(parts) + "\n"


def _sums(counts: Mapping[str, int]) -> dict[str, int]:
    visible = sum(counts.values()) - counts.get("not_visible", 0)
    return {
        "units": sum(counts.values()),
        "lost": visible - counts["kept"] - counts.get("redundant", 0),
        "in_pool": sum(counts[name] for name in IN_POOL),
    }


def _markdown(table: Table) -> str:
    return to_markdown(Leaderboard(tables=(table,), remarks=())).strip()


if __name__ == "__main__":
    main()
