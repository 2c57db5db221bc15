"""Whether all answers of a study come from one generator, one prompt and one judge."""

import shlex
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rag_ablation.core.digest import digest_json
from rag_ablation.experiment.study import Role
from rag_ablation.report.study.answers import read
from rag_ablation.report.study.answers.names import generator_name, judge_name, prompt_of, settings_of, version_of
from rag_ablation.report.study.checks.base import clear, raised
from rag_ablation.report.study.content import LadderStep, Severity, Threat
from rag_ablation.report.study.figures import counted
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.inputs import ArmResult
from rag_ablation.report.study.prose import joined, say
from rag_ablation.report.study.words import Text, code, text

PROMPT = "prompt"


class Identity(NamedTuple):
    """What must be the same for shares of right answers to compare.

    Args:
        what: its name.
        of: what tells it on an arm.
        said: how it is called.
    """

    what: Text
    of: Callable[[ArmResult], str]
    said: Callable[[ArmResult], str]


def identity_of(arm: ArmResult, slot: str) -> str:
    """Digest of a stage's settings, without its prompt, and of its model."""
    settings = {key: value for key, value in settings_of(arm, slot).items() if key != PROMPT}
    return digest_json([settings, dict(arm.record.environment.get("models", {}).get(slot, {}))])


VERSION = Identity(text("version of the judge", "判定的版本"), version_of, judge_name)
IDENTITIES = (
    Identity(text("generator", "生成器"), lambda arm: identity_of(arm, read.GENERATE), generator_name),
    Identity(
        text("prompt", "提示"),
        lambda arm: prompt_of(arm, read.GENERATE),
        lambda arm: prompt_of(arm, read.GENERATE) or "–",
    ),
    Identity(text("judge", "判定"), lambda arm: identity_of(arm, read.JUDGE), lambda arm: judge_name(arm) or "–"),
    Identity(
        text("prompt of the judge", "判定的提示"),
        lambda arm: prompt_of(arm, read.JUDGE),
        lambda arm: prompt_of(arm, read.JUDGE) or "–",
    ),
    VERSION,
)


def answered_alike(found: Found) -> Threat | None:
    """Whether all answers come from one generator, one prompt and one judge, or from the factor under study."""
    name = text("Generator, prompt and judge", "生成器、提示与判定")
    arms = read.asked(found.results)
    if not arms:
        return None
    differing = [one for one in IDENTITIES if len(set(map(one.of, arms))) > 1]
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
    if _declared(found, differing):
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


def _ways(identity: Identity, arms: Sequence[ArmResult]) -> Text:
    """`generator: extractive (A), openai qwen3 (B)`."""
    ways: dict[str, list[ArmResult]] = {}
    for arm in arms:
        ways.setdefault(identity.of(arm), []).append(arm)
    each = [
        say(
            "{name} ({arms})",
            "{name}（{arms}）",
            name=code(identity.said(own[0])),
            arms=joined([arm.key for arm in own], ", ", "、"),
        )
        for own in ways.values()
    ]
    return say("{what}: {each}", "{what}：{each}", what=identity.what, each=joined(each, ", ", "，"))


def _declared(found: Found, differing: Sequence[Identity]) -> bool:
    """Whether the differences are the one factor of every step that crosses them, and every bracket is like an arm."""
    arms = {arm.key: arm for arm in read.asked(found.results)}
    if VERSION in differing:
        return False

    def way(arm: ArmResult) -> tuple[str, ...]:
        return tuple(one.of(arm) for one in differing)

    steps = [step for step in found.ladder.steps() if step.child in arms and step.parent in arms]
    crossing = [step for step in steps if way(arms[step.child]) != way(arms[step.parent])]
    known = {way(arm) for arm in arms.values() if arm.arm.role is Role.LADDER}
    return bool(crossing) and all(map(_of_answers, crossing)) and all(way(arm) in known for arm in arms.values())


def _of_answers(step: LadderStep) -> bool:
    """Whether the one factor of a step is the generator or the judge."""
    factors = step.change.factors
    return len(factors) == 1 and factors[0].startswith((read.GENERATE, read.JUDGE))
