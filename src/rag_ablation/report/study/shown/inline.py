"""Short texts inside tables and lists that hold a number or a name."""

from collections.abc import Sequence

from rag_ablation.core.wording import counted
from rag_ablation.measures.family import GROUPS_FOR_A_VERDICT, Comparison
from rag_ablation.measures.fates import GAP_OF_FATE
from rag_ablation.report.study.content import Denominators, LadderStep, Severity, TypeRow
from rag_ablation.report.study.figures import thousands
from rag_ablation.report.study.nouns import gold, unit_noun
from rag_ablation.report.study.prose import say
from rag_ablation.report.study.shown.captions import measure_name
from rag_ablation.report.study.shown.phrases import PHRASES
from rag_ablation.report.study.terms import REASONS, SEVERITIES, WARNINGS
from rag_ablation.report.study.words import Kind, Part, Piece, Text, code, same, text

SIDES = {
    "dev": text("dev split", "开发集"),
    "holdout": text("holdout", "留出集"),
    "none": text("all questions", "全部问题"),
}


def strong(content: str) -> Piece:
    """A number that leads its line."""
    return Piece(content, Kind.STRONG)


def page_title(study: str, *, holdout: bool = False) -> Text:
    """Title of the page."""
    if holdout:
        return text(f"{study}: verdict", f"{study}：结论")
    return text(f"{study}: study of retrieval", f"{study}：检索研究")


def side(name: str) -> Text:
    """`dev split`."""
    return SIDES.get(name, same(code(name)))


def asked(counts: Denominators, name: str) -> Text:
    """Questions of the side."""
    of = {"dev": (" dev ", "开发集 "), "holdout": (" holdout ", "留出集 ")}.get(name, (" ", ""))
    noun = counted(counts.asked, "question").partition(" ")[2]
    groups = counted(counts.asked_groups, "group").partition(" ")
    return text(
        (strong(thousands(counts.asked)), f"{of[0]}{noun} in ", strong(groups[0]), f" {groups[2]}"),
        (of[1], strong(thousands(counts.asked)), " 题，", strong(str(counts.asked_groups)), " 组"),
    )


def scored(counts: Denominators) -> Text:
    """Questions in the means."""
    return say(
        f"{{n}} in {{groups}} {'group' if counts.scored_groups == 1 else 'groups'}, {{gold}}",
        "{n} 题，{groups} 组，{gold}",
        n=strong(thousands(counts.scored)),
        groups=strong(str(counts.scored_groups)),
        gold=gold(counts.gold, counts.unit),
    )


def sum_of(unit: str) -> Text:
    """Last line of the table of fates."""
    return text(f"sum, gold {unit_noun(unit).many}", "合计，标注证据")


def difference_of(measure: str) -> Text:
    """Head of the differences by type."""
    name = measure_name(measure)
    return text(f"difference of {name}, 95 % interval", f"{name} 差值与 95 % 区间")


def excluded(reason: str, n: int) -> Text:
    """Questions left out for one reason."""
    en: list[Part] = [strong(thousands(n)), " ", code(reason)]
    zh: list[Part] = [strong(thousands(n)), " 题 ", code(reason)]
    if why := REASONS.get(reason):
        en += [": ", *why.en]
        zh += ["：", *why.zh]
    return text(tuple(en), tuple(zh))


def none_for(reasons: Sequence[str]) -> Text:
    """Reasons for which nothing was left out."""
    en, zh = ([part for reason in reasons for part in (mark, code(reason), " 0")][1:] for mark in (", ", "、"))
    return text(tuple(en), tuple(zh))


def mean_interval(measure: str) -> Text:
    """Head of the column of means."""
    name = measure_name(measure)
    return text(f"{name}, 95 % interval", f"{name} 与 95 % 区间")


def mean_of(measure: str) -> Text:
    """Head of the means by type."""
    name = measure_name(measure)
    return text(f"mean {name}", f"{name} 均值")


def parts_of_gap(part: str) -> Text:
    """Fates that a part of the gap holds: `not_retrieved + ranked_low`."""
    fates = [code(fate) for fate, gap in GAP_OF_FATE.items() if gap == part]
    parts = tuple(piece for fate in fates for piece in (" + ", fate))[1:]
    return text(parts, parts)


def of_type(row: TypeRow) -> Text:
    """Questions and groups of a type; those asked where none is scored."""
    if row.undefined:
        return text(f"{row.asked} asked, not scored", f"{row.asked} 题，不计分")
    apart = f" of {row.asked}" if row.asked != row.n else ""
    apart_zh = f"，问 {row.asked} 题" if row.asked != row.n else ""
    out = "".join(f" · {n} {why}" for why, n in row.left_out.items())
    out_zh = "".join(f"，{n} 题 {why}" for why, n in row.left_out.items())
    return text(
        f"{row.n}{apart} q · {counted(row.n_groups, 'group')}{out}",
        f"{row.n} 题 · {row.n_groups} 组{apart_zh}{out_zh}",
    )


def confounded(step: LadderStep) -> Text:
    """A step that changes more than one factor."""
    n = len(step.change.factors)
    return text(f"{n} factors changed", f"改了 {n} 个因素")


def weakened(comparison: Comparison) -> Text | None:
    """What weakens a verdict, the heaviest reason alone; None where nothing does."""
    if comparison.interval.n_groups < GROUPS_FOR_A_VERDICT:
        return text("under 6 groups", "不足 6 组")
    return WARNINGS[comparison.warnings[0]] if comparison.warnings else None


def not_compared(step: LadderStep) -> Text:
    """Why a step has no figures."""
    if step.refused is None:
        return text("not compared", "不作比较")
    return text(f"not compared: {step.refused}", f"不作比较：{step.refused}")


def gold_of_grade(grade: int | None) -> Text:
    """`gold, grade 2`."""
    word = PHRASES["gold"]
    if grade is None:
        return word
    return text((*word.en, f", grade {grade}"), (*word.zh, f"，{grade} 级"))


def judged(grade: int) -> Text:
    """`judged 0`."""
    return text(f"judged {grade}", f"判为 {grade} 级")


def left_out(ranks: int) -> Text:
    """Ranks that are not shown."""
    return text(f"{counted(ranks, 'rank')} left out", f"略去 {ranks} 名")


def one_question(n_gold: int, unit: str) -> Text:
    """What a flipped question rests on."""
    return say("n 1 question, {gold}", "n 1 题，{gold}", gold=gold(n_gold, unit))


def severity(level: Severity) -> Text:
    """Name of a severity in the table of checks."""
    if level is Severity.CLEAR:
        return text("checked, clear", "已查，无碍")
    return SEVERITIES[level][1]
