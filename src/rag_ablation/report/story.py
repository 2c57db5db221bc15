"""One question's way through an arm, as plain values and as tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rag_ablation.core.answers import Reference
from rag_ablation.core.record import ArmRecord
from rag_ablation.report.answer_story import answer_story, drawn_answer
from rag_ablation.report.leaderboard import ABSENT, Leaderboard, Table
from rag_ablation.report.passages import mark, short

POINTS = ("sparse", "dense", "fused", "reranked")
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What a run recorded of one question.

    Args:
        question: its row of `per_question`.
        fates: its rows of `fates`.
        context: its rows of `context`.
        top: its rows of `top`.
        answer: its row of `answers`, None for an arm without one.
        rewrites: its rows of `rewrites`; none for an arm without a rewriter.
    """

    question: Row
    fates: Sequence[Row]
    context: Sequence[Row]
    top: Sequence[Row]
    answer: Row | None = None
    rewrites: Sequence[Row] = ()

    @property
    def searched(self) -> tuple[str, ...]:
        """The texts that were searched for instead of the question, in the order in which they were made."""
        return tuple(row["text"] for row in sorted(self.rewrites, key=lambda row: row["place"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the dataset says of one question.

    Args:
        text: as asked.
        identity: who asks, None where nobody in particular.
        as_of: the day on which it is asked, None where not stated.
        tokens: what the analyser makes of it, or of its first text where it was rewritten: `token`, `known`, `floored`;
            None without a lexical retriever.
        texts: text by passage id, of the passages that the run recorded for it.
        units: evaluation unit by passage id, of the same.
        grades: grade by passage id, of those that are judged, not relevant ones included.
        reference: what would have been right, None where it is not known.
    """

    text: str
    identity: str | None
    as_of: str | None
    tokens: Sequence[Row] | None
    texts: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    grades: Mapping[str, int] = field(default_factory=dict)
    reference: Reference | None = None


def story(record: ArmRecord, recorded: Recorded, asked: Asked) -> dict[str, Any]:
    """Everything that is known of one question in one arm, in JSON values.

    Args:
        record: the arm.
        recorded: what it recorded of the question.
        asked: what the dataset says of it.
    """
    grades = _grades(recorded, asked)
    return {
        "run": {"id": record.id, "arm": record.arm, "dataset": record.dataset, "side": record.side},
        "question": {
            "id": recorded.question["query_id"],
            "text": asked.text,
            "type": recorded.question["type"],
            "status": recorded.question["status"],
            "identity": asked.identity,
            "as_of": asked.as_of,
        },
        "rewrites": list(recorded.searched),
        "query_tokens": None if asked.tokens is None else [dict(token) for token in asked.tokens],
        "points": {
            point: [
                {name: row[name] for name in ("rank", "passage_id", "score")} | _passage(row, asked, grades)
                for row in recorded.top
                if row["point"] == point
            ]
            for point in POINTS
            if point in record.points
        },
        "gold": [
            {name: row[name] for name in ("unit", "grade", "fate")}
            | {"ranks": {name.removeprefix("rank_"): row[name] for name in row if name.startswith("rank_")}}
            for row in sorted(recorded.fates, key=lambda row: (-row["grade"], row["unit"]))
        ],
        "context": _context_values(record, recorded, asked, grades),
        "answer": answer_story(
            record,
            recorded.answer,
            {row["passage_id"] for row in recorded.context if row["place"] is not None},
            grades,
            asked.reference,
        ),
    }


def _context_values(record: ArmRecord, recorded: Recorded, asked: Asked, grades: Mapping[str, int]) -> dict[str, Any]:
    tokens = [value for name, value in recorded.question.items() if name.startswith("context/tokens@")]
    return {
        "counted_in": _counted_in(record),
        "tokens": next((value for value in tokens if value is not None), None),
        "shown": [
            {name: row[name] for name in ("place", "passage_id")} | _passage(row, asked, grades)
            for row in recorded.context
            if row["place"] is not None
        ],
        "left_out": [
            {"passage_id": row["passage_id"], "reason": row["left_out"]}
            for row in recorded.context
            if row["left_out"] is not None
        ],
    }


def _grades(recorded: Recorded, asked: Asked) -> dict[str, int]:
    """Grade by passage id: that of its unit where it is relevant, else as it was judged."""
    relevant = {row["unit"]: row["grade"] for row in recorded.fates if row["fate"] != "not_visible"}
    by_unit = {passage: relevant[unit] for passage, unit in asked.units.items() if unit in relevant}
    return {**asked.grades, **by_unit}


def _passage(row: Row, asked: Asked, grades: Mapping[str, int]) -> dict[str, Any]:
    """What is told of a passage beside its place."""
    return {"grade": grades.get(row["passage_id"]), "text": asked.texts.get(row["passage_id"])}


def _counted_in(record: ArmRecord) -> str:
    """`characters`, or the tokens of a named tokenizer."""
    settings = record.settings.get("context")
    name = settings.get("tokenizer", "characters") if isinstance(settings, Mapping) else "characters"
    return "characters" if name == "characters" else f"tokens of {str(name).rsplit('/', 1)[-1]}"


def drawn(told: Mapping[str, Any]) -> Leaderboard:
    """The same on one screen: what was asked, the first ten of each point, where the gold stands, the context."""
    question, run = told["question"], told["run"]
    about = [f"type {question['type']}", f"status {question['status']}"]
    about += [f"{name} {question[name]}" for name in ("identity", "as_of") if question[name] is not None]
    heading = Table(
        title=f"{run['arm']} on {run['dataset']} ({run['side']}), question {question['id']}",
        headings=("asked", question["text"]),
        rows=(
            ("about", ", ".join(about)),
            *(("searched for", text) for text in told["rewrites"]),
            *_token_rows(told["query_tokens"]),
        ),
        numeric_from=2,
    )
    tables = [heading]
    if told["points"]:
        tables.append(_points(told["points"]))
    tables += [_gold(told["gold"], tuple(told["points"])), _context(told["context"])]
    if told["answer"] and "absent" not in told["answer"]:
        tables.append(drawn_answer(told["answer"]))
    return Leaderboard(tables=tuple(table for table in tables if table.rows), remarks=tuple(_remarks(told)))


def _token_rows(tokens: Sequence[Row] | None) -> list[tuple[str, str]]:
    if tokens is None:
        return []
    marked = [f"{row['token']}{'?' if not row['known'] else '*' if row['floored'] else ''}" for row in tokens]
    return [("query tokens", " · ".join(marked) or "none")]


def _points(points: Mapping[str, Sequence[Row]]) -> Table:
    deepest = max((len(rows) for rows in points.values()), default=0)
    rows = []
    for place in range(deepest):
        cells = [_entry(entries[place]) if place < len(entries) else ABSENT for entries in points.values()]
        rows.append((str(place + 1), *cells))
    return Table(
        title="the first ten at each measuring point, with scores; ●● answers, ● helps, ○ judged and not relevant",
        headings=("rank", *points),
        rows=tuple(rows),
        numeric_from=1 + len(points),
    )


def _entry(row: Row) -> str:
    score = "" if row["score"] is None else f" ({row['score']:.4g})"
    return f"{row['passage_id']}{score}{mark(row['grade'])}"


def _gold(gold: Sequence[Row], points: Sequence[str]) -> Table:
    rows = []
    for row in gold:
        ranks = [_rank(row["ranks"].get(_name(point, points))) for point in points]
        rows.append((row["unit"], str(row["grade"]), row["fate"], *ranks, _rank(row["ranks"].get("context"))))
    return Table(
        title="where each relevant unit stands (rank in passages; – is nowhere in the list)",
        headings=("unit", "grade", "fate", *points, "context"),
        rows=tuple(rows),
        numeric_from=3,
    )


def _name(point: str, points: Sequence[str]) -> str:
    """The last ranking is recorded as `last`."""
    return "last" if point == points[-1] and point == "reranked" else point


def _rank(rank: int | None) -> str:
    return ABSENT if rank is None else str(rank)


def _context(context: Mapping[str, Any]) -> Table:
    rows = [
        (
            str(row["place"]),
            f"{row['passage_id']}{mark(row['grade'])}",
            ABSENT if row["text"] is None else short(row["text"]),
        )
        for row in context["shown"]
    ]
    rows += [(ABSENT, row["passage_id"], f"left out: {row['reason']}") for row in context["left_out"]]
    length = "" if context["tokens"] is None else f", {context['tokens']:.0f} {context['counted_in']}"
    return Table(
        title=f"the context in the order shown{length}",
        headings=("place", "passage", "text"),
        rows=tuple(rows),
        numeric_from=3,
    )


def _text(text: str | None) -> str:
    return ABSENT if text is None else short(text)


def _remarks(told: Mapping[str, Any]) -> list[str]:
    found = []
    if told["query_tokens"]:
        if any(not row["known"] for row in told["query_tokens"]):
            found.append("?: no passage holds this token")
        if any(row["floored"] for row in told["query_tokens"]):
            found.append("*: half of the passages or more hold this token, so that its weight is 0 or was floored")
    if not told["gold"]:
        found.append(f"no relevant unit is scored: {told['question']['status']}")
    if not told["context"]["shown"]:
        found.append("the context is empty")
    if told["answer"] and "absent" in told["answer"]:
        found.append(f"there is no answer: {told['answer']['absent']}")
    return found
