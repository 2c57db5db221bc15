"""What may be wrong with the conclusion: every check, worst first, those that found nothing too."""

from collections.abc import Callable

from rag_ablation.report.study.answers.checks import CHECKS as OF_ANSWERS
from rag_ablation.report.study.checks import judged, mix, questions, runs, stages, steps, times
from rag_ablation.report.study.checks.recorded import recorded
from rag_ablation.report.study.content import Severity, Threat, Threats
from rag_ablation.report.study.figures import counted
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.prose import joined, say
from rag_ablation.report.study.terms import SEVERITIES
from rag_ablation.report.study.verdict import checks as holdout

CHECKS: tuple[Callable[[Found], Threat | None], ...] = (
    judged.unjudged_passages,
    runs.missing_arms,
    steps.not_comparable,
    steps.confounded,
    stages.language,
    questions.few_groups,
    questions.collapsed_split,
    steps.near_the_line,
    steps.too_small_to_matter,
    steps.few_differ,
    mix.mix_of_types,
    questions.few_groups_in_slices,
    runs.swept_here,
    runs.same_code,
    stages.truncated,
    stages.query_tokens,
    stages.access,
    times.timed_together,
    times.noise,
    times.sample,
    *OF_ANSWERS,
)

HOLDOUT_CHECKS: tuple[Callable[[Found], Threat | None], ...] = (
    holdout.marks,
    holdout.could_decide,
    holdout.flattered,
    holdout.again,
    holdout.unjudged_passages,
    steps.not_comparable,
    stages.language,
    questions.few_groups,
    questions.collapsed_split,
    steps.few_differ,
    mix.mix_of_types,
    questions.few_groups_in_slices,
    holdout.same_code,
    stages.truncated,
    stages.query_tokens,
    stages.access,
    *OF_ANSWERS,
)
"""A plan names its arms and its rule: what a step changes, what was swept and how fast it is decide nothing here."""


def threats_of(found: Found) -> Threats:
    """Make every check.

    Args:
        found: everything that was computed before.

    Returns:
        Worst first; a check that does not apply, such as one of steps where there is none, is left out.
    """
    made = [check(found) for check in (CHECKS if found.results.holdout is None else HOLDOUT_CHECKS)]
    checks = [*(threat for threat in made if threat is not None), *recorded(found)]
    order = list(Severity)
    checks.sort(key=lambda threat: order.index(threat.severity))
    each = [
        say("{n} {word}", "{word} {n}", n=str(sum(threat.severity is severity for threat in checks)), word=word)
        for severity, (_, word) in SEVERITIES.items()
    ]
    return Threats(
        finding=say(
            "{n}: {each}.",
            "共 {n}：{each}。",
            n=counted(len(checks), "check", "checks", "项检查"),
            each=joined(each, ", ", "，"),
        ),
        checks=tuple(checks),
    )
