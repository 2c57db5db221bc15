"""What was found, in Markdown."""

from collections.abc import Iterable, Sequence

from benchmarks.calibration.bounds import COVERAGE, is_bounded
from benchmarks.calibration.made import HIT
from benchmarks.calibration.simulate import ARMS, Calibration, Claims, Coverage, Shares
from rag_ablation.measures.family import ALPHA

BEGIN = "<!-- calibration: begin (written by python -m benchmarks.calibration, do not edit) -->"
END = "<!-- calibration: end -->"


def percent(value: float) -> str:
    """`94.8`."""
    return f"{100 * value:.1f}"


def span(values: Iterable[float]) -> str:
    """`94.1 to 95.6 %`."""
    found = list(values)
    return f"{percent(min(found))} to {percent(max(found))} %"


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def coverage_table(cells: Sequence[Coverage]) -> str:
    """Coverage and size, every cell."""
    rows = []
    for cell in cells:
        shares = (cell.by_group, cell.bootstrap, cell.by_question, cell.size_by_group, cell.size_by_question)
        bound = f"{100 * COVERAGE[0]:.0f}–{100 * COVERAGE[1]:.0f}" if is_bounded(cell) else "–"
        place = [cell.kind, cell.n, cell.n_groups, f"{cell.differing:.0f}", cell.correlation]
        rows.append([*place, percent(shares[0]), bound, *map(percent, shares[1:])])
    headings = ["differences", "questions", "groups", "that differ", "correlation", "t by group", "bound", "bootstrap"]
    return table([*headings, "t by question", "size by group", "size by question"], rows)


def shares_table(cells: Sequence[Shares]) -> str:
    """Wilson's interval of a share, every cell."""
    rows = [
        [cell.n, cell.n_groups, cell.correlation, percent(cell.on_effective_n), percent(cell.on_n)] for cell in cells
    ]
    return table(["questions", "groups", "correlation", "Wilson on effective n", "Wilson on n"], rows)


def claims_table(cells: Sequence[Claims]) -> str:
    """Families of null arms, every cell."""
    rows = []
    for cell in cells:
        shares = (cell.words, cell.adjusted, cell.unadjusted, cell.adjusted_by_question, cell.unadjusted_by_question)
        rows.append([cell.kind, cell.n, cell.n_groups, cell.correlation, *map(percent, shares)])
    headings = ["scores", "questions", "groups", "correlation", "better or worse", "Holm by group"]
    return table([*headings, "unadjusted by group", "Holm by question", "unadjusted by question"], rows)


def coverage_findings(found: Calibration) -> str:
    """What the table of coverage comes to."""
    bounded = [cell for cell in found.coverages if is_bounded(cell)]
    others = [cell for cell in found.coverages if not is_bounded(cell)]
    alike = [cell for cell in bounded if cell.correlation]
    return (
        f"Where coverage is bounded, the t interval by group held the truth in {span(c.by_group for c in bounded)} "
        f"of the repetitions; elsewhere in {span(c.by_group for c in others)}. An interval that takes questions for "
        f"independent held it in {span(c.by_question for c in alike)} of the bounded cells with correlation."
    )


def claims_findings(found: Calibration) -> str:
    """What the table of claims comes to."""
    alike = [cell for cell in found.claims if cell.correlation]
    most = max(cell.words for cell in found.claims), max(cell.adjusted for cell in found.claims)
    return (
        f"At most {percent(most[0])} % of the families got a word, and at most {percent(most[1])} % had an adjusted p "
        f"of {ALPHA} or less (bound: {100 * ALPHA:.0f} %). Unadjusted tests by group would have claimed something in "
        f"{span(c.unadjusted for c in found.claims)} of them. With correlation, tests by question would have done so "
        f"in {span(c.adjusted_by_question for c in alike)} even after Holm, and in "
        f"{span(c.unadjusted_by_question for c in alike)} without it."
    )


def page(found: Calibration, command: str, error: float) -> str:
    """All tables and findings, markers included.

    Args:
        found: every cell.
        command: that wrote it.
        error: two standard errors of a share of 5 or 95 %.
    """
    parts = [
        BEGIN,
        f"`{command}`: {found.repetitions:,} repetitions a cell, so ± {percent(error)} points for a share of 5 or "
        "95 % (two standard errors).",
        "**Paired differences.** Coverage of 95 % intervals, and size of the sign-flip test at 5 %, in %:",
        coverage_table(found.coverages),
        coverage_findings(found),
        f"**A hit rate of {HIT}.** Coverage of Wilson's 95 % intervals, in %:",
        shares_table(found.shares),
        f"**{ARMS} null arms against a baseline.** Families in which at least one arm was claimed to differ, in %:",
        claims_table(found.claims),
        claims_findings(found),
        END,
    ]
    return "\n\n".join(parts)
