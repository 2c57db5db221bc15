"""Whether all answers of a study come from one generator, one prompt and one judge."""

import shlex
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rag_ablation.core.digest import digest_json
from rag_ablation.experiment.factors import change
from rag_ablation.experiment.study import Role
from rag_ablation.report.study.answers import read
from rag_ablation.report.study.answers.names import generator_name, judge_name, prompts_of, version_of
from rag_ablation.report.study.checks.base import clear, raised
from rag_ablation.report.study.content import LadderStep, Severity, Threat
from rag_ablation.report.study.figures import counted
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.inputs import ArmResult
from rag_ablation.report.study.prose import joined, say
from rag_ablation.report.study.words import Text, code, text

SHORT = 8
PROMPT = "prompt"
REVIEWS = "reviews"


class Identity(NamedTuple):
    """What must be the same for shares of right answers to compare.

    Args:
        what: its name.
        of: what tells it on an arm, beside the first arm.
        said: how it is called.
    """

    what: Text
    of: Callable[[ArmResult, ArmResult], object]
    said: Callable[[ArmResult], str]


def _settings(slot: str) -> Callable[[ArmResult, ArmResult], object]:
    """How a stage differs from the first arm's in settings, as factors are counted, its prompts left out; its model."""

    def of(first: ArmResult, arm: ArmResult) -> object:
        model = {**arm.record.environment.get("models", {}).get(slot, {}), "rules": None, PROMPT: None}
        return [factor for factor in _factors(first, arm, slot) if PROMPT not in factor.split()[0]], digest_json(model)

    return of


def _prompts(slot: str) -> Callable[[ArmResult, ArmResult], object]:
    return lambda first, arm: prompts_of(arm, slot)


def _factors(first: ArmResult, arm: ArmResult, slot: str) -> list[str]:
    found = change(first.record.settings, arm.record.settings).factors
    return [factor for factor in found if factor.startswith((f"{slot} ", f"{slot}."))]


def _said_prompts(slot: str) -> Callable[[ArmResult], str]:
    return lambda arm: " ".join(prompts_of(arm, slot).values()) or "–"


VERSION = Identity(text("version of the judge", "判定的版本"), lambda _, arm: version_of(arm), judge_name)
REVIEWED = Identity(
    text("reviews by people", "人工判定"),
    lambda _, arm: arm.record.digests.get(REVIEWS),
    lambda arm: arm.record.digests.get(REVIEWS, "–")[:SHORT],
)
IDENTITIES = (
    Identity(text("generator", "生成器"), _settings(read.GENERATE), generator_name),
    Identity(text("prompt", "提示"), _prompts(read.GENERATE), _said_prompts(read.GENERATE)),
    Identity(text("judge", "判定"), _settings(read.JUDGE), lambda arm: judge_name(arm) or "–"),
    Identity(text("prompt of the judge", "判定的提示"), _prompts(read.JUDGE), _said_prompts(read.JUDGE)),
    VERSION,
    REVIEWED,
)
NEVER_DECLARED = (VERSION, REVIEWED)
"""No setting says them, so no step can be about them."""


def answered_alike(found: Found) -> Threat | None:
    """Whether all answers come from one generator, one prompt and one judge, or from the factor under study."""
    name = text("Generator, prompt and judge", "生成器、提示与判定")
    arms = read.asked(found.results)
    if not arms:
        return None
    differing = [one for one in IDENTITIES if len(_groups(one, arms)) > 1]
    n = counted(len(arms), "arm", "arms", "个方案")
    if not differing:
        judge = judge_name(arms[0])
        return clear(
            name,
            say(
                "{generator}, judged by {judge}: the same on {n}.",
                "{generator}，由 {judge} 判定：{n}相同。",
                generator=code(generator_name(arms[0])),
                judge=code(judge) if judge else text("nobody", "无人"),
                n=n,
            ),
        )
    each = joined([_ways(one, arms) for one in differing], "; ", "；")
    if _declared(found, arms, differing):
        return raised(
            Severity.LOW,
            name,
            say("{each}; it is the factor of a step.", "{each}；这正是某一步所研究的因素。", each=each),
            None,
        )
    return raised(
        Severity.HIGH,
        name,
        say(
            "not the same on {n}, so their shares of right answers do not compare: {each}.",
            "{n}之间不同，答对的比例因此不可比：{each}。",
            n=n,
            each=each,
        ),
        say(
            "run all arms again with one: {command}",
            "统一后重新运行全部方案：{command}",
            command=code(f"rag-ablation study run {shlex.quote(found.results.study.name)}"),
        ),
    )


def _groups(identity: Identity, arms: Sequence[ArmResult]) -> list[list[ArmResult]]:
    """Arms that have it in common, in the order of the study."""
    found: dict[str, list[ArmResult]] = {}
    for arm in arms:
        found.setdefault(repr(identity.of(arms[0], arm)), []).append(arm)
    return list(found.values())


def _ways(identity: Identity, arms: Sequence[ArmResult]) -> Text:
    """`generator: extractive (A), openai qwen3 (B)`; what makes the difference where the names do not tell it."""
    groups = _groups(identity, arms)
    names = [identity.said(own[0]) for own in groups]
    if len(set(names)) < len(names):
        names = [_apart(identity, arms[0], own[0]) for own in groups]
    each = [
        say("{name} ({arms})", "{name}（{arms}）", name=code(name), arms=joined([arm.key for arm in own], ", ", "、"))
        for name, own in zip(names, groups, strict=True)
    ]
    return say("{what}: {each}", "{what}：{each}", what=identity.what, each=joined(each, ", ", "，"))


def _apart(identity: Identity, first: ArmResult, arm: ArmResult) -> str:
    """The name with the factors in which an arm differs from the first."""
    slot = read.JUDGE if identity.what.plain().startswith(read.JUDGE) else read.GENERATE
    factors = _factors(first, arm, slot)
    return "; ".join([identity.said(arm), *factors])


def _declared(found: Found, arms: Sequence[ArmResult], differing: Sequence[Identity]) -> bool:
    """Whether the differences are the one factor of every step that crosses them, and every bracket is like an arm."""
    if any(one in NEVER_DECLARED for one in differing):
        return False
    way = {arm.key: repr([one.of(arms[0], arm) for one in differing]) for arm in arms}
    steps = [step for step in found.ladder.steps() if step.child in way and step.parent in way]
    crossing = [step for step in steps if way[step.child] != way[step.parent]]
    known = {way[arm.key] for arm in arms if arm.arm.role is Role.LADDER}
    return bool(crossing) and all(map(_of_answers, crossing)) and set(way.values()) <= known


def _of_answers(step: LadderStep) -> bool:
    """Whether the one factor of a step is the generator or the judge."""
    factors = step.change.factors
    return len(factors) == 1 and factors[0].startswith((f"{read.GENERATE} ", f"{read.GENERATE}.", read.JUDGE))
