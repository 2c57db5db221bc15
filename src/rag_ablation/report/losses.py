"""Where evidence is lost, as tables: points of recall by arm, and fates as counts by arm and by question type."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rag_ablation.core.record import ArmRecord
from rag_ablation.experiment.answering import KEPT_AS
from rag_ablation.measures.fates import FATES, GAP_OF_FATE, GAPS, Fate
from rag_ablation.report.leaderboard import ABSENT, Leaderboard, Table

UNITS = "relevant units (questions)"
GROUPS = "evidence groups"
ALL = "all"
ALWAYS = frozenset({Fate.KEPT, Fate.NOT_VISIBLE})
WHOLE = 1000
NO_CONTEXT = "it has no context"
NO_UNITS = "no scored question has relevant units"


@dataclass(frozen=True, slots=True)
class Losses:
    """What there is to say about lost evidence.

    Args:
        points: the table in points of recall, None where no arm has evidence.
        details: fates as counts: of units by arm, of evidence groups by arm, and of units by type for each arm.
        remarks: arms left out and why, units that weigh nothing, one sentence each.
    """

    points: Table | None
    details: tuple[Table, ...]
    remarks: tuple[str, ...]


def losses(arms: Sequence[ArmRecord]) -> Losses:
    """Build the tables; an arm without evidence is left out, and the remarks say why."""
    shown = [arm for arm in arms if not left_out(arm)]
    remarks = [f"no fates of evidence: {arm.arm}: {left_out(arm)}" for arm in arms if left_out(arm)]
    for arm in shown:
        if hidden := arm.evidence["counts"].get(Fate.NOT_VISIBLE, 0):
            remarks.append(f"{arm.arm}: {hidden} more relevant units are outside its identity or version; they weigh 0")
    if not shown:
        return Losses(None, (), tuple(remarks))
    details = [fates_by_arm(shown)]
    if any(arm.evidence["group_counts"] for arm in shown):
        details.append(_groups_by_arm(shown))
    return Losses(points_of_recall(shown), (*details, *map(fates_by_type, shown)), tuple(remarks))


def with_points(board: Leaderboard, found: Losses) -> Leaderboard:
    """The leaderboard, and below it where evidence is lost."""
    tables = () if found.points is None else (found.points,)
    return replace(board, tables=(*board.tables, *tables), remarks=(*board.remarks, *found.remarks))


def with_details(board: Leaderboard, found: Losses) -> Leaderboard:
    """The same with the fates as counts."""
    return replace(board, tables=(*board.tables, *found.details))


def points_of_recall(arms: Sequence[ArmRecord]) -> Table:
    """What separates each arm's context from the whole of the evidence; each row adds up to 100.0.

    Args:
        arms: records with evidence.
    """
    return Table(
        title=(
            "where evidence is lost, in points of recall of the context: a lost unit weighs 1/|R| of its question, "
            f"a row adds up to 100, {ABSENT} cannot occur in that arm"
        ),
        headings=("arm", UNITS, "context recall", *GAPS),
        rows=tuple(_points_row(arm) for arm in arms),
        numeric_from=1,
    )


def fates_by_arm(arms: Sequence[ArmRecord]) -> Table:
    """Relevant units by fate, an arm a row; those kept also by what became of the answer, where an arm has answers.

    Args:
        arms: records with evidence.
    """
    split = KEPT_AS if any(arm.evidence.get("answers") for arm in arms) else ()
    rows = []
    for arm in arms:
        kept, *others = _counts(arm.evidence["counts"], possible_fates(arm))
        said = arm.evidence.get("answers") or {}
        rows.append((arm.arm, _units(arm), kept, *(str(said.get(word, ABSENT)) for word in split), *others))
    title = f"what became of the relevant units of the scored questions; {ABSENT} cannot occur in that arm"
    if split:
        title += f"; {Fate.KEPT} is split into {', '.join(split)}"
    headings = ("arm", UNITS, Fate.KEPT, *split, *FATES[1:])
    return Table(title=title, headings=headings, rows=tuple(rows), numeric_from=1)


def fates_by_type(arm: ArmRecord) -> Table:
    """Relevant units by fate in one arm, a question type a row, all types last.

    Args:
        arm: a record with evidence.
    """
    evidence, possible = arm.evidence, possible_fates(arm)
    rows = [(kind, counts, evidence["gap_by_type"].get(kind)) for kind, counts in evidence["by_type"].items()]
    rows.append((ALL, evidence["counts"], evidence["gap"]))
    cells = []
    for kind, counts, gap in rows:
        recall = _tenths(WHOLE - sum(apportioned(gap).values())) if gap else ABSENT
        cells.append((kind, f"{sum(counts.values())}{_questions(arm, kind)}", recall, *_counts(counts, possible)))
    return Table(
        title=f"fates by question type in {arm.arm}: {_of_all(arm)}; context recall in points; types are exploratory",
        headings=("type", UNITS, "context recall", *FATES),
        rows=tuple(cells),
        numeric_from=1,
    )


def possible_fates(arm: ArmRecord) -> frozenset[Fate]:
    """The fates that can occur with an arm's settings.

    Args:
        arm: a record with evidence.
    """
    context = arm.settings["context"]
    found = set(ALWAYS)
    if arm.evidence["group_counts"]:
        found.add(Fate.REDUNDANT)
    if context["name"] != "gold":
        found.add(Fate.NOT_RETRIEVED)
    if _may_leave_out(context):
        found.add(Fate.LOST_IN_CONTEXT)
    if context["name"] == "top":
        found.add(Fate.RANKED_LOW)
        if "fusion" in arm.settings:
            found.add(Fate.LOST_IN_FUSION)
        if arm.settings.get("rerank", {}).get("depth", 0) > context["depth"]:
            found |= {Fate.LOST_IN_RERANK, Fate.NOT_PROMOTED}
    return frozenset(found)


def left_out(arm: ArmRecord) -> str:
    """Why an arm has no fates to show, empty where it has.

    Args:
        arm: any record.
    """
    if arm.status != "finished":
        return arm.status
    if not arm.evidence:
        return NO_CONTEXT
    return "" if sum(arm.evidence["counts"].values()) else NO_UNITS


def gap_in_tenths(arm: ArmRecord) -> dict[str, int]:
    """Parts of an arm's gap in tenths of a point of recall, those left out that its settings rule out.

    Args:
        arm: a record with evidence.
    """
    parts = {GAP_OF_FATE[fate] for fate in possible_fates(arm) if fate in GAP_OF_FATE}
    return {part: value for part, value in apportioned(arm.evidence["gap"]).items() if part in parts or value}


def apportioned(gap: Mapping[str, float]) -> dict[str, int]:
    """The parts in tenths of a point, rounded so that they add up to the rounded whole (largest remainders).

    Args:
        gap: shares of the whole by part.
    """
    exact = {part: WHOLE * gap.get(part, 0.0) for part in GAPS}
    found = {part: math.floor(value + 1e-9) for part, value in exact.items()}
    missing = round(sum(exact.values())) - sum(found.values())
    for part in sorted(GAPS, key=lambda part: found[part] - exact[part])[: max(missing, 0)]:
        found[part] += 1
    return found


def _may_leave_out(context: Mapping[str, object]) -> bool:
    """A budget, a count, units taken once, or, for the gold, its depth."""
    if context["name"] == "closed_book":
        return False
    limited = context.get("budget") is not None or context.get("max_passages") is not None
    return limited or context["name"] == "gold" or context.get("unit", "passage") != "passage"


def _points_row(arm: ArmRecord) -> tuple[str, ...]:
    found = gap_in_tenths(arm)
    cells = [_tenths(found[part]) if part in found else ABSENT for part in GAPS]
    visible = sum(arm.evidence["counts"].values()) - arm.evidence["counts"].get(Fate.NOT_VISIBLE, 0)
    return (arm.arm, f"{visible} ({arm.counts['scored']})", _tenths(WHOLE - sum(found.values())), *cells)


def _tenths(value: int) -> str:
    return f"{value // 10}.{value % 10}"


def _groups_by_arm(arms: Sequence[ArmRecord]) -> Table:
    rows = []
    for arm in arms:
        counts = arm.evidence["group_counts"]
        if counts:
            possible = possible_fates(arm) - {Fate.REDUNDANT}
            rows.append((arm.arm, str(sum(counts.values())), *_counts(counts, possible)))
    title = "evidence groups of the scored questions, each by the best fate among its members"
    return Table(title=title, headings=("arm", GROUPS, *FATES), rows=tuple(rows), numeric_from=1)


def _counts(counts: Mapping[str, int], possible: frozenset[Fate]) -> tuple[str, ...]:
    return tuple(str(counts.get(fate, 0)) if fate in possible or counts.get(fate) else ABSENT for fate in FATES)


def _units(arm: ArmRecord) -> str:
    return f"{sum(arm.evidence['counts'].values())} ({arm.counts['scored']})"


def _questions(arm: ArmRecord, kind: str) -> str:
    """Scored questions of a type in parentheses; an arm without a ranking has no count by type."""
    if kind == ALL:
        return f" ({arm.counts['scored']})"
    means = arm.slices.get("type", {}).get(kind, {}).values()
    return next((f" ({mean.n})" for mean in means), "")


def _of_all(arm: ArmRecord) -> str:
    return f"{sum(arm.evidence['counts'].values())} relevant units of {arm.counts['scored']} scored questions"
