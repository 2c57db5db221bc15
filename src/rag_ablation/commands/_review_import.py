"""Verdicts of a sheet taken over, and the rates that follow."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from rag_ablation.commands._marks import told
from rag_ablation.commands._review_agreement import Told, agreement_told
from rag_ablation.commands._review_answers import JudgedArm, Rates, Reviewable
from rag_ablation.core.errors import CommandError
from rag_ablation.core.record import RecordedMean
from rag_ablation.core.reviews import Review
from rag_ablation.core.wording import counted
from rag_ablation.data.answer_sheet import AnswerSheet, read_answers
from rag_ablation.data.settled import REVIEWS, Added, add_reviews, read_reviews
from rag_ablation.measures.answers import CORRECT, CORRECT_HIGH, CORRECT_LOW, REFUSED_RIGHT
from rag_ablation.report.leaderboard import ABSENT, Leaderboard, Table

HEADINGS = (
    "arm",
    "n (groups)",
    "correct",
    "at least",
    "at most",
    "refused right (n)",
    "open",
    "by a person",
    "overruled",
)
AFTER_OPENING = "reviewed after opening: the record of a run on a holdout stays as it was written"


def imported(name: str, found: Reviewable, file: Path, by: str | None, root: Path) -> Leaderboard:
    """Take the verdicts of a sheet over; gives the rates that follow.

    Nothing is written before every row is known to fit.

    Args:
        name: of the run or study, as it was typed.
        found: its answers.
        file: the sheet.
        by: who gave the verdicts, None where that is not said.
        root: folder under which everything is written.

    Raises:
        RagAblationError: with every row that cannot be taken over, or what else is wrong.
    """
    sheet = read_answers(file, {key: one.row for key, one in found.answers.items()})
    if not sheet.filled:
        expected = "correct or incorrect in the column verdict of what was looked at"
        raise CommandError.of("verdict", f"none in {counted(len(sheet.left), 'row')}", expected, file=str(file))
    given = [Review(key=found.answers[row.id].key, word=row.word, note=row.note, by=by) for row in sheet.filled]
    added = add_reviews(root / REVIEWS, given)
    reviews = read_reviews(root / REVIEWS)
    rates = [(arm, arm.rates(reviews)) for arm in found.arms]
    compared = agreement_told(sheet, found, file) if sheet.samples else Told((), (_no_kappa(name),))
    n_open = len(found.waiting(reviews))
    waiting = [f"still open: {counted(n_open, 'distinct answer')}: {_export(name)}"] if n_open else []
    return Leaderboard(
        tables=(_table(rates, found), *compared.tables),
        remarks=(*_counts(sheet, added, root), *compared.lines, *waiting, *_next(found), *told(found.marks)),
    )


def _table(rates: Sequence[tuple[JudgedArm, Rates]], found: Reviewable) -> Table:
    mark = f" ({AFTER_OPENING})" if found.on_holdout else ""
    return Table(
        title=f"share of questions answered right, with what people said{mark}",
        headings=HEADINGS,
        rows=tuple(_row(arm, one) for arm, one in rates),
        numeric_from=1,
    )


def _row(arm: JudgedArm, rates: Rates) -> tuple[str, ...]:
    correct, low = rates.means[CORRECT], rates.means[CORRECT_LOW]
    n_groups = ABSENT if low.n_groups is None else str(low.n_groups)
    declined = rates.means[REFUSED_RIGHT]
    return (
        arm.name,
        f"{low.n} ({n_groups})",
        f"undefined: {rates.n_open} open" if rates.n_open and correct.value is None else _mean(correct),
        _mean(low, correct.value is None),
        _mean(rates.means[CORRECT_HIGH], correct.value is None),
        f"{_mean(declined, False)} ({declined.n})",
        str(rates.n_open),
        str(rates.n_reviewed),
        str(rates.n_overruled),
    )


def _mean(mean: RecordedMean, interval: bool = True) -> str:
    if mean.value is None:
        return f"undefined: {mean.reason}" if mean.n else ABSENT
    return f"{mean.value:.3f}" + (f" ({mean.low:.3f} to {mean.high:.3f})" if interval and mean.low is not None else "")


def _counts(sheet: AnswerSheet, added: Added, root: Path) -> list[str]:
    """What became of the rows."""
    words = {
        "new": added.new,
        "in place of another verdict": added.changed,
        "the same with another note or name": added.repeated,
        "there already": added.known,
    }
    said = ", ".join(f"{n} {what}" for what, n in words.items() if n)
    lines = [f"taken over: {counted(len(sheet.filled), 'verdict')} ({said}) into {root / REVIEWS}"]
    if sheet.left:
        lines.append(f"rows without a verdict: {len(sheet.left)}")
    return lines


def _no_kappa(name: str) -> str:
    said = "kappa: none, this sheet is no sample, and open verdicts say nothing of how far judge and people agree"
    return f"{said}; a sample does: {_export(name)} --sample N"


def _export(name: str) -> str:
    return shlex.join(["rag-ablation", "review", "export", name])


def _next(found: Reviewable) -> list[str]:
    """What records these rates."""
    if found.on_holdout:
        return [f"{AFTER_OPENING}; these rates are printed here and nowhere else"]
    again = "; arms whose questions were looked at are scored anew, from the stages and responses in the store"
    if found.command is not None:
        return [f"next, to record these rates{again}:", f"  {found.command}"]
    return [f"next, to record these rates{again}: the command that made this run (its settings: config.yaml beside it)"]
