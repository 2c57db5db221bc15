"""The tables of `rag-ablation compare`."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rag_ablation.commands._marks import told
from rag_ablation.core.wording import counted
from rag_ablation.report.leaderboard import ABSENT, MINUS, Leaderboard, Table, heading, number, signed

WIDEST_REASON = 45


def drawn(found: Mapping[str, Any]) -> Leaderboard:
    """Differences, questions that moved and units that moved.

    Args:
        found: JSON values of two arms compared.
    """
    tables = [_differences(found)]
    factors = found["changed"]
    confounded = f" ({len(factors)} factors: confounded)" if len(factors) > 1 else ""
    remarks = [
        *told(found["marks"]),
        f"changed: {'; '.join(factors) or 'nothing'}{confounded}",
        "exploratory: intervals, no verdict; p is of a sign-flip test by group, not adjusted for several looks",
    ]
    remarks += _reasons(found)
    if found["questions"] is None:
        why = next(row["reason"] for row in found["differences"] if row["measure"] == found["measure"])
        remarks.append(f"questions that moved are not listed: {why}")
    else:
        tables.append(_questions(found))
    if found["moved"] is None:
        remarks.append("units that moved are not told, since one of the two has no context")
    else:
        tables += [_units(found["moved"][what], what) for what in ("rescued", "lost")]
        remarks += [_sum(found["moved"][what], what) for what in ("rescued", "lost")]
    return Leaderboard(tables=tuple(table for table in tables if table.rows), remarks=tuple(remarks))


def _differences(found: Mapping[str, Any]) -> Table:
    rows = []
    for row in found["differences"]:
        point, _, measure = row["measure"].partition("/")
        name = f"{point} {heading(measure)}"
        if row["difference"] is None:
            rows.append((name, ABSENT, ABSENT, _in_short(row["reason"]), ABSENT, ABSENT))
            continue
        ends = ABSENT if row["low"] is None else f"{signed(row['low'])} to {signed(row['high'])}"
        moved = f"{row['wins']}/{row['ties']}/{row['losses']}"
        cells = (f"{row['n']} ({row['n_groups']})", signed(row["difference"]), ends, moved, _p(row["p"]))
        rows.append((name, *cells))
    arms = f"{found['after']['arm']} {MINUS} {found['before']['arm']}"
    return Table(
        title=f"{arms}, on {found['dataset']} ({found['side']})",
        headings=("measure", "n (groups)", "difference", "95 % interval", "wins/ties/losses", "p (exploratory)"),
        rows=tuple(rows),
        numeric_from=1,
    )


def _in_short(reason: str) -> str:
    """What fits into a cell; a longer reason is a remark."""
    return reason if len(reason) <= WIDEST_REASON else "undefined"


def _reasons(found: Mapping[str, Any]) -> list[str]:
    """Reasons that fit into no cell, with the measures that they concern."""
    concerned: dict[str, list[str]] = {}
    for row in found["differences"]:
        if row["difference"] is None and _in_short(row["reason"]) != row["reason"]:
            concerned.setdefault(row["reason"], []).append(row["measure"])
    return [f"{', '.join(measures)}: {reason}" for reason, measures in concerned.items()]


def _p(p: float) -> str:
    return "<.001" if p < 0.001 else f"{p:.3f}"


def _questions(found: Mapping[str, Any]) -> Table:
    """Value and first relevant unit of each question that is listed, before and after."""
    point, _, measure = found["measure"].partition("/")
    told = found["questions"]
    depths = told["ranks_down_to"]
    ranked = depths != [None, None]
    rows = []
    for row in told["rows"]:
        values = (number(row["before"]), number(row["after"]), signed(row["difference"]))
        ranks = (_rank(row["rank_before"], depths[0]), _rank(row["rank_after"], depths[1])) if ranked else ()
        rows.append((row["query_id"], row["type"], *values, *ranks))
    headings = ("question", "type", "before", "after", "difference")
    return Table(
        title=f"questions that moved most on {point} {heading(measure)}: {len(rows)} of {told['n_moved']} that moved, "
        f"among {told['n']}" + ("; rank of the first relevant unit" if ranked else ""),
        headings=(*headings, "rank before", "rank after") if ranked else headings,
        rows=tuple(rows),
        numeric_from=2,
    )


def _rank(rank: int | None, depth: int | None) -> str:
    if depth is None:
        return ABSENT
    return f">{depth}" if rank is None else str(rank)


def _units(rows: Sequence[Mapping[str, Any]], what: str) -> Table:
    cells = [
        (row["query_id"], row["type"], row["unit"], str(row["grade"]), row["before"], row["after"]) for row in rows
    ]
    return Table(
        title=f"units {what}: {'not in' if what == 'rescued' else 'in'} the context before, "
        f"{'in' if what == 'rescued' else 'not in'} it after",
        headings=("question", "type", "unit", "grade", "before", "after"),
        rows=tuple(cells),
        numeric_from=6,
    )


def _sum(rows: Sequence[Mapping[str, Any]], what: str) -> str:
    questions = len({row["query_id"] for row in rows})
    types = ", ".join(f"{kind} {n}" for kind, n in sorted(Counter(row["type"] for row in rows).items()))
    sizes = f"{counted(len(rows), 'unit')} of {counted(questions, 'question')}"
    return f"{what}: {sizes}" + (f" ({types})" if types else "")
