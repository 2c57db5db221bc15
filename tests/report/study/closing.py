"""What every made-up report ends with: threats, commands, provenance, words."""

from rag_ablation.report.study.content import Severity, Threat, Threats
from rag_ablation.report.study.words import code, same, text


def threats(extra: str = "") -> Threats:
    checks = [
        Threat(severity=Severity.HIGH, name=text("Unjudged passages", "未判定的段落"), measured=text(f"judged@10 of C and B differs by 0.074 (limit .05; n 127). {extra}", f"C 与 B 的 judged@10 相差 0.074（限 .05；n 127）。{extra}"), act=same(code("rag-ablation judge pool ladder_zh"))),
        Threat(severity=Severity.MEDIUM, name=text("A verdict near the line", "接近界线的结论"), measured=text("D − C: adjusted p = 0.046 against .05, 57 groups.", "D − C：校正 p = 0.046，界限 .05，57 组。"), act=text("more groups, or the holdout once", "增加组数，或用一次留出集")),
        Threat(severity=Severity.LOW, name=text("Truncated inputs", "输入被截断"), measured=text("41 of 6,350 pairs of arm D (0.6 %) exceed 512 tokens.", "方案 D 的 6,350 对中 41 对（0.6 %）超过 512 词元。"), act=text("shorter passages", "缩短段落")),
        Threat(severity=Severity.CLEAR, name=text("Access violations", "越权"), measured=text("0 passages outside identity or version, over 7 arms × 127 questions.", "7 个方案 × 127 题，身份或版本之外的段落为 0。"), act=None),
        Threat(severity=Severity.CLEAR, name=text("Arms timed apart", "分开计时"), measured=text("interleaved in one session, 60 questions × 3 passes.", "同一会话内交错计时，60 题 × 3 遍。"), act=None),
    ]  # fmt: skip
    return Threats(finding=text("5 checks: 1 high, 1 medium, 1 low, 2 clear.", "共 5 项检查：高 1，中 1，低 1，无碍 2。"), checks=tuple(checks))  # fmt: skip


COMMANDS = (
    (
        (None, "rag-ablation study plan ladder_zh"),
        (text("finished arms are reused by digest", "已完成的方案按摘要复用"), "rag-ablation study run ladder_zh"),
        (text("writes this file", "写出本文件"), "rag-ablation report ladder_zh"),
    ),
    ((text("one question at every measuring point", "一道题在每个测量点"), 'rag-ablation explain "D rerank" zh-021'),),
)
PROVENANCE = (
    (text("split", "分割"), text("dev · 148 of 211 questions · 61 of 87 groups", "dev · 211 题中的 148 题 · 87 组中的 61 组")),
    (text("corpus", "语料"), text("handbook_zh 2026.03 · 1,284 passages · sha256 5b1e90c47d2a", "handbook_zh 2026.03 · 1,284 段 · sha256 5b1e90c47d2a")),
    (text("code", "代码"), same("rag-ablation 0.4.0 · clean")),
)  # fmt: skip
REPEATS = text("Quality repeats to the last bit; latency does not.", "质量数值可逐位复现；延迟不能。")

GLOSSARY = (
    (text("group", "组"), text("questions that share an answer location; the unit of every interval and test", "答案位置相同的题；一切区间与检验的单位")),
    (text("not distinguishable", "无法区分"), text("the data cannot tell; it does not say the two are equal", "数据分辨不出；并不是说两者相等")),
    (same("–"), text("undefined or absent, with the reason beside it; never 0", "无定义或缺，理由在旁；绝不写作 0")),
)  # fmt: skip
