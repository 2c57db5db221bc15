"""How far judge and people agree, as a table, in words, and as a file beside the sheet."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from rag_ablation.commands._review_answers import Reviewable
from rag_ablation.commands._review_sample import Sample, agreement_of, sample_of
from rag_ablation.core.answers import Word
from rag_ablation.core.replacing import replace_text
from rag_ablation.core.reviews import SETTLED
from rag_ablation.core.wording import counted
from rag_ablation.data.answer_sheet import AnswerSheet
from rag_ablation.measures.agreement import Agreement, Kappa
from rag_ablation.report.leaderboard import ABSENT, Table

LAYOUT = "rag-ablation.agreement/1"
FEW_GROUPS = 20
BASIS = (
    "Cohen's kappa of the answers that the judge decided; each weighs as many as its verdict has for one looked at; "
    "percentile bootstrap over groups of questions"
)


class Told(NamedTuple):
    """What is shown of an agreement.

    Args:
        tables: none where there is nothing to compare.
        lines: one sentence each.
    """

    tables: tuple[Table, ...]
    lines: tuple[str, ...]


def agreement_told(sheet: AnswerSheet, found: Reviewable, file: Path) -> Told:
    """Measure agreement on a sampled sheet, and write it beside the sheet.

    Args:
        sheet: as it came back.
        found: the answers.
        file: the sheet's.
    """
    sample = sample_of(sheet, found)
    beside = file.with_name(f"{file.stem}.agreement.json")
    if isinstance(sample, str):
        return Told((), (f"kappa: undefined: {sample}",))
    compared = agreement_of(sheet, found, sample)
    text = json.dumps(_values(compared, sample, found, file), ensure_ascii=False, indent=1, allow_nan=False)
    replace_text(beside, text + "\n")
    return Told((_table(compared, sample),), (*_lines(compared), f"written: {beside}"))


def _table(compared: Agreement, sample: Sample) -> Table:
    rows = tuple(
        (str(word), str(size), str(sum(looked.values())), *(str(looked[said]) for said in SETTLED))
        for word, size in compared.sizes.items()
        if size and (looked := compared.table[word])
    )
    return Table(
        title=f"judge and person on a random sample by the judge's verdict: {sample}",
        headings=("the judge said", "answers", "looked at", *(f"person: {word}" for word in SETTLED)),
        rows=rows,
        numeric_from=1,
    )


def _lines(compared: Agreement) -> list[str]:
    kappa, decided = compared.kappa, compared.decided
    share = ABSENT if decided is None else f"{decided:.3f}"
    lines = [f"{_kappa_words(kappa)}; the judge decided {share} of the answers"]
    if kappa.value is not None:
        lines += [f"interval: {kappa.interval_reason}"] if kappa.interval_reason else []
        lines.append(
            f"agreement {kappa.observed:.3f} where chance would give {kappa.expected:.3f}, both weighted back to all "
            f"answers that the judge decided ({BASIS})"
        )
        lines += [
            f"notice: {who} “{word}” of all {kappa.n}: kappa is 0 then, however often they agree"
            for who, word in _one_word(compared)
        ]
    if 1 < kappa.n_groups < FEW_GROUPS:
        lines.append(f"notice: {kappa.n_groups} groups of questions; under {FEW_GROUPS} the interval is rough")
    return lines


def _kappa_words(kappa: Kappa) -> str:
    on = f"{counted(kappa.n, 'answer')}, {counted(kappa.n_groups, 'group')}"
    if kappa.value is None:
        return f"kappa: undefined ({on}): {kappa.reason}"
    interval = "no interval" if kappa.low is None else f"[{kappa.low:.3f}, {kappa.high:.3f}] {kappa.confidence:.0%}"
    return f"kappa {kappa.value:.3f} {interval} ({on})"


def _one_word(compared: Agreement) -> list[tuple[str, Word]]:
    """Who says one word only, which leaves nothing for kappa to see."""
    found: list[tuple[str, Word]] = []
    for word, other in (SETTLED, SETTLED[::-1]):
        if not sum(compared.table[other].values()):
            found.append(("the judge says", word))
        if not sum(compared.table[said][other] for said in SETTLED):
            found.append(("the person says", word))
    return found


def _values(compared: Agreement, sample: Sample, found: Reviewable, file: Path) -> Mapping[str, Any]:
    """JSON values only; what is undefined is null beside its reason."""
    return {
        "layout": LAYOUT,
        "sheet": file.name,
        "of": found.name,
        "runs": {arm.name: arm.record.id for arm in found.arms},
        "judge": dict(found.arms[0].record.settings["judge"]),
        "sample": asdict(sample),
        "how": BASIS,
        "kappa": asdict(compared.kappa),
        "decided": compared.decided,
        "answers": {str(word): n for word, n in compared.sizes.items()},
        "table": {str(word): {str(said): n for said, n in looked.items()} for word, looked in compared.table.items()},
    }
