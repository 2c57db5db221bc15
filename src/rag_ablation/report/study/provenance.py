"""Where the numbers come from: what must agree before two reports may be compared."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from rag_ablation.core.corpus import Unit
from rag_ablation.experiment.study import Role
from rag_ablation.measures.bootstrap import RESAMPLES as BOOTSTRAP_RESAMPLES
from rag_ablation.measures.sign_flip import EXACT_GROUPS
from rag_ablation.measures.sign_flip import RESAMPLES as SIGN_FLIPS
from rag_ablation.report.study.answers.provenance import lines_of_answers
from rag_ablation.report.study.asked import reference
from rag_ablation.report.study.content import Denominators
from rag_ablation.report.study.family import SEED
from rag_ablation.report.study.figures import counted, counted_steps, groups, questions, thousands
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.prose import Filling, dotted, joined, say
from rag_ablation.report.study.recorded import least_grade, unit_of
from rag_ablation.report.study.words import Text, code, same, text

ANSWERING = ("generate", "judge")
SHORT = 12
SHORTEST = 8
COMMIT = 7
DEV = text(
    "dev: questions that settings may be chosen on; the holdout side was not read",
    "dev：可用来选择设置的题；留出集没有读取",
)
HOLDOUT = text(
    "holdout: questions that no setting was chosen on before the plan was frozen",
    "留出集：冻结计划之前没有用来选过任何设置的题",
)
RULED = text("each comparison by the rule at its own interval, all must pass", "每项比较按规则看各自的区间，须全部通过")
Line = tuple[Text, Text]


def provenance_of(results: StudyResults, said: Denominators, family: int) -> tuple[Line, ...]:
    """Name and content of every fingerprint; what no arm recorded is left out.

    Args:
        results: the study's arms.
        said: questions asked and scored.
        family: number of steps judged together.
    """
    study = (text("study", "研究"), dotted(results.study.name, code(results.study.primary)))
    arm = reference(results)
    if arm is None:
        return (study,)
    lines = [
        study,
        (text("data", "数据"), _data(results)),
        (text("split", "划分"), _split(arm, said)),
        (text("corpus", "语料"), _corpus(arm, said)),
        (text("questions", "问题"), _questions(arm, said)),
        (text("labels", "标注"), _labels(arm)),
        *_models(results),
        (text("context", "上下文"), _context(results)),
        *lines_of_answers(results),
        (text("identity, versions", "身份、版本"), _access(arm, said)),
        (text("configurations", "配置"), _by_arm(results, _config)),
        (text("runs", "运行"), _by_arm(results, _run)),
        (text("code", "代码"), _code(arm)),
        (text("libraries", "库"), _libraries(arm)),
        *_machine(results, arm),
        (text("statistics", "统计"), _statistics(said, family, ruled=results.holdout is not None)),
    ]
    return tuple(line for line in lines if line[1].en)


def _split(arm: ArmResult, said: Denominators) -> Text:
    split = arm.record.split
    parts: list[Filling] = [
        code(arm.record.side),
        say("{n} in {g}", "{n}，{g}", n=questions(said.asked), g=groups(said.asked_groups)),
    ]
    if split is not None:
        parts.append(say("file {name}", "文件 {name}", name=code(split)))
    parts += _sha(arm, "split")
    known = {"dev": DEV, "holdout": HOLDOUT}
    return dotted(*parts, *([known[arm.record.side]] if arm.record.side in known else []))


def _data(results: StudyResults) -> Text:
    """What the dataset says of itself."""
    source = results.source
    parts: list[Filling] = [] if source.description is None else [source.description]
    if source.licence is not None:
        parts.append(say("licence {name}", "许可 {name}", name=source.licence))
    if source.origin is not None:
        parts.append(say("source: {origin}", "来源：{origin}", origin=source.origin))
    return dotted(*parts)


def _corpus(arm: ArmResult, said: Denominators) -> Text:
    parts: list[Filling] = [arm.record.dataset, counted(said.passages, "passage", "passages", "段")]
    if said.documents is not None:
        parts.append(counted(said.documents, "document", "documents", "份文档"))
    return dotted(*parts, *_sha(arm, "corpus"), *_sha(arm, "chunks"))


def _questions(arm: ArmResult, said: Denominators) -> Text:
    sample = arm.record.settings.get("dataset", {}).get("sample")
    drawn = [] if sample is None else [say("a sample of {n}", "抽样 {n}", n=str(sample))]
    return dotted(*drawn, *_sha(arm, "queries")) if drawn or _sha(arm, "queries") else questions(said.asked)


def _labels(arm: ArmResult) -> Text:
    unit = say("unit {unit}", "单位 {unit}", unit=code(unit_of(arm.record) or Unit.PASSAGE))
    return dotted(*_sha(arm, "labels"), unit, same(code(f"relevant_from {least_grade(arm.record)}")))


def _sha(arm: ArmResult, what: str) -> list[Filling]:
    digest = arm.record.digests.get(what)
    return [] if not digest else [code(f"sha256 {digest[:SHORT]}")]


def _models(results: StudyResults) -> list[Line]:
    """One line for each model, with the slots that it fills."""
    slots: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for arm in results.arms:
        for slot, model in arm.record.environment.get("models", {}).items():
            if slot in ANSWERING and "weights" not in model:
                continue  # a server's, or rules: their line says all
            known = slots.setdefault(tuple((key, str(value)) for key, value in model.items()), [])
            if slot not in known:
                known.append(slot)
    return [
        (
            say("model: {slots}", "模型：{slots}", slots=joined([code(slot) for slot in own], ", ", "、")),
            _model(dict(model)),
        )
        for model, own in slots.items()
    ]


def _model(model: Mapping[str, str]) -> Text:
    parts: list[Filling] = [code(model.get("name", "–"))]
    for key, value in model.items():
        if key == "weights":
            parts.append(say("weights {digest}", "权重 {digest}", digest=code(f"sha256 {value[:SHORT]}")))
        elif key != "name":
            parts.append(code(f"{key} {value}"))
    return dotted(*parts)


def _context(results: StudyResults) -> Text:
    """How the context is filled; where arms differ, each way with its arms."""
    ways: dict[str, list[str]] = {}
    for arm in results.arms:
        context = arm.record.settings.get("context")
        if arm.arm.role is Role.LADDER and isinstance(context, Mapping):
            told = ", ".join(f"{key} {value}" for key, value in context.items() if value is not None)
            ways.setdefault(told, []).append(arm.key)
    if len(ways) == 1:
        return same(code(next(iter(ways))))
    return joined(
        [say("{arms}: {told}", "{arms}：{told}", arms=", ".join(arms), told=code(told)) for told, arms in ways.items()],
        " · ",
        " · ",
    )


def _access(arm: ArmResult, said: Denominators) -> Text:
    settings, open_ = arm.record.settings.get("access", {}), arm.record.counts.get("unrestricted", 0)
    identity = settings.get("identity")
    who = say(
        "per question: {n} of {all} name one",
        "逐题：{all} 中 {n} 题指明身份",
        n=thousands(said.asked - open_),
        all=questions(said.asked),
    )
    parts: list[Filling] = [
        who if identity is None else code(str(identity)),
        code(f"versions {settings.get('versions', '–')}"),
    ]
    if settings.get("as_of"):
        parts.append(code(f"as_of {settings['as_of']}"))
    return dotted(*parts, *_sha(arm, "visibility"))


def _config(arm: ArmResult) -> str:
    return arm.record.digests.get("config", "–")[:SHORTEST]


def _run(arm: ArmResult) -> str:
    return arm.record.id


def _by_arm(results: StudyResults, of: Callable[[ArmResult], str]) -> Text:
    """One entry for each arm; members of sweeps are only counted, their keys say what they are."""
    named = [arm for arm in results.arms if arm.arm.role is not Role.SWEEP]
    swept = len(results.arms) - len(named)
    parts: list[Filling] = [say("{key} {what}", "{key} {what}", key=arm.key, what=code(of(arm))) for arm in named]
    if swept:
        parts.append(say("{n} of sweeps", "扫描的 {n}", n=counted(swept, "more arm", "more arms", "个方案")))
    return dotted(*parts)


def _code(arm: ArmResult) -> Text:
    environment = arm.record.environment
    version = environment.get("libraries", {}).get("rag-ablation", "–")
    parts: list[Filling] = [code(f"rag-ablation {version}")]
    if commit := environment.get("commit"):
        parts.append(say("commit {id}", "提交 {id}", id=code(str(commit)[:COMMIT])))
        parts.append(
            text("uncommitted changes", "有未提交的改动") if environment.get("dirty") else text("clean", "无改动")
        )
    return dotted(*parts, *_sha(arm, "code"))


def _libraries(arm: ArmResult) -> Text:
    environment = arm.record.environment
    names = {"Python": environment.get("python"), **environment.get("libraries", {})}
    return dotted(*[code(f"{name} {version}") for name, version in names.items() if version and name != "rag-ablation"])


def _machine(results: StudyResults, arm: ArmResult) -> list[Line]:
    """What serving time was measured on, and the settings that move the last bits of a score."""
    machine = results.timing.machine if results.timing is not None else arm.record.latency.get("machine", {})
    facts: list[Filling] = [code(f"{key} {value}") for key, value in machine.items()]
    facts += [code(f"{key} {value}") for key, value in _threads(results.arms)]
    return [(text("machine", "机器"), dotted(*facts))] if facts else []


def _threads(arms: Sequence[ArmResult]) -> Iterable[tuple[str, object]]:
    found: dict[str, set[object]] = {}
    for arm in arms:
        for section in arm.record.settings.values():
            for key in ("threads", "batch_size"):
                if isinstance(section, Mapping) and section.get(key) is not None:
                    found.setdefault(key, set()).add(section[key])
    return [(key, "/".join(str(value) for value in sorted(values, key=str))) for key, values in found.items()]


def _statistics(said: Denominators, family: int, *, ruled: bool) -> Text:
    return dotted(
        _freedom(said.scored_groups),
        say(
            "bootstrap of {n} resamples (seed {seed})",
            "自助法重抽 {n} 次（种子 {seed}）",
            n=thousands(BOOTSTRAP_RESAMPLES),
            seed=str(SEED),
        ),
        say(
            "sign flips: all up to {exact} groups that differ, else {n} (seed {seed})",
            "符号翻转：有差异的组不超过 {exact} 时取全部，否则抽 {n} 次（种子 {seed}）",
            exact=str(EXACT_GROUPS),
            n=thousands(SIGN_FLIPS),
            seed=str(SEED),
        ),
        RULED if ruled else say("Holm over {m}", "Holm，{m}", m=counted_steps(family)),
    )


def _freedom(n_groups: int) -> Text:
    """Degrees of freedom; with one group or none there is no interval to have any."""
    if n_groups < 2:
        return say("cluster-robust t by group: no interval, {g}", "按组聚类稳健 t：无区间，{g}", g=groups(n_groups))
    return say(
        "cluster-robust t by group, {df}",
        "按组聚类稳健 t，自由度 {n}",
        df=counted(n_groups - 1, "degree of freedom", "degrees of freedom", ""),
        n=str(n_groups - 1),
    )
