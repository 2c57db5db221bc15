"""`rag-ablation explain`: one question's way through an arm, or the questions of a fate."""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from rag_ablation.commands._explain_answers import answer_of, judged_so, reference_in
from rag_ablation.commands._marks import marks_of_run, told
from rag_ablation.commands._recorded import recorded_benchmark, recorded_stage
from rag_ablation.commands._runs import find_run
from rag_ablation.core.answers import Word
from rag_ablation.core.chunks import Chunks
from rag_ablation.core.corpus import Passages, Unit
from rag_ablation.core.errors import CommandError, RagAblationError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.core.record import ArmRecord
from rag_ablation.experiment.store import StageStore
from rag_ablation.measures.fates import FATES
from rag_ablation.report.leaderboard import Leaderboard, Table
from rag_ablation.report.story import Asked, Recorded, drawn, story
from rag_ablation.stages.base import Chunker
from rag_ablation.tracking.files import read_record, read_table

STORE = "store"
NOTHING_TO_TELL = "a finished run with a context"


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb's options."""
    parser = verbs.add_parser(
        "explain", help="one question's way through an arm, or the questions of a fate or verdict"
    )
    parser.add_argument("run", metavar="RUN", help="folder under runs/, a unique part of its name, or an MLflow run id")
    parser.add_argument("question", metavar="QUESTION", nargs="?", help="id of a question")
    parser.add_argument(
        "--fate", choices=[str(fate) for fate in FATES], help="list the questions of this fate, worst first"
    )
    parser.add_argument(
        "--verdict", choices=[str(word) for word in Word], help="list the questions whose answer is judged so"
    )
    parser.add_argument("--type", help="with --fate or --verdict: of this question type only")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--tracking-uri", help="for an MLflow run id; default: MLFLOW_TRACKING_URI, else under the root"
    )


def execute(args: argparse.Namespace, root: Path) -> int:
    """Print the story of a question, or the questions of a fate or verdict.

    Raises:
        RagAblationError: no such run or question, or its dataset has changed.
    """
    _check(args)
    folder = find_run(args.run, root, args.tracking_uri)
    record = read_record(folder)
    if not record.evidence:
        raise CommandError.of("run", f"{record.status}, without recorded fates", NOTHING_TO_TELL, file=str(folder))
    marks = marks_of_run(record, root)
    if args.fate is not None:
        if args.type is not None and args.type not in record.evidence["by_type"]:
            known = ", ".join(record.evidence["by_type"])
            raise CommandError.of("--type", repr(args.type), f"a type with scored questions: {known}", file=str(folder))
        found = questions_of(record, folder, (args.fate, args.type), root)
        _print(
            args,
            [{**row, "marks": marks} for row in found],
            lambda: _listed(record, found, args.fate, args.type),
            marks,
        )
    elif args.verdict is not None:
        texts = {query.id: query.text for query in recorded_benchmark(record, root).queries.rows}
        judged = judged_so(record, folder, (args.verdict, args.type), texts)
        _print(
            args,
            [{**row, "marks": marks} for row in judged.rows],
            lambda: judged.drawn(record),
            marks,
        )
    else:
        story_of = _told(record, folder, args.question, root)
        _print(args, {**story_of, "marks": marks}, lambda: drawn(story_of), marks)
    return 0


def _check(args: argparse.Namespace) -> None:
    if sum(one is not None for one in (args.question, args.fate, args.verdict)) != 1:
        message = (
            "explain RUN QUESTION tells of one question, explain RUN --fate FATE or --verdict VERDICT lists questions: "
            "give one of them"
        )
        raise RagAblationError(message)
    if args.type is not None and args.question is not None:
        message = "--type goes with --fate or --verdict, which list questions"
        raise RagAblationError(message)


def questions_of(record: ArmRecord, folder: Path, wanted: tuple[str, str | None], root: Path) -> list[dict[str, Any]]:
    """Questions with a unit of this fate, those that lose most of their recall by it first, then by id.

    A question that is held out by now is left out.

    Args:
        record: the arm.
        folder: its run folder.
        wanted: one of the fates, and a question type, None for all.
        root: folder under which everything is written.
    """
    fate, kind = wanted
    rows: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in read_table(folder, "fates"):
        rows[row["query_id"]].append(row)
    texts = {query.id: query.text for query in recorded_benchmark(record, root).queries.rows}
    found = []
    for query, own in rows.items():
        hit = [row for row in own if row["fate"] == fate and query in texts]
        if not hit or (kind is not None and own[0]["type"] != kind):
            continue
        visible = sum(row["fate"] != "not_visible" for row in own)
        found.append(
            {
                "query_id": query,
                "type": own[0]["type"],
                "text": texts[query],
                "units": [row["unit"] for row in hit],
                "lost_recall": None if fate in ("kept", "not_visible") or not visible else len(hit) / visible,
            }
        )
    return sorted(found, key=lambda row: (-(row["lost_recall"] or 0), row["query_id"]))


def _told(record: ArmRecord, folder: Path, query: str, root: Path) -> dict[str, Any]:
    rows = read_table(folder, "per_question", query)
    if not rows:
        known = [row["query_id"] for row in read_table(folder, "per_question")]
        found = f"{query!r}, which this run was not asked ({len(known)} questions of side {record.side})"
        raise CommandError.of("question", found, f"one of: {', '.join(known[:10])}, …", file=str(folder))
    recorded = Recorded(
        question=rows[0],
        fates=read_table(folder, "fates", query),
        context=read_table(folder, "context", query),
        top=read_table(folder, "top", query),
        answer=answer_of(record, folder, query),
        rewrites=read_table(folder, "rewrites", query) if "rewrite" in record.settings else (),
    )
    return story(record, recorded, _asked(record, recorded, query, root))


def _asked(record: ArmRecord, recorded: Recorded, query: str, root: Path) -> Asked:
    benchmark = recorded_benchmark(record, root)
    asked = next((row for row in benchmark.queries.rows if row.id == query), None)
    if asked is None:
        raise CommandError.of("question", f"{query!r}, which is held out by now", "a question of the dev side")
    passages = _passages(record, benchmark.passages)
    named = {row["passage_id"] for row in (*recorded.context, *recorded.top)}
    units = passages.units(Unit(record.evidence["unit"]))
    rows = [(row, passage) for row, passage in enumerate(passages.rows) if passage.id in named]
    return Asked(
        text=asked.text,
        identity=asked.identity or record.settings["access"]["identity"],
        as_of=str(asked.as_of) if asked.as_of else record.settings["access"]["as_of"],
        tokens=_tokens(record, passages, next(iter(recorded.searched), asked.text), root),
        texts={passage.id: passage.text for _, passage in rows},
        units={passage.id: units.ids[units.rows[row]] for row, passage in rows},
        grades=_grades(benchmark, query),
        reference=reference_in(benchmark, asked, recorded.question["status"]) if record.answers else None,
    )


def _grades(benchmark: Benchmark, query: str) -> dict[str, int]:
    """Grades of one question by passage, at the unit of the labels; where passages were cut, by the uncut passage."""
    units, row = benchmark.passages.units(benchmark.label_unit), benchmark.queries.ids.index(query)
    own = benchmark.qrels.query_rows == row
    judged = dict(zip(benchmark.qrels.unit_rows[own].tolist(), benchmark.qrels.grades[own].tolist(), strict=True))
    members = zip(benchmark.passages.ids, units.rows.tolist(), strict=True)
    return {passage: judged[unit] for passage, unit in members if unit in judged}


def _passages(record: ArmRecord, passages: Passages) -> Passages:
    """The passages that the arm searched: chunks, where it cut them."""
    settings = record.settings.get("chunking")
    if settings is None:
        return passages
    chunker = cast("Chunker", recorded_stage("chunking", settings))
    return Chunks.of(passages, [chunker.cut(passage.text) for passage in passages.rows]).passages


def _tokens(record: ArmRecord, passages: Passages, text: str, root: Path) -> list[dict[str, Any]] | None:
    """What the arm's lexical retriever makes of a question; None where it has none that tells."""
    settings = record.settings.get("sparse")
    if settings is None:
        return None
    retriever = cast("Any", recorded_stage("sparse", settings))
    index = retriever.index(passages, StageStore(root / STORE))
    return [token._asdict() for token in index.analysed(text)] if hasattr(index, "analysed") else None


def _listed(record: ArmRecord, found: list[dict[str, Any]], fate: str, kind: str | None) -> Leaderboard:
    rows = tuple(
        (
            row["query_id"],
            row["type"],
            row["text"],
            ", ".join(row["units"]),
            "–" if row["lost_recall"] is None else f"{row['lost_recall']:.2f}",
        )
        for row in found
    )
    scored = record.counts["scored"]
    if kind is not None and (means := record.slices.get("type", {}).get(kind)):
        scored = next(iter(means.values())).n
    of_type = "" if kind is None else f" of type {kind}"
    table = Table(
        title=f"{record.arm}: {len(found)} of {scored} scored questions{of_type} have a unit that is {fate}",
        headings=("question", "type", "text", "units", "recall lost by it"),
        rows=rows,
        numeric_from=4,
    )
    first = found[0]["query_id"] if found else None
    return Leaderboard(
        tables=(table,), remarks=() if first is None else (f"next: rag-ablation explain {record.id} {first}",)
    )


def _print(args: argparse.Namespace, values: object, board: Callable[[], Leaderboard], marks: Sequence[str]) -> None:
    if args.json:
        sys.stdout.write(json.dumps(values, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
        return
    from rich.console import Console  # noqa: PLC0415

    from rag_ablation.report.terminal import show  # noqa: PLC0415

    drawn_board = board()
    show(replace(drawn_board, remarks=(*told(marks), *drawn_board.remarks)), Console())
