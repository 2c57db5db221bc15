"""What stands at the top of a holdout's page: the rule, what was observed, what follows, how much was tuning."""

from collections.abc import Iterator

from rag_ablation.report.study.content import Holdout, Tuning
from rag_ablation.report.study.figures import gap
from rag_ablation.report.study.inputs import StudyResults
from rag_ablation.report.study.naming import label_of
from rag_ablation.report.study.prose import dotted, joined, listed, say
from rag_ablation.report.study.verdict.inputs import HoldoutVerdict, Replay
from rag_ablation.report.study.verdict.terms import in_both, moment
from rag_ablation.report.study.words import Text, code, text

SHORT = 12
RULE, OBSERVED, THEREFORE = ("The rule: ", "规则："), ("Observed ", ""), ("Therefore: ", "因此：")
"""How the sentences of a ruling begin, which is what the page's own labels say already."""


def holdout_of(results: StudyResults) -> Holdout | None:
    """The verdict as it is shown; None of a study.

    Args:
        results: of the plan's arms.
    """
    verdict = results.holdout
    if verdict is None:
        return None
    ruling = verdict.ruling
    observed = zip(ruling.observations("en"), ruling.observations("zh"), strict=True)
    tuning = _tuning(verdict)
    return Holdout(
        rule=_without(RULE, ruling.rule.words("en"), ruling.rule.words("zh")),
        observed=tuple(_without(OBSERVED, *pair) for pair in observed),
        therefore=_without(THEREFORE, ruling.therefore("en"), ruling.therefore("zh")),
        decision=ruling.decision,
        spent=in_both(verdict.spent.words),
        marks=tuple(in_both(mark.words) for mark in verdict.marks),
        tuning_finding=_with_labels(_tuning_finding(tuning), verdict),
        tuning=tuning,
        facts=tuple(_facts(verdict)),
    )


def _without(heads: tuple[str, str], en: str, zh: str) -> Text:
    """A sentence without the words at its head."""
    return text(en.removeprefix(heads[0]), zh.removeprefix(heads[1]))


def _tuning(verdict: HoldoutVerdict) -> tuple[Tuning, ...]:
    """The candidate's mean, then its difference from each baseline."""
    own = verdict.candidate
    means = [Tuning(name=own, paired=False, found=verdict.flattery[own])] if own in verdict.flattery else []
    labels = {label_of(own, one.baseline): one.baseline for one in verdict.ruling.observed}
    return (
        *means,
        *(
            Tuning(name=label, paired=True, found=verdict.flattery[baseline])
            for label, baseline in labels.items()
            if baseline in verdict.flattery
        ),
    )


def _with_labels(finding: Text, verdict: HoldoutVerdict) -> Text:
    """Where labels were corrected since, the dev results stand on those of before."""
    if verdict.amended is None:
        return finding
    return say(
        "{finding} The dev results are on the labels as they were before the correction.",
        "{finding}开发集上的结果用的是更正之前的标注。",
        finding=finding,
    )


def _tuning_finding(rows: tuple[Tuning, ...]) -> Text:
    """Whether dev results were higher than chance between two sets of questions explains."""
    raised = [row for row in rows if row.flattered]
    lowered = [row for row in rows if row.found.high is not None and row.found.high < 0]
    if not any(row.found.low is not None for row in rows):
        return text(
            "How much of the dev results was tuning cannot be told: there is no interval.",
            "开发集上的结果有多少来自调参，无从得知：没有区间。",
        )
    if raised:
        return say(
            "Dev flattered {rows}: higher there than here by more than two sets of questions would differ by chance.",
            "开发集高估了 {rows}：那里比这里高，超出两组题之间的偶然差别。",
            rows=listed([_row(row) for row in raised]),
        )
    if lowered:
        return say(
            "Nothing was flattered by tuning; {rows} came out lower on dev than here.",
            "没有因调参而高估；{rows} 在开发集上反而低于这里。",
            rows=listed([_row(row) for row in lowered]),
        )
    return text(
        "No tuning shows: every interval of dev less holdout holds 0. That is no proof that there was none.",
        "看不出调参的痕迹：开发集减留出集的每个区间都含 0。这并不证明没有。",
    )


def _row(row: Tuning) -> Text:
    return say("{name} ({gap})", "{name}（{gap}）", name=row.name, gap=gap(row.found.mean))


def _facts(verdict: HoldoutVerdict) -> Iterator[tuple[Text, Text]]:
    """Plan, opening, libraries, replays: a line each."""
    yield (
        text("plan", "计划"),
        dotted(
            code(verdict.plan),
            say("study {name}", "研究 {name}", name=verdict.study),
            say("frozen {when}", "冻结于 {when}", when=moment(verdict.frozen)),
            code(f"sha256 {verdict.digest[:SHORT]}"),
        ),
    )
    yield (
        text("opened", "打开"),
        dotted(
            moment(verdict.opened),
            say("ledger entry {entry}", "账本条目 {entry}", entry=code(verdict.entry[:SHORT])),
            *([say("reason: {reason}", "理由：{reason}", reason=verdict.reason)] if verdict.reason else []),
        ),
    )
    if verdict.amended is not None:
        amended = verdict.amended
        yield (
            text("relabelled", "改过标注"),
            dotted(
                moment(amended.when),
                say("ledger entry {entry}", "账本条目 {entry}", entry=code(amended.entry[:SHORT])),
                say("reason: {reason}", "理由：{reason}", reason=amended.reason),
                say(
                    "labels {before} → {after}",
                    "标注 {before} → {after}",
                    before=code(amended.before[:SHORT]),
                    after=code(amended.after[:SHORT]),
                ),
            ),
        )
    same = text("as frozen", "与冻结时相同")
    yield (
        text("libraries", "库"),
        joined([code(line) for line in verdict.libraries], ", ", "、") if verdict.libraries else same,
    )
    yield (
        text("replays", "重放"),
        dotted(*map(_replay, verdict.replays)) if verdict.replays else text("none", "无"),
    )


def _replay(replay: Replay) -> Text:
    came = text("the same to the last bit", "逐位相同")
    if replay.differs:
        came = say("{n} differ", "{n} 处不同", n=str(replay.differs))
    said = say("{when}: {came}", "{when}：{came}", when=moment(replay.when), came=came)
    if not replay.libraries:
        return said
    other = joined([code(line) for line in replay.libraries], ", ", "、")
    return say("{said} ({other})", "{said}（{other}）", said=said, other=other)
