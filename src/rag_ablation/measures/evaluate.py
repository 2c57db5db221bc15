"""Measures for people who only have lists: questions, labels and ranked ids.

The formulas are those of `measures.formulas`; this file checks what is handed in and numbers the ids.

Legend: Q questions, K columns.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.errors import InputRefused
from rag_ablation.core.plain import Collapse, check_id, check_list, parse_unit
from rag_ablation.core.qrels import MAX_GRADE, Qrels
from rag_ablation.core.queries import Status
from rag_ablation.core.rankings import EMPTY
from rag_ablation.core.results import SCORED, Mean, PointValues
from rag_ablation.measures.catalogue import Found, measures
from rag_ablation.measures.formulas import LARGEST, find
from rag_ablation.measures.ranking import NO_RELEVANT, score

NEEDS_MORE = ("evidence_hit",)  # plain lists carry no evidence groups


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question, its labels and what was retrieved for it.

    Args:
        id: unique among the questions, a non-empty string.
        status: `reviewed`, `no_answer` or `unreviewed`.
        gold: grade by item id, whole numbers from 0; 0 is judged and not relevant.
        ranked: item ids, best first; empty is a measured miss, None is allowed only where the
            question is not scored.
        weight: weight in `recall_weighted`, at least 0; for all questions or for none.
    """

    id: str
    status: str
    gold: Mapping[str, int]
    ranked: Sequence[str] | None
    weight: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What was measured.

    Args:
        means: by (measure, cutoff), each with its n and the exclusions by reason.
        per_query: values of each scored question by (measure, cutoff), None where undefined.
        micro_weight: share of each scored question in `recall_micro`.
        status: `scored`, or why a question is in no mean, by question.
        n_questions: all questions.
        n_scored: those with status `scored`.
        n_without_results: scored questions whose list is empty; they are in every mean as 0.
        excluded: number of questions left out, by reason.
    """

    means: Mapping[tuple[str, int], Mean]
    per_query: Mapping[str, Mapping[tuple[str, int], float | None]]
    micro_weight: Mapping[str, float]
    status: Mapping[str, str]
    n_questions: int
    n_scored: int
    n_without_results: int
    excluded: Mapping[str, int]


def evaluate(  # noqa: PLR0913 - one keyword for each thing a list cannot say by itself
    questions: Iterable[Question | Mapping[str, object]],
    *,
    cutoffs: Sequence[int],
    gold_unit: str = "passage",
    result_unit: str = "passage",
    dedup: Mapping[str, object] | None = None,
    corpus: Collection[str] | None = None,
    gold_snapshot: str | None = None,
    index_snapshot: str | None = None,
    relevant_from: int = 1,
) -> Evaluation:
    """Score ranked lists against graded labels.

    Args:
        questions: `Question`s, or mappings with the same keys (other keys are ignored).
        cutoffs: how many results a measure looks at, whole numbers from 1, in any order.
        gold_unit: what a label's id stands for: `passage` (or `chunk`), `clause` or `document`.
        result_unit: what a result's id stands for.
        dedup: collapsing rule `{"to": unit, "map": {result id: unit id}}`; the first occurrence of
            a unit stays, and the cut comes after. Without a rule a repeated id is refused.
        corpus: all ids of the indexed snapshot, in the unit of the labels.
        gold_snapshot: name of the snapshot that was labelled.
        index_snapshot: name of the snapshot that was searched; must be the same.
        relevant_from: least grade that counts as relevant.

    Returns:
        Means, values per question, and who was left out.

    Raises:
        InputRefused: the lists cannot be scored as they are; `reason` is one of `bad_k`, `bad_id`,
            `bad_status`, `bad_grade`, `bad_weight`, `bad_unit`, `bad_dedup`, `bad_results`,
            `bad_relevant_from`, `duplicate_question`, `duplicate_id`, `empty_gold`,
            `status_gold_conflict`, `missing_results`, `gold_not_in_corpus`, `result_not_in_corpus`,
            `snapshot_mismatch`, `unit_mismatch` and `unmapped_id`.

    Example:
        >>> question = Question(id="q1", status="reviewed", gold={"a": 1, "b": 1}, ranked=["a", "x"])
        >>> evaluate([question], cutoffs=[2]).means["recall", 2].value
        0.5
    """
    wanted = _whole_numbers(cutoffs, "bad_k", "cutoffs")
    (relevant_from,) = _whole_numbers([relevant_from], "bad_relevant_from", "relevant_from")
    collapse = Collapse.parse(dedup)
    _same_unit(gold_unit, result_unit, collapse)
    if gold_snapshot != index_snapshot:
        message = f"gold_snapshot: found {gold_snapshot!r}, expected that of the index, {index_snapshot!r}"
        raise InputRefused("snapshot_mismatch", message)
    rows = [_checked(question, collapse, relevant_from) for question in questions]
    _together(rows, None if corpus is None else {check_id(item, "corpus") for item in corpus})
    found = _find(rows, relevant_from)
    status = [row.status for row in rows]
    names = [
        name
        for name in measures()
        if name not in NEEDS_MORE and (name != "recall_weighted" or found.weights is not None)
    ]
    return _evaluation(rows, found, score(found, status, cutoffs=wanted, measures=names))


@dataclass(frozen=True, slots=True)
class _Row:
    """A checked question; its status is `scored` or a reason."""

    id: str
    status: str
    gold: Mapping[str, int]
    ranked: list[str]
    weight: float | None


def _whole_numbers(values: object, reason: str, field: str) -> list[int]:
    """A list of whole numbers from 1, not empty."""
    numbers = list(values) if isinstance(values, Sequence) and not isinstance(values, str) else []
    if not numbers:
        raise InputRefused(reason, f"{field}: found {values!r}, expected a list of whole numbers from 1")
    for value in numbers:
        if not _is_whole(value) or not 1 <= value <= LARGEST:
            raise InputRefused(reason, f"{field}: found {value!r}, expected a whole number from 1 to {LARGEST}")
    return [int(value) for value in numbers]


def _is_whole(value: object) -> bool:
    """True for an int; a boolean, and a float such as 2.0, are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _same_unit(gold_unit: str, result_unit: str, collapse: Collapse | None) -> None:
    """After collapsing, results and labels must speak of the same unit."""
    labels, results = parse_unit("gold_unit", gold_unit), parse_unit("result_unit", result_unit)
    if collapse is not None and collapse.to is not None:
        results = collapse.to
    if results is not labels:
        message = (
            f"result_unit: found results that stand for a {results} and labels that stand for a {labels}, "
            f"expected one unit (declare a rule with `dedup` that takes results to the {labels})"
        )
        raise InputRefused("unit_mismatch", message)


def _checked(question: Question | Mapping[str, object], collapse: Collapse | None, relevant_from: int) -> _Row:
    """One question, refused or ready to be scored."""
    fields = ("id", "status", "gold", "ranked", "weight")
    if isinstance(question, Mapping):
        given = {field: question.get(field) for field in fields}
    else:
        given = {field: getattr(question, field) for field in fields}
    name = check_id(given["id"], "question")
    where = f"question {name!r}"
    gold = _gold(given["gold"], where)
    status = _status(given["status"], gold, where, relevant_from)
    ranked = given["ranked"]
    if ranked is None and status == SCORED:
        message = f"{where}, ranked: found no list, expected one (an empty list is a measured miss)"
        raise InputRefused("missing_results", message)
    results = check_list([] if ranked is None else ranked, f"{where}, ranked", collapse)
    return _Row(name, status, gold, results, _weight(given["weight"], where))


def _gold(gold: object, where: str) -> dict[str, int]:
    """Checked labels; None is no label."""
    if gold is not None and not isinstance(gold, Mapping):
        raise InputRefused("bad_grade", f"{where}, gold: found {gold!r}, expected grades by item id")
    checked: dict[str, int] = {}
    for item, grade in (gold or {}).items():
        if not _is_whole(grade) or not 0 <= grade <= MAX_GRADE:
            message = f"{where}, gold, id {item!r}: found {grade!r}, expected a whole number from 0 to {MAX_GRADE}"
            raise InputRefused("bad_grade", message)
        checked[check_id(item, f"{where}, gold")] = int(grade)
    return checked


def _status(status: object, gold: Mapping[str, int], where: str, relevant_from: int) -> str:
    """`scored`, or why not."""
    if not isinstance(status, str) or status not in set(Status):
        message = f"{where}, status: found {status!r}, expected one of: {', '.join(Status)}"
        raise InputRefused("bad_status", message)
    if status == Status.NO_ANSWER:
        positive = next((item for item, grade in gold.items() if grade > 0), None)
        if positive is not None:
            message = (
                f"{where}, gold, id {positive!r}: found the grade {gold[positive]} on a question of status "
                "no_answer, expected no grade above 0, or another status"
            )
            raise InputRefused("status_gold_conflict", message)
    if status != Status.REVIEWED:
        return str(status)
    if not gold:
        message = f"{where}, gold: found no label on a reviewed question, expected one or status no_answer"
        raise InputRefused("empty_gold", message)
    return SCORED if max(gold.values()) >= relevant_from else NO_RELEVANT


def _weight(weight: object, where: str) -> float | None:
    """A finite number from 0; None is none."""
    if weight is None:
        return None
    number = math.nan if isinstance(weight, bool) or not isinstance(weight, Real) else float(weight)
    if not math.isfinite(number) or number < 0:
        message = f"{where}, weight: found {weight!r}, expected a finite number from 0"
        raise InputRefused("bad_weight", message)
    return number


def _together(rows: Sequence[_Row], corpus: set[str] | None) -> None:
    """What can be seen only in all questions, or against the corpus."""
    seen: set[str] = set()
    for row in rows:
        where = f"question {row.id!r}"
        if row.id in seen:
            raise InputRefused("duplicate_question", f"{where}: found it twice, expected each question once")
        seen.add(row.id)
        if (row.weight is None) != (rows[0].weight is None):
            message = f"{where}, weight: found {row.weight!r}, expected weights for all questions or for none"
            raise InputRefused("bad_weight", message)
        if corpus is None:
            continue
        for reason, field, ids in (
            ("gold_not_in_corpus", "gold", row.gold),
            ("result_not_in_corpus", "ranked", row.ranked),
        ):
            stray = next((item for item in ids if item not in corpus), None)
            if stray is not None:
                message = f"{where}, {field}: the id {stray!r} is not in the corpus, expected one that is"
                raise InputRefused(reason, message)


def _find(rows: Sequence[_Row], relevant_from: int) -> Found:
    """Number the ids and look the labels up."""
    number: dict[str, int] = {}
    units = np.full((len(rows), max((len(row.ranked) for row in rows), default=0)), EMPTY, dtype=np.int32)
    labels: list[tuple[int, int, int]] = []
    for place, row in enumerate(rows):
        units[place, : len(row.ranked)] = [number.setdefault(item, len(number)) for item in row.ranked]
        labels += [(place, number.setdefault(item, len(number)), grade) for item, grade in row.gold.items()]
    columns = np.array(labels, dtype=np.int64).reshape(-1, 3)
    shape = (len(rows), max(len(number), 1))
    qrels = Qrels.from_rows(columns[:, 0], columns[:, 1], columns[:, 2].astype(np.int8), shape)
    weights: NDArray[np.float64] | None = None
    if rows and rows[0].weight is not None:
        weights = np.array([row.weight for row in rows], dtype=np.float64)
    return find(units, qrels, relevant_from=relevant_from, weights=weights)


def _evaluation(rows: Sequence[_Row], found: Found, values: PointValues) -> Evaluation:
    """Rows back to ids."""
    scored = [place for place, row in enumerate(rows) if row.status == SCORED]
    total = int(found.relevant[scored].sum())
    by_key = {key: column.tolist() for key, column in values.per_query.items()}
    return Evaluation(
        means=values.means,
        per_query={
            rows[place].id: {
                key: None if math.isnan(column[place]) else column[place] for key, column in by_key.items()
            }
            for place in scored
        },
        micro_weight={rows[place].id: int(found.relevant[place]) / total for place in scored},
        status={row.id: row.status for row in rows},
        n_questions=len(rows),
        n_scored=len(scored),
        n_without_results=sum(not rows[place].ranked for place in scored),
        excluded=dict(Counter(row.status for row in rows if row.status != SCORED)),
    )
