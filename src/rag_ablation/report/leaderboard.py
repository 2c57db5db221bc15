"""The tables of a sweep, as plain rows: what the terminal, the note and a file all show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from rag_ablation.core.record import ArmRecord, RecordedMean
from rag_ablation.experiment.factors import change
from rag_ablation.measures.grouped import TIE
from rag_ablation.report.differences import Difference, Values, difference, parents_of

COLUMNS = ("recall@1", "recall@5", "recall@10", "mrr@10", "ndcg@10")
DIFFERENCES = ("mrr@10", "ndcg@10")
HEADINGS = {"recall": "Recall", "mrr": "MRR", "ndcg": "nDCG"}
ABSENT = "–"
HANDED = {
    "gold": "ceiling of the context",
    "random": "passages at random",
    "closed_book": "an empty context",
}
MINUS = "−"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table ready to be drawn.

    Args:
        title: one line above it.
        headings: of the columns.
        rows: cells as text, one tuple a row.
        numeric_from: first column that holds numbers.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric_from: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboard:
    """Everything that is said at the end of a run or sweep.

    Args:
        tables: the arms, then their differences from their parents where both were run.
        remarks: exclusions, notices, threats and failures, one sentence each.
    """

    tables: tuple[Table, ...]
    remarks: tuple[str, ...]


def heading(measure: str) -> str:
    """`recall@10` as people write it: `Recall@10`; a measure without a cutoff as it is."""
    name, at, cutoff = measure.partition("@")
    return f"{HEADINGS.get(name, name)}{at}{cutoff}"


def leaderboard(
    arms: Sequence[ArmRecord], values: Sequence[Values], spent: Mapping[str, Sequence[str]] | None = None
) -> Leaderboard:
    """Build the tables.

    Args:
        arms: records in the order of the sweep.
        values: per-question values of each (`group` among them); empty for an arm that failed.
        spent: by id of a run on a holdout, what must be said of that holdout beside the run's own marks.
    """
    known = {id(record): found for record, found in zip(arms, values, strict=True)}
    pairs = [(child, parent) for child in arms if child.status == "finished" for parent in parents_of(child, arms)]
    differences = [
        [difference((child, known[id(child)]), (parent, known[id(parent)]), f"final/{name}") for name in DIFFERENCES]
        for child, parent in pairs
        if child.final is not None and parent.final is not None
    ]
    tables = [_arms(arms)]
    if differences:
        tables.append(_differences(differences))
    return Leaderboard(tables=tuple(tables), remarks=tuple(_remarks(arms, differences, spent or {})))


def named(column: str) -> str:
    """`final/ndcg@10` as people write it, without its point where that is the last ranking: `nDCG@10`."""
    point, _, measure = column.rpartition("/")
    name = heading(measure)
    return name if point in {"", "final"} else f"{point}/{name}"


def number(value: float | None, digits: int = 3) -> str:
    """`0.788`, or – where undefined; a minus is a minus sign."""
    if value is None:
        return ABSENT
    return f"{MINUS if value <= -TIE else ''}{abs(value):.{digits}f}"


def signed(value: float | None, digits: int = 3) -> str:
    """`+0.092`; what is not 0 keeps its sign when it rounds to 0, and 0 has none.

    A mean of differences that cancel may miss 0 by the last bits, and is 0 here.
    """
    return f"+{number(value, digits)}" if value is not None and value >= TIE else number(value, digits)


def milliseconds(value: float | None) -> str:
    """Two figures at least: `0.21`, `4.7`, `1,229`."""
    if value is None:
        return ABSENT
    return f"{value:,.{0 if value >= 9.95 else 1 if value >= 0.995 else 2}f}"


def _arms(arms: Sequence[ArmRecord]) -> Table:
    headings = ("arm", "what changed", "n (groups)", *map(heading, COLUMNS), "stages new+reused", "p50 ms (n)")
    return Table(
        title="at the measuring point final",
        headings=headings,
        rows=tuple(_arm_row(arm, arms) for arm in arms),
        numeric_from=2,
    )


def _arm_row(arm: ArmRecord, arms: Sequence[ArmRecord]) -> tuple[str, ...]:
    if arm.status != "finished":
        return (arm.arm, f"{arm.status}: {_first_line(arm.error)}", *[ABSENT] * (len(COLUMNS) + 3))
    stages = f"{arm.counts['stages_computed']}+{arm.counts['stages_reused']}"
    p50 = arm.latency.get("milliseconds", {}).get("end_to_end", {}).get("p50")
    latency = ABSENT if p50 is None else f"{p50:.1f} ({arm.latency['questions']})"
    cells = [number(_value(arm.mean("final", name))) for name in COLUMNS]
    counted = f"{arm.counts['scored']} ({arm.counts['groups']})"
    return (arm.arm, _changed(arm, arms), counted, *cells, stages, latency)


def _changed(arm: ArmRecord, arms: Sequence[ArmRecord]) -> str:
    """What differs from the nearest parent in this sweep."""
    context = arm.settings.get("context")
    if arm.final is None and isinstance(context, Mapping):
        handed = HANDED.get(str(context.get("name")))
        return ABSENT if handed is None else handed if "generate" in arm.settings else f"{handed}; no generator"
    parents = parents_of(arm, arms)
    changes = [(change(parent.settings, arm.settings), parent) for parent in parents]
    if not changes:
        return ABSENT
    nearest, parent = min(changes, key=lambda pair: len(pair[0].factors))
    warning = f" ({len(nearest.factors)} factors: confounded)" if nearest.confounded else ""
    return f"vs {parent.arm}: {nearest}{warning}"


def _differences(differences: Sequence[Sequence[Difference]]) -> Table:
    headings = ["difference", "n (groups)"]
    for name in DIFFERENCES:
        headings += [f"Δ {heading(name)}", "95 % interval", "wins/ties/losses"]
    rows = []
    for pair in differences:
        child, parent = pair[0].child, pair[0].parent
        cells = [f"{child.arm} {MINUS} {parent.arm}", _counted(pair[0])]
        for found in pair:
            cells += _difference_cells(found)
        rows.append(tuple(cells))
    title = "differences question by question, intervals clustered by group; exploratory, no verdict"
    return Table(title=title, headings=tuple(headings), rows=tuple(rows), numeric_from=1)


def _difference_cells(found: Difference) -> list[str]:
    interval = found.interval
    if interval is None:
        return [ABSENT, (found.refused or ABSENT).partition(";")[0], ABSENT]
    ends = ABSENT if interval.low is None else f"{signed(interval.low)} to {signed(interval.high)}"
    return [signed(interval.mean), ends, f"{found.wins}/{found.ties}/{found.losses}"]


def _counted(found: Difference) -> str:
    return ABSENT if found.interval is None else f"{found.interval.n} ({found.interval.n_groups})"


def _remarks(
    arms: Sequence[ArmRecord], differences: Sequence[Sequence[Difference]], spent: Mapping[str, Sequence[str]]
) -> list[str]:
    finished = [arm for arm in arms if arm.status == "finished"]
    remarks = _grouped("mark", [(mark, arm) for arm in arms for mark in (*spent.get(arm.id, ()), *arm.marks)])
    for arm in finished:
        excluded = {name.removeprefix("excluded_"): n for name, n in arm.counts.items() if name.startswith("excluded_")}
        named = ", ".join(f"{n} {reason}" for reason, n in sorted(excluded.items())) or "none"
        remarks.append(f"scored {arm.counts['scored']} of {arm.counts['questions']} questions; excluded: {named}")
    remarks += [f"note: {notice}" for notice in chain.from_iterable(arm.notices for arm in finished)]
    remarks += _grouped("threat", [(threat, arm) for arm in finished for threat in arm.threats])
    for pair in differences:
        if ";" in (pair[0].refused or ""):
            remarks.append(f"{pair[0].child.arm} {MINUS} {pair[0].parent.arm}: {pair[0].refused}")
        if pair[0].change.confounded:
            child, parent = pair[0].child.arm, pair[0].parent.arm
            remarks.append(f"threat: {child} differs from {parent} in {len(pair[0].change.factors)} factors")
    remarks += [f"{arm.status}: {arm.arm}: {_first_line(arm.error)}" for arm in arms if arm.status != "finished"]
    remarks += _grouped("no latency", [(arm.latency["reason"], arm) for arm in finished if arm.latency.get("reason")])
    return list(dict.fromkeys(remarks))


def _grouped(word: str, said: Sequence[tuple[str, ArmRecord]]) -> list[str]:
    """One line for each sentence, with the arms that it concerns."""
    concerned: dict[str, list[str]] = {}
    for sentence, arm in said:
        concerned.setdefault(sentence, []).append(arm.arm)
    return [f"{word} ({', '.join(names)}): {sentence}" for sentence, names in concerned.items()]


def _first_line(text: str | None) -> str:
    return (text or "").strip().splitlines()[0] if (text or "").strip() else "no reason recorded"


def _value(mean: RecordedMean | None) -> float | None:
    return None if mean is None else mean.value
