"""What a study's own report says of the plans that were frozen from it."""

from rag_ablation.report.study.figures import over
from rag_ablation.report.study.inputs import StudyResults
from rag_ablation.report.study.prose import say
from rag_ablation.report.study.verdict.inputs import PlanNote
from rag_ablation.report.study.verdict.terms import DECISIONS, KINDS, marks_in_a_row, moment, times_of
from rag_ablation.report.study.words import Kind, Piece, Text, code, text


def plans_of(results: StudyResults) -> tuple[Text, ...]:
    """A sentence or two for each plan.

    Args:
        results: of a study.
    """
    return tuple(_plan(note) for note in results.plans)


def _plan(note: PlanNote) -> Text:
    plan, on = code(note.plan), over(note.n, note.n_groups)
    if note.problem is not None:
        return say(
            "Plan {plan} ({candidate}) has results on the holdout that are not told: {problem}.",
            "计划 {plan}（{candidate}）有留出集上的结果，但不予列出：{problem}。",
            plan=plan,
            candidate=note.candidate,
            problem=note.problem,
        )
    if note.decision is None:
        return say(
            "Plan {plan} ({candidate}) was frozen {when}; its holdout ({on}) has not been opened.",
            "计划 {plan}（{candidate}）冻结于 {when}；它的留出集（{on}）尚未打开。",
            plan=plan,
            candidate=note.candidate,
            when=moment(note.frozen),
            on=on,
        )
    word = DECISIONS.get(note.decision, text(note.decision, note.decision))
    kind = KINDS.get(note.decision, Kind.UNDECIDED)
    decision = text(Piece(word.plain("en"), kind), Piece(word.plain("zh"), kind))
    said = say(
        "Plan {plan} ({candidate}) was run on the holdout ({on}, opened {times}): {decision}; see {page}.",
        "计划 {plan}（{candidate}）已在留出集（{on}，打开过 {times}）上运行：{decision}；见 {page}。",
        plan=plan,
        candidate=note.candidate,
        on=on,
        times=times_of(note.times),
        decision=decision,
        page=code(note.page),
    )
    if not note.marks:
        return said
    return say("{said} Marked: {marks}.", "{said}标记：{marks}。", said=said, marks=marks_in_a_row(note.marks))
