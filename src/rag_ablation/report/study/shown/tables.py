"""The ladder and the lost evidence as plain rows: what a note and a terminal both show."""

from rag_ablation.core.record import RecordedMean
from rag_ablation.measures.family import Comparison
from rag_ablation.measures.fates import GAPS, Fate
from rag_ablation.report.leaderboard import ABSENT, Table, number
from rag_ablation.report.study.content import Ladder, LadderRow, LadderStep, Lost
from rag_ablation.report.study.figures import difference, mean_ends, p_value, questions, tenths
from rag_ablation.report.study.nouns import gold
from rag_ablation.report.study.prose import say
from rag_ablation.report.study.shown import captions, inline
from rag_ablation.report.study.shown.phrases import PHRASES
from rag_ablation.report.study.shown.picks import shown_gaps
from rag_ablation.report.study.terms import GAPS as GAP_NAMES
from rag_ablation.report.study.verdict.terms import word_of_step
from rag_ablation.report.study.words import Text, text

NUMBERS_FROM, NUMBERS = 4, 5


def ladder_table(ladder: Ladder, language: str) -> Table:
    """One row for each step; an arm without a step has one that says why.

    Args:
        ladder: to show.
        language: `en` or `zh`.
    """
    name, ruled = captions.measure_name(ladder.measure), captions.ruled(ladder)
    heads = (
        *(PHRASES[head] for head in ("arm", "changes", "step", "by_rule" if ruled else "verdict")),
        text(f"mean {name} (95 %)", f"{name} 均值（95 %）"),
        PHRASES["n_and_groups"],
        text("difference (95 %)", "差值（95 %）"),
        *(PHRASES[head] for head in (("wtl",) if ruled else ("adjusted_p", "wtl"))),
    )
    return Table(
        title=captions.ladder_title(ladder).plain(language),
        headings=_plain(heads, language),
        rows=tuple(_plain(_cells(row, ruled=ruled), language) for found in ladder.rows for row in _rows(found)),
        numeric_from=NUMBERS_FROM,
    )


def lost_table(lost: Lost, unit: str, scored: int, language: str) -> Table:
    """One row for each arm: what is kept, and what lies between it and all the evidence.

    Args:
        lost: to show.
        unit: evaluation unit.
        scored: questions in the means.
        language: `en` or `zh`.
    """
    parts = [part for part in GAPS if part in shown_gaps(lost)]
    title = say(
        "where evidence is lost, in points of recall of the context ({gold}, {questions}); a row adds up to 100",
        "证据丢在哪里，上下文召回的百分点（{gold}，{questions}）；每行合计 100",
        gold=gold(lost.total, unit),
        questions=questions(scored),
    )
    heads = (PHRASES["arm"], text("kept", "留下"), PHRASES["context_recall"], *(GAP_NAMES[part] for part in parts))
    return Table(
        title=title.plain(language),
        headings=_plain(heads, language),
        rows=tuple(_lost_row(lost, arm, parts) for arm in lost.arms),
        numeric_from=1,
    )


Cell = Text | str


def _cells(row: tuple[Cell, ...], *, ruled: bool) -> tuple[Cell, ...]:
    """Without the adjusted p, where a rule judged each step on its own."""
    return (*row[:-2], row[-1]) if ruled else row


def _plain(cells: tuple[Cell, ...], language: str) -> tuple[str, ...]:
    return tuple(cell if isinstance(cell, str) else cell.plain(language) for cell in cells)


def _rows(row: LadderRow) -> list[tuple[Cell, ...]]:
    """The arm stands in its first row alone."""
    if not row.steps:
        beside = row.note or PHRASES["no_step"]
        return [(row.key, row.changed, ABSENT, beside, *_mean(row.mean), *[ABSENT] * (NUMBERS - 2))]
    own: tuple[Cell, ...] = (row.key, row.changed)
    return [
        (*(("", "") if place else own), _label(step, row), *_step(step, ("", "") if place else _mean(row.mean)))
        for place, step in enumerate(row.steps)
    ]


def _step(step: LadderStep, mean: tuple[str, str]) -> tuple[Cell, ...]:
    found = step.comparison
    if found is None:
        return (inline.not_compared(step), *mean, *[ABSENT] * (NUMBERS - 2))
    mark = inline.confounded(step) if step.change.confounded and step.ruled is None else None
    wtl = f"{found.wins}/{found.ties}/{found.losses}"
    return (_verdict(step, found, mark), *mean, difference(found.interval), p_value(found.adjusted_p), wtl)


def _label(step: LadderStep, row: LadderRow) -> str:
    marked = step.better_parent and step.ruled is None and len(row.steps) > 1
    return f"{step.label} ◂" if marked else step.label


def _verdict(step: LadderStep, found: Comparison, mark: Text | None) -> Text:
    """The word, and in parentheses what weakens it."""
    weak = [*filter(None, [inline.weakened(found), mark])]
    word = word_of_step(step)
    if not weak:
        return word
    en, zh = ("; ".join(part.plain("en") for part in weak), "；".join(part.plain("zh") for part in weak))
    return text(f"{word.plain('en')} ({en})", f"{word.plain('zh')}（{zh}）")


def _mean(mean: RecordedMean | None) -> tuple[str, str]:
    """The mean with its interval, and what it stands on."""
    if mean is None:
        return ABSENT, ABSENT
    counted_on = f"{mean.n}, {mean.n_groups}" if mean.n_groups is not None else str(mean.n)
    if mean.value is None:
        return f"{ABSENT} {mean.reason or ''}".rstrip(), counted_on
    ends = mean_ends(mean)
    return f"{number(mean.value)} ({ends})" if ends else number(mean.value), counted_on


def _lost_row(lost: Lost, arm: str, parts: list[str]) -> tuple[str, ...]:
    points = lost.gap.get(arm, {})
    kept = f"{lost.counts[arm].get(Fate.KEPT, 0)}/{lost.total}"
    return (arm, kept, tenths(lost.recall.get(arm)), *(tenths(points.get(part)) for part in parts))
