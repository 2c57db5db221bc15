"""Which questions moved: a few of each step, losses as well as gains, with the evidence side by side."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from rag_ablation.report.study._ranks import Standing
from rag_ablation.report.study._reasons import why_of
from rag_ablation.report.study.answers.given import given_by
from rag_ablation.report.study.asked import same_questions
from rag_ablation.report.study.content import Flip, Flips, Ladder, LadderStep
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.prose import joined, say, sentence
from rag_ablation.report.study.recorded import gaps_of, sides
from rag_ablation.report.study.step_figures import fell_out
from rag_ablation.report.study.words import Text, text

MOST = 6
NAMED_STEPS = 3
NEAR = 0.5  # a question of a type not shown yet is taken before one that moved up to twice as far

Stand = Callable[[ArmResult, str], Standing]


class Move(NamedTuple):
    """One question in one step.

    Args:
        place: of the step among those looked at.
        row: of the question.
        query: its id.
        type: its type.
        gap: child − parent, never 0.
    """

    place: int
    row: int
    query: str
    type: str
    gap: float


def flips_of(results: StudyResults, ladder: Ladder) -> Flips | None:
    """Six questions at most, of the steps that the ladder draws, else of all.

    Args:
        results: the study.
        ladder: its steps.

    Returns:
        None where no question moved.
    """
    steps = [step for step in ladder.shown or ladder.steps() if sides(step, results, results.study.primary)]
    moves = [move for place, step in enumerate(steps) for move in _moves(place, step, results)]
    picked = chosen(moves)
    if not picked:
        return None
    stand = _reader(results)
    return Flips(
        finding=_finding(results, steps, moves, len(picked)),
        questions=tuple(_flip(results, steps[move.place], move, stand) for move in picked),
    )


def chosen(moves: Sequence[Move]) -> list[Move]:
    """Those that moved most, taken in turn from the gains and losses of each step, of different types if near.

    Args:
        moves: of all steps.

    Returns:
        In order of the steps, the largest move first; a question is shown once.
    """
    piles: defaultdict[tuple[int, bool], list[Move]] = defaultdict(list)
    for move in sorted(moves, key=lambda move: (-abs(move.gap), move.query)):
        piles[move.place, move.gap > 0].append(move)
    order = sorted(piles, key=lambda pile: (-abs(piles[pile][0].gap), -pile[0], pile[1]))  # a child before its parent
    picked: list[Move] = []
    while len(picked) < MOST:
        before = len(picked)
        for pile in order:
            found = _next(piles[pile], picked)
            if found is not None and len(picked) < MOST:
                picked.append(found)
        if len(picked) == before:
            break
    return sorted(picked, key=lambda move: (move.place, -abs(move.gap), move.query))


def _next(pile: Sequence[Move], picked: Sequence[Move]) -> Move | None:
    """The furthest move that is left, or one of a type that was shown less and moved nearly as far."""
    seen, types = {move.query for move in picked}, Counter(move.type for move in picked)
    left = [move for move in pile if move.query not in seen]
    near = [move for move in left if abs(move.gap) >= NEAR * abs(left[0].gap)]
    return min(near, key=lambda move: (types[move.type], -abs(move.gap), move.query), default=None)


def _moves(place: int, step: LadderStep, results: StudyResults) -> list[Move]:
    both = sides(step, results, results.study.primary)
    if both is None:
        return []
    child, parent = both
    gaps = gaps_of(child, parent, results.study.primary)
    rows = np.flatnonzero(~np.isnan(gaps) & (gaps != 0)).tolist()
    return [Move(place, row, child.query_ids[row], child.types[row], float(gaps[row])) for row in rows]


def _reader(results: StudyResults) -> Stand:
    """Questions in arms; the labels of an arm are read once."""
    arms = {arm.key: arm for arm in results.arms}

    @cache
    def judged(key: str) -> dict[str, dict[str, int]]:
        return {query: dict(own) for query, own in arms[key].judged().items()}

    def stand(arm: ArmResult, query: str) -> Standing:
        return Standing(arm, query, results.study.primary, results.source, judged(arm.key).get(query, {}))

    return stand


def _flip(results: StudyResults, step: LadderStep, move: Move, stand: Stand) -> Flip:
    arms = _columns(results, step)
    standing = {arm.key: stand(arm, move.query) for arm in arms}
    child = standing[step.child]
    return Flip(
        query_id=move.query,
        question=results.source.questions.get(move.query, ""),
        type=move.type,
        label=step.label,
        difference=move.gap,
        why=why_of(step, standing[step.parent], child, move.gap),
        answer=results.source.answers.get(move.query),
        n_gold=len(child.gold),
        columns=tuple(
            replace(
                standing[arm.key].drawn(float(arm.values[results.study.primary][move.row])),
                answer=given_by(arm, move.query),
            )
            for arm in arms
        ),
    )


def _columns(results: StudyResults, step: LadderStep) -> list[ArmResult]:
    """The parent and the child; both parents where the child has two."""
    primary, child = results.study.primary, results.arm(step.child)
    if child is None:
        return []
    known = [arm for key in child.arm.parents if (arm := results.arm(key)) is not None]
    same = [arm for arm in known if primary in arm.values and same_questions(arm, child)]
    parents = same if len(same) == len(child.arm.parents) == 2 else [arm for arm in same if arm.key == step.parent]
    return [*parents, child]


def _finding(results: StudyResults, steps: Sequence[LadderStep], moves: Sequence[Move], shown: int) -> Text:
    """Gains, losses and ties of the steps; of many steps, how many questions move at all."""
    scored = [_scored(step, results) for step in steps]
    if len(steps) > NAMED_STEPS:
        moved, n = len({move.query for move in moves}), max(scored)
        return text(
            f"{moved} of {n} questions move on at least one of {len(steps)} steps. Shown: {shown} that moved.",
            f"{n} 题中有 {moved} 题至少在 {len(steps)} 步之一变动。这里列出 {shown} 题。",
        )
    each = []
    for place, (step, n) in enumerate(zip(steps, scored, strict=True)):
        gains = sum(move.place == place and move.gap > 0 for move in moves)
        losses = sum(move.place == place and move.gap < 0 for move in moves)
        each.append(fell_out(step, (gains, n - gains - losses, losses)))
    return sentence(
        say(
            "{each}. Shown: {n} that moved.",
            "{each}。这里列出 {n} 题。",
            each=joined(each, "; ", "；"),
            n=str(shown),
        )
    )


def _scored(step: LadderStep, results: StudyResults) -> int:
    both = sides(step, results, results.study.primary)
    return 0 if both is None else int(np.count_nonzero(~np.isnan(gaps_of(*both, results.study.primary))))
