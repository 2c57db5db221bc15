"""A study as one long table, for other tools: every figure of the report in a row of its own.

It holds no time and no run id, so that two runs of one study give the same table.
"""

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rag_ablation.core.record import RecordedMean
from rag_ablation.measures.answers import (
    CITATION_PRECISION,
    CORRECT,
    CORRECT_HIGH,
    CORRECT_LOW,
    POINT,
    REFUSED_RIGHT,
    REFUSED_WRONG,
    SUPPORTED,
    WRONG_ON_NO_ANSWER,
)
from rag_ablation.measures.fates import Fate
from rag_ablation.measures.uncertainty import TOO_FEW_GROUPS
from rag_ablation.report.study.content import (
    Cell,
    Ladder,
    LadderStep,
    Lost,
    StudyReport,
    SweepCurve,
    Types,
    Unjudged,
)
from rag_ablation.report.study.inputs import ArmResult, StudyResults

if TYPE_CHECKING:
    import pyarrow as pa

TEXTS = ("table", "arm", "parent", "point", "measure", "part", "query_id", "word", "reason")
WHOLE = ("n", "n_groups", "n_differing", "wins", "ties", "losses")
NUMBERS = ("value", "low", "high", "bootstrap_low", "bootstrap_high", "p", "adjusted_p", "p_t", "detectable")

OF_A_TYPE = (
    CORRECT_LOW,
    CORRECT_HIGH,
    CORRECT,
    REFUSED_RIGHT,
    REFUSED_WRONG,
    WRONG_ON_NO_ANSWER,
    CITATION_PRECISION,
    SUPPORTED,
)
"""Measures of answers that are told by question type."""

Row = Mapping[str, Any]


def results_table(results: StudyResults, report: StudyReport) -> "pa.Table":
    """Every figure in long form.

    Args:
        results: what was recorded.
        report: what was computed from it.

    Returns:
        A table with the columns of `TEXTS`, `WHOLE` and `NUMBERS`. `table` says what a row is: `mean` (an arm at a
        point), `step` (an arm against its parent, with its verdict), `type`, `type_difference` and `type_contribution`
        (`part` is the question type; contributions to a step add up to its difference), `fate` (`value` is a number of
        gold passages), `kept` (`part` is what became of the answer to the question of a gold passage that was kept),
        `gap` (points of recall), `sweep` (against the best setting), `unjudged` (the scenario in which every unjudged
        passage is relevant), `answer_type` (measures of answers on the question type `part`; while
        verdicts are open, right answers lie between `correct_low` and `correct_high`), `question` (an arm's value of
        one question). Of a holdout also
        `verdict` (`word` is the decision, `reason` what must be said of it), `dev_less_holdout` and `difference`
        (candidate less baseline on every measure, `arm` is its label); there `step` holds the rule's judgement and no
        adjusted p. In every table `low` and `high` are the ends of a 95 % interval; `reason` says why there is none, or
        no value.
    """
    import pyarrow as pa  # noqa: PLC0415 - wanted by the table alone

    rows = [row for arm in results.arms if arm.finished for row in _means(arm)]
    rows += _steps(report.ladder)
    rows += _verdict(report)
    rows += _differences(report)
    rows += [] if report.types is None else _types(report.types)
    rows += [] if report.lost is None else _lost(report.lost)
    rows += [row for curve in report.sweeps for row in _sweep(curve, report.ladder.measure)]
    rows += [row for arm in results.arms if arm.finished for row in _answers(arm)]
    rows += [] if report.unjudged is None else _unjudged(report.unjudged, report.ladder.measure)
    rows += [row for arm in results.arms if arm.finished for row in _questions(arm, results.study.primary)]
    return pa.Table.from_pylist(rows, schema=_schema())


def _schema() -> "pa.Schema":
    import pyarrow as pa  # noqa: PLC0415

    kinds = ((TEXTS, pa.string()), (WHOLE, pa.int64()), (NUMBERS, pa.float64()))
    return pa.schema([(name, kind) for names, kind in kinds for name in names])


def _means(arm: ArmResult) -> Iterator[Row]:
    for point, means in arm.record.points.items():
        for measure, mean in means.items():
            yield {"table": "mean", "arm": arm.key, "point": point, "measure": measure, **_mean(mean)}


def _mean(mean: RecordedMean) -> Row:
    ends = {"low": mean.low, "high": mean.high}
    no_interval = TOO_FEW_GROUPS if mean.low is None and mean.n_groups == 1 else None
    return {"value": mean.value, **ends, "n": mean.n, "n_groups": mean.n_groups, "reason": mean.reason or no_interval}


def _named(measure: str) -> Row:
    point, _, name = measure.partition("/")
    return {"point": point, "measure": name}


def _steps(ladder: Ladder) -> Iterator[Row]:
    for step in ladder.steps():
        yield {
            "table": "step",
            "arm": step.child,
            "parent": step.parent,
            "part": str(step.change),
            "reason": step.refused,
            "detectable": step.detectable,
            **_named(ladder.measure),
            **_compared(step),
        }


def _verdict(report: StudyReport) -> Iterator[Row]:
    """The decision with its marks, and the dev results less those on the holdout."""
    held = report.holdout
    if held is None:
        return
    said = "; ".join(part.plain() for part in (held.spent, *held.marks))
    yield {"table": "verdict", **_named(report.ladder.measure), "word": str(held.decision), "reason": said}
    for row in held.tuning:
        found = row.found
        yield {
            "table": "dev_less_holdout",
            "arm": row.name,
            **_named(report.ladder.measure),
            "value": found.mean,
            "low": found.low,
            "high": found.high,
            "n": found.second.n,
            "n_groups": found.second.n_groups,
            "reason": found.reason,
        }


def _differences(report: StudyReport) -> Iterator[Row]:
    """Candidate less baseline on every measure, of a holdout alone; exploratory."""
    for row in report.measures.rows if report.measures else ():
        for label, gap in row.differences.items():
            ends = {"value": gap.mean, "low": gap.low, "high": gap.high}
            on = {"n": gap.n, "n_groups": gap.n_groups, "reason": gap.reason}
            yield {"table": "difference", "arm": label, **_named(row.column), **ends, **on}


def _compared(step: LadderStep) -> Row:
    found = step.comparison
    if found is None:
        return {}
    return {
        "value": found.interval.mean,
        "low": found.interval.low,
        "high": found.interval.high,
        "bootstrap_low": found.bootstrap.low,
        "bootstrap_high": found.bootstrap.high,
        "p": found.test.p,
        "adjusted_p": None if step.ruled is not None else found.adjusted_p,
        "p_t": found.t.p,
        "n": found.interval.n,
        "n_groups": found.interval.n_groups,
        "n_differing": found.test.n_differing,
        "wins": found.wins,
        "ties": found.ties,
        "losses": found.losses,
        "word": str(step.ruled or found.word),
    }


def _types(types: Types) -> Iterator[Row]:
    for row in types.rows:
        part = {"part": row.type or "all", **_named(types.measure)}
        for arm, cell in row.means.items():
            yield {"table": "type", "arm": arm, **part, **_cell(cell)}
        for label, cell in row.differences.items():
            yield {"table": "type_difference", "arm": label, **part, **_cell(cell)}
        for label, share in row.contributions.items():
            yield {"table": "type_contribution", "arm": label, **part, "value": share, "n": row.n}


def _cell(cell: Cell) -> Row:
    return {"value": cell.value, "low": cell.low, "high": cell.high, "n": cell.n, "n_groups": cell.n_groups}


def _lost(lost: Lost) -> Iterator[Row]:
    for arm in lost.arms:
        for fate, n in lost.counts.get(arm, {}).items():
            yield {"table": "fate", "arm": arm, "part": fate, "value": float(n), "n": lost.total}
        for part, n in lost.answers.get(arm, {}).items():
            yield {"table": "kept", "arm": arm, "part": part, "value": float(n), "n": lost.counts[arm][Fate.KEPT]}
        for part, tenths in lost.gap.get(arm, {}).items():
            yield {"table": "gap", "arm": arm, "part": part, "value": tenths / 10, "n": lost.total}


def _answers(arm: ArmResult) -> Iterator[Row]:
    for kind, means in arm.record.slices.get("type", {}).items():
        for measure in OF_A_TYPE:
            mean = means.get(f"{POINT}/{measure}")
            if mean is not None:
                named = {"point": POINT, "measure": measure, "part": kind}
                yield {"table": "answer_type", "arm": arm.key, **named, **_mean(mean)}


def _sweep(curve: SweepCurve, measure: str) -> Iterator[Row]:
    for setting in curve.settings:
        to_best = setting.to_best
        word = "best on these questions" if to_best is None else "told from the best" if setting.told else "not told"
        yield {
            "table": "sweep",
            "arm": setting.key,
            "parent": curve.best,
            **_named(measure),
            "part": " ".join(f"{axis}={value}" for axis, value in zip(curve.axes, setting.values, strict=True)),
            "value": None if to_best is None else to_best.mean,
            "low": None if to_best is None else to_best.low,
            "high": None if to_best is None else to_best.high,
            "n": setting.mean.n,
            "n_groups": setting.mean.n_groups,
            "word": word,
        }


def _unjudged(unjudged: Unjudged, measure: str) -> Iterator[Row]:
    for step in unjudged.steps:
        found = step.all_relevant
        if found is not None:
            ends = {"value": found.mean, "low": found.low, "high": found.high}
            counted = {"n": found.n, "n_groups": found.n_groups}
            yield {"table": "unjudged", "arm": step.label, **_named(measure), **ends, **counted}


def _questions(arm: ArmResult, primary: str) -> Iterator[Row]:
    values = arm.values.get(primary)
    if values is None:
        return
    for place, (query, kind, status) in enumerate(zip(arm.query_ids, arm.types, arm.statuses, strict=True)):
        value = float(values[place])
        yield {
            "table": "question",
            "arm": arm.key,
            **_named(primary),
            "query_id": query,
            "part": kind,
            "value": None if math.isnan(value) else value,
            "reason": None if status == "scored" else status,
        }
