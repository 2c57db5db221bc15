"""A study's report as Markdown, for a pull request and for a tracker's note; text from data is escaped."""

import re
from collections.abc import Iterable

from rag_ablation.report.leaderboard import Leaderboard, Table
from rag_ablation.report.markdown import escaped, to_markdown
from rag_ablation.report.study.content import StudyReport, Threat
from rag_ablation.report.study.shown import inline
from rag_ablation.report.study.shown.answer_tables import answers_table
from rag_ablation.report.study.shown.phrases import HEADINGS, PHRASES
from rag_ablation.report.study.shown.tables import ladder_table, lost_table
from rag_ablation.report.study.terms import SEVERITIES
from rag_ablation.report.study.verdict.told import tuning_table
from rag_ablation.report.study.words import Kind, Piece, Text

BOLD = frozenset({Kind.BETTER, Kind.WORSE, Kind.UNDECIDED, Kind.STRONG})


def markdown_of(report: StudyReport, language: str = "en") -> str:
    """What a reader of a pull request needs: conclusion, ladder, what was lost, answers, threats, how to repeat.

    Args:
        report: computed.
        language: `en` or `zh`.
    """
    write = _Writer(language)
    parts = [
        *_conclusion(report, write, language),
        write.heading(HEADINGS["baselines" if report.holdout else "ladder"][1]),
        write.text(report.ladder.finding),
        leaderboard_markdown(report, language).rstrip("\n"),
    ]
    if report.types and report.types.watched:
        parts += [
            write.heading(PHRASES["watched"]),
            write.items(map(write.text, report.types.watched)),
        ]
    if report.lost:
        counts = report.conclusion.denominators
        table = lost_table(report.lost, counts.unit, counts.scored, language)
        parts += [write.heading(HEADINGS["lost"][1]), write.text(report.lost.finding), _table(table)]
        parts += [write.text(report.lost.answered)] if report.lost.answered else []
    if report.answers:
        parts += [
            write.heading(HEADINGS["answers"][1]),
            write.text(report.answers.finding),
            _table(answers_table(report.answers, language)),
            *map(write.text, report.answers.notes),
            write.text(report.answers.cost) if report.answers.cost else "",
        ]
    parts += [
        write.heading(HEADINGS["threats"][1]),
        write.text(report.threats.finding),
        write.items(_threat(check, write) for check in report.threats.checks),
    ]
    if report.commands:
        parts += [write.heading(HEADINGS["repeat"][1]), _commands(report, language)]
    return "\n\n".join(part for part in parts if part) + "\n"


def leaderboard_markdown(report: StudyReport, language: str = "en") -> str:
    """The table of the ladder alone.

    Args:
        report: computed.
        language: `en` or `zh`.
    """
    return _table(ladder_table(report.ladder, language)) + "\n"


class _Writer:
    """Texts as Markdown in one language."""

    def __init__(self, language: str) -> None:
        self._language = language

    def text(self, text: Text) -> str:
        """Pieces by their kind."""
        return "".join(_piece(piece) for piece in (text.zh if self._language == "zh" else text.en))

    def heading(self, text: Text, level: int = 3) -> str:
        """A heading."""
        return f"{'#' * level} {self.text(text)}"

    def items(self, lines: Iterable[str]) -> str:
        """A list."""
        return "\n".join(f"- {line}" for line in lines)


def _conclusion(report: StudyReport, write: _Writer, language: str) -> list[str]:
    conclusion, counts = report.conclusion, report.conclusion.denominators
    lines = [
        f"{write.text(PHRASES['asked'])}: {write.text(inline.asked(counts, report.side))}",
        f"{write.text(PHRASES['scored'])}: {write.text(inline.scored(counts))}",
        *(
            f"{write.text(PHRASES['excluded'])}: {write.text(inline.excluded(reason, n))}"
            for reason, n in counts.excluded.items()
            if n
        ),
        write.text(counts.setup),
    ]
    said = [part for found in conclusion.sentences for part in (write.text(found.sentence), write.text(found.figures))]
    following = [f"{number}. {write.text(step)}" for number, step in enumerate(conclusion.next, start=1)]
    return [
        write.heading(conclusion.title, 2),
        *said,
        *_verdict(report, write, language),
        *map(write.text, conclusion.plans),
        write.text(conclusion.alone) if conclusion.alone else "",
        write.items(lines),
        write.heading(PHRASES["next"]) if following else "",
        "\n".join(following),
    ]


def _verdict(report: StudyReport, write: _Writer, language: str) -> list[str]:
    """Marks first; then the rule, what was observed and what follows; then how much was tuning."""
    held = report.holdout
    if held is None:
        return []
    phrase = {name: write.text(PHRASES[name]) for name in ("rule_was", "observed", "therefore", "tuning")}
    marks = [f"**▲ {write.text(mark)}**" for mark in held.marks]
    lines = [
        f"{phrase['rule_was']}: {write.text(held.rule)}",
        *(f"{phrase['observed']}: {write.text(one)}" for one in held.observed),
        f"{phrase['therefore']}: **{write.text(held.therefore)}**",
    ]
    facts = [f"{write.text(name)}: {write.text(content)}" for name, content in held.facts]
    return [
        f"**{write.text(held.spent)}**",
        *marks,
        write.items(lines),
        write.heading(PHRASES["tuning"]),
        write.text(held.tuning_finding),
        _table(tuning_table(held, language)),
        write.items(facts),
    ]


def verdict_note(report: StudyReport, language: str = "en") -> str:
    """The verdict with its small table alone, for a tracker's note.

    Args:
        report: of a plan on its holdout.
        language: `en` or `zh`.
    """
    write = _Writer(language)
    said = [
        part
        for found in report.conclusion.sentences
        for part in (write.text(found.sentence), write.text(found.figures))
    ]
    parts = [*said, *_verdict(report, write, language), leaderboard_markdown(report, language).rstrip("\n")]
    return "\n\n".join(part for part in parts if part) + "\n"


def _threat(check: Threat, write: _Writer) -> str:
    mark, name = SEVERITIES[check.severity]
    act = f" → {write.text(check.act)}" if check.act else ""
    return f"{mark} {write.text(name)} · {write.text(check.name)}: {write.text(check.measured)}{act}"


def _commands(report: StudyReport, language: str) -> str:
    lines = []
    for comment, command in report.commands[0]:
        lines += [f"# {_one_line(comment.plain(language))}"] if comment else []
        lines.append(_one_line(command))
    fence = "`" * max(3, 1 + _longest_run("\n".join(lines)))
    return "\n".join([f"{fence}sh", *lines, fence])


def _table(table: Table) -> str:
    return to_markdown(Leaderboard(tables=(table,), remarks=())).rstrip("\n")


def _piece(piece: Piece) -> str:
    if piece.kind is Kind.CODE and piece.text.strip():
        return _code(piece.text)
    shown = escaped(piece.text)
    if piece.kind not in BOLD or not shown.strip():
        return shown
    whole = shown[0].isalnum() and shown[-1].isalnum()
    return f"**{shown}**" if whole else f"<b>{shown}</b>"  # stars beside punctuation do not always make bold


def _code(text: str) -> str:
    """A code span, whatever ticks are inside."""
    line = _one_line(text)
    ticks = "`" * (1 + _longest_run(line))
    pad = " " if "`" in line else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def _one_line(text: str) -> str:
    return " ".join(text.splitlines())
