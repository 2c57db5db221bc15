"""Checks of what the stages counted on the way: languages, cuts, words that mean nothing, and access."""

import shlex
from collections.abc import Iterator
from typing import NamedTuple

from rag_ablation.core.record import RecordedStage
from rag_ablation.experiment.study import Role
from rag_ablation.report.study.checks.base import clear, raised
from rag_ablation.report.study.content import Severity, Threat
from rag_ablation.report.study.figures import counted, percent, questions, thousands
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.inputs import ArmResult
from rag_ablation.report.study.prose import joined, listed, say
from rag_ablation.report.study.words import Text, code, same, text

LANGUAGE = "language mismatch"
MUCH_CUT = 0.05
"""Share of inputs over a model's limit above which it is more than a footnote."""
WHAT_IS_CUT = {
    "n_truncated": ("pair", "pairs", "对"),
    "n_passages_truncated": ("passage", "passages", "段"),
    "n_queries_truncated": ("question", "questions", "题"),
}


class _Seen(NamedTuple):
    """A stage, in the first arm that has it."""

    arm: ArmResult
    stage: RecordedStage


def language(found: Found) -> Threat | None:
    """Models and analysers against the language of the corpus, as the stages warned."""
    name = text("Language of models and corpus", "模型与语料的语言")
    arms = [arm for arm in found.results.arms if arm.finished]
    if not arms:
        return None
    warned: dict[str, list[str]] = {}
    for arm in arms:
        for sentence in arm.record.threats:
            if LANGUAGE in sentence:
                warned.setdefault(sentence, []).append(arm.key)
    if not warned:
        return clear(name, _languages(arms))
    each = [say("{arms}: {said}", "{arms}：{said}", arms=listed(keys), said=said) for said, keys in warned.items()]
    return raised(
        Severity.HIGH,
        name,
        joined(each, "; ", "；"),
        text("a model or analyser that reads the corpus' language", "换能读语料语言的模型或分词"),
    )


def truncated(found: Found) -> Threat | None:
    """Inputs that were cut at a model's limit."""
    name = text("Truncated inputs", "输入被截断")
    seen = list(_stages(found))
    if not seen:
        return None
    cuts = [
        (cut, key, number, whole)
        for cut in seen
        for key in WHAT_IS_CUT
        if (number := _count(cut.stage, key)) and (whole := _whole(cut, key))
    ]
    if not cuts:
        limits = {str(cut.stage.facts["limit_tokens"]) for cut in seen if cut.stage.facts.get("limit_tokens")}
        if not limits:
            return clear(name, text("no stage has a limit of tokens.", "没有阶段有词元上限。"))
        return clear(
            name,
            say(
                "0 inputs over the limit of {limits} tokens.",
                "0 个输入超过 {limits} 词元的上限。",
                limits=listed(sorted(limits)),
            ),
        )
    each = [_cut(*cut) for cut in cuts]
    much = any(number / whole > MUCH_CUT for _, _, number, whole in cuts)
    return raised(
        Severity.MEDIUM if much else Severity.LOW,
        name,
        say("{each}.", "{each}。", each=joined(each, "; ", "；")),
        text("shorter passages, or a model with a higher limit", "缩短段落，或换上限更高的模型"),
    )


def query_tokens(found: Found) -> Threat | None:
    """Query tokens that a lexical retriever cannot use: in no passage, or in so many that their weight is floored."""
    name = text("Query tokens without weight", "没有权重的查询词")
    lexical = [cut for cut in _stages(found) if _count(cut.stage, "n_query_tokens")]
    if not lexical:
        return None
    each = [_tokens(cut) for cut in lexical]
    idle = any(
        _count(cut.stage, key)
        for cut in lexical
        for key in ("n_query_tokens_unknown", "n_query_tokens_of_zero_or_floored_idf")
    )
    measured = joined(each, " ", "")
    if not idle:
        return clear(name, measured)
    lost = any(_count(cut.stage, "n_queries_without_known_token") for cut in lexical)
    act = say(
        "look at the analyser; {command} shows a question's tokens, {idf} has no floor",
        "查看分词；{command} 显示一道题的词，{idf} 没有下限",
        command=code(f"rag-ablation explain {shlex.quote(found.results.name_of(lexical[0].arm.key))} QUESTION"),
        idf=code("sparse.idf=lucene"),
    )
    return raised(Severity.MEDIUM if lost else Severity.LOW, name, measured, act)


def access(found: Found) -> Threat | None:
    """Passages that a question was shown and may not see."""
    name = text("Access violations", "越权")
    arms = [arm for arm in found.results.arms if arm.finished]
    if not arms:
        return None
    violations = sum(arm.record.counts.get("access_violations", 0) for arm in arms)
    asked, open_ = len(arms[0].query_ids), arms[0].record.counts.get("unrestricted", 0)
    measured = say(
        "{n} of {asked} are filtered by identity, the rest are not; over {arms}, {found} "
        "outside identity or version came back.",
        "{asked}中有 {n} 题按身份过滤，其余不过滤；{arms}共返回身份或版本之外的段落 {found}。",
        n=thousands(asked - open_),
        asked=questions(asked),
        arms=counted(len(arms), "arm", "arms", "个方案"),
        found=counted(violations, "passage", "passages", "段"),
    )
    if violations:
        return raised(Severity.HIGH, name, measured, text("report it: this must not happen", "请报告：不应发生"))
    return clear(name, measured)


def _stages(found: Found) -> Iterator[_Seen]:
    """Every distinct stage of the ladder's arms once: arms share what they have in common."""
    known: set[tuple[str, str]] = set()
    for arm in found.results.arms:
        if arm.arm.role is not Role.LADDER or not arm.finished:
            continue
        for stage in arm.record.stages:
            if (stage.slot, stage.digest) not in known:
                known.add((stage.slot, stage.digest))
                yield _Seen(arm, stage)


def _count(stage: RecordedStage, key: str) -> int:
    return int(stage.facts.get(key) or 0)


def _whole(cut: _Seen, key: str) -> int:
    """How many inputs there were of the kind that was cut."""
    if key == "n_truncated":
        return _count(cut.stage, "n_pairs")
    counts = cut.arm.record.counts
    return counts.get("passages" if key == "n_passages_truncated" else "questions", 0)


def _cut(seen: _Seen, key: str, number: int, whole: int) -> Text:
    return say(
        "{n} of {whole} ({share}) in {slot} of {arm} exceed {limit} tokens",
        "方案 {arm} 的 {slot} 中，{whole}里有 {n} {unit}（{share}）超过 {limit} 词元",
        n=thousands(number),
        whole=counted(whole, *WHAT_IS_CUT[key]),
        unit=WHAT_IS_CUT[key][2],
        share=percent(number, whole),
        slot=code(seen.stage.slot),
        arm=seen.arm.key,
        limit=str(seen.stage.facts.get("limit_tokens", "–")),
    )


def _tokens(seen: _Seen) -> Text:
    every = _count(seen.stage, "n_query_tokens")
    unknown, floored = (
        _count(seen.stage, key) for key in ("n_query_tokens_unknown", "n_query_tokens_of_zero_or_floored_idf")
    )
    return say(
        "{slot} of {arm}: of {every} {unknown} ({a}) are in no passage and {floored} ({b}) have a zero or floored idf; "
        "{empty}.",
        "{arm} 的 {slot}：{every} 中 {unknown} 个（{a}）不在任何段落里，{floored} 个（{b}）idf 为零或触底；{empty}。",
        slot=code(seen.stage.slot),
        arm=seen.arm.key,
        every=counted(every, "query token", "query tokens", "个查询词"),
        unknown=thousands(unknown),
        a=percent(unknown, every),
        floored=thousands(floored),
        b=percent(floored, every),
        empty=_empty(_count(seen.stage, "n_queries_without_known_token")),
    )


def _empty(n: int) -> Text:
    """Questions of whose words the corpus holds none."""
    if not n:
        return text("every question keeps a token that is in a passage", "每题都至少有一个词见于语料")
    return say(
        "{n} share no token with any passage" if n > 1 else "{n} shares no token with any passage",
        "{n} 没有一个词见于语料",
        n=questions(n),
    )


def _languages(arms: list[ArmResult]) -> Text:
    """Language of the scored questions by script, and what reads them."""
    spoken: dict[str, int] = {}
    for part, means in next((arm.record.slices.get("language", {}) for arm in arms if arm.record.slices), {}).items():
        spoken[part] = next(iter(means.values())).n if means else 0
    readers = {
        str(section[key])
        for arm in arms
        for section in arm.record.settings.values()
        if isinstance(section, dict)
        for key in ("analyser", "model")
        if section.get(key) not in (None, "", "auto")
    }
    scored = [say("{lang} {n}", "{lang} {n}", lang=code(name), n=questions(n)) for name, n in spoken.items()]
    return say(
        "no stage warned; scored: {scored}; read by {readers}.",
        "没有阶段发出警告；计分题：{scored}；由 {readers} 处理。",
        scored=joined(scored, ", ", "，") if scored else same("–"),
        readers=listed([code(name) for name in sorted(readers)]) if readers else same("–"),
    )
