"""What a plan says, and by which words a person lets it go on, for the verbs that deal with plans."""

import argparse
from collections.abc import Iterator

from rag_ablation.core.errors import CommandError, HoldoutError
from rag_ablation.core.wording import counted
from rag_ablation.holdout.freeze import FrozenPlan
from rag_ablation.holdout.seen import SeenBefore
from rag_ablation.measures.independent import IndependentDifference
from rag_ablation.measures.uncertainty import Interval
from rag_ablation.report.leaderboard import signed


def reason_of(args: argparse.Namespace) -> str | None:
    """Why a holdout that was looked at is to be used again; None where that was not asked for.

    Raises:
        CommandError: one of the two options without the other.
    """
    if args.spend_again and not (args.reason or "").strip():
        raise CommandError.of("--reason", "nothing", 'why, in words: --spend-again --reason "…"')
    return " ".join(args.reason.split()) if args.spend_again else None


def refuse_seen(found: SeenBefore, reason: str | None) -> None:
    """More than 2 % of the questions seen before is no holdout, unless a person says why it is used none the less.

    Raises:
        HoldoutError: it is so, and nobody says why.
    """
    if found.too_many and reason is None:
        message = (
            f"the holdout is no longer unseen: {found}. What settings were tuned on cannot confirm them. Freeze on "
            'questions that nobody looked at, or go on with --spend-again --reason "…", and every table will say so'
        )
        raise HoldoutError(message)


def plan_lines(plan: FrozenPlan) -> Iterator[str]:
    """Candidate, baselines, rule, and what the holdout can show."""
    yield f"candidate: {plan.candidate.key} ({plan.candidate.name})"
    yield f"must beat: {'; '.join(f'{arm.key} ({arm.name})' for arm in plan.baselines)}"
    yield plan.rule.words()
    fold = "" if plan.split["fold"] is None else f", fold {plan.split['fold']}"
    size = f"{counted(plan.split['questions'], 'question')} in {counted(plan.split['groups'], 'group')}"
    yield f"holdout: {plan.dataset['name']}, split {plan.split['name']}{fold}: {size}"
    yield from _planning(plan)
    if plan.checkout.get("dirty"):
        yield "mark: frozen from a tree with changes under src/ or conf/ (--allow-dirty)"
    if plan.seen.get("reason"):
        yield f"mark: frozen over questions that had been seen, because: {plan.seen['reason']}"


def _planning(plan: FrozenPlan) -> Iterator[str]:
    """What the holdout can show against each baseline, held against the difference that matters."""
    show, delta = plan.can_show, plan.rule.smallest_difference
    scored = f"{counted(show['reviewed'], 'reviewed question')} in {counted(show['groups'], 'group')}"
    smallest = {key: value for key, value in show["smallest_differences"].items() if value is not None}
    if not smallest:
        yield f"planning: {scored}: no difference can be planned for on so few groups"
        return
    said = ", ".join(f"{value:.3f} from {key}" for key, value in smallest.items())
    yield f"planning: {scored} are likely (80 %) to show, at 95 %, a difference of at least {said}"
    above = [key for key, value in smallest.items() if value > delta]
    if above:
        yield (
            f"warning: from {', '.join(above)} that is above the smallest difference that matters ({delta:g}): a true "
            "difference in between will probably stay undecided"
        )


def gap_words(gap: Interval | IndependentDifference) -> str:
    """A difference with its interval.

    Args:
        gap: of arms, or of sides.
    """
    if gap.mean is None or gap.low is None or gap.high is None:
        return "undefined"
    return f"{signed(gap.mean)} (95 % {signed(gap.low)} to {signed(gap.high)})"
