"""Let the packaged model answer 30 questions with and without their passages, and write docs/reader.md.

python -m experiments.reader [--root DIR] [--page FILE]

Every number is read from the two arms' run folders; the page is introduction.md of this folder and the tables.
"""

import argparse
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.record import ArmRecord, RecordedMean
from rag_ablation.data.bundled import dataset_path
from rag_ablation.data.load import load
from rag_ablation.measures.uncertainty import Interval, paired_difference
from rag_ablation.report.leaderboard import signed
from rag_ablation.tracking.files import read_record, read_table, read_values

HERE = Path(__file__).parent
TARGET = HERE.parents[1] / "docs" / "reader.md"
PROGRAM = str(Path(sys.executable).parent / "rag-ablation")
DATASET = "handbook_en"
ORACLE, CLOSED = "oracle", "closed_book"
NAMES = {ORACLE: "from the passages", CLOSED: "closed book"}
OF = {ORACLE: "from the passages", CLOSED: "of the closed book"}
WORDS = [
    *("run", "-m", f"variant={ORACLE},{CLOSED}", f"dataset={DATASET}", "dataset.sample=30", "dataset.sample_seed=0"),
    *("generate=transformers", "judge=rules", "latency=none", "tracking=files", "resume=false"),
]
MEASURES = {
    "correct": "right",
    "correct_low": "right, open verdicts wrong",
    "correct_high": "right, open verdicts right",
    "refused_wrong": "declined, though there is an answer",
    "wrong_on_no_answer": "answered, though there is none",
    "supported": "right or wrong, cites what bears it out",
    "needs_review": "waits for a person",
    "failed": "no answer at all",
}
LOW, HIGH = "answer/correct_low", "answer/correct_high"
CASES = {
    "wrong in both (`correct_low`)": (LOW, LOW),
    "right in both (`correct_high`)": (HIGH, HIGH),
    "in favour of the closed book": (LOW, HIGH),
    "in favour of the passages": (HIGH, LOW),
}
SETTLED = {"none is open (`correct`)": (LOW, LOW)}
LONGEST = 160
MACHINE = {r"took [\d.]+ s": "took TIME", r"at most [\d.]+ GB": "at most MEMORY"}


@dataclass(frozen=True)
class Arm:
    """One of the two."""

    record: ArmRecord
    answers: Mapping[str, Mapping[str, Any]]
    values: Mapping[str, NDArray[np.float64]]
    groups: NDArray[np.int64]

    @property
    def facts(self) -> Mapping[str, Any]:
        return next(stage.facts for stage in self.record.stages if stage.slot == "generate")


def masked(page: str) -> str:
    """A page without what another machine would say otherwise."""
    for pattern, word in MACHINE.items():
        page = re.sub(pattern, word, page)
    return page


def arms(root: Path) -> dict[str, Arm]:
    """Run both; gives them by variant."""
    before = set(root.glob("runs/*/result.json"))
    subprocess.run([PROGRAM, "--root", str(root), *WORDS], check=True)
    found = {}
    for path in set(root.glob("runs/*/result.json")) - before:
        folder, record = path.parent, read_record(path.parent)
        if record.status != "finished":
            raise SystemExit(f"{record.variant}: {record.error}")
        values = read_values(folder, ["group", LOW, HIGH])
        rows = {row["query_id"]: row for row in read_table(folder, "answers")}
        found[record.variant] = Arm(record, rows, values, values["group"].astype(np.int64))
    return found


def differences(both: Mapping[str, Arm]) -> dict[str, Interval]:
    """Oracle − closed book, by what the open verdicts count as."""
    oracle, closed = both[ORACLE], both[CLOSED]
    settled = all(arm.record.points["answer"]["correct"].value is not None for arm in both.values())
    return {
        case: paired_difference(oracle.values[first], closed.values[second], oracle.groups)
        for case, (first, second) in (SETTLED if settled else CASES).items()
    }


def page(both: Mapping[str, Arm], peak_gb: float) -> str:
    """The whole of docs/reader.md."""
    first = both[ORACLE].record
    found = differences(both)
    excluded = ", ".join(f"{n} {name[9:]}" for name, n in first.counts.items() if name.startswith("excluded_"))
    parts = [
        (HERE / "introduction.md").read_text(encoding="utf-8").strip(),
        f"## Both ends, by measure\n\n```\nrag-ablation {' '.join(WORDS)}\n```",
        f"{first.counts['questions']} questions are answered; {first.counts['scored']} of them, in "
        f"{first.counts['groups']} groups, have an answer to be right about; the others are {excluded}. In "
        "parentheses the 95 % interval and n; [what the measures are](answers.md).",
        measures(both),
        "## The difference",
        "Right answers from the passages minus right answers of the closed book, question by question, in points, with "
        f"the 95 % interval clustered by group. {opened(both)}",
        table_of_differences(found),
        conclusion(found),
        "## Answer by answer",
        "Every question that has an answer, with what was said and what the rules make of it. Texts are cut at "
        f"{LONGEST} characters.",
        answers(both),
        "## What it takes",
        " ".join(cost(arm, OF[name]) for name, arm in both.items())
        + f" The whole command, with both arms, takes at most {peak_gb:.1f} GB of memory at a time.",
    ]
    return "\n\n".join(parts) + "\n"


def measures(both: Mapping[str, Arm]) -> str:
    """A row for each measure, a column for each arm."""
    lines = ["| measure | " + " | ".join(NAMES[name] for name in both) + " |", "|---|" + "---:|" * len(both)]
    for measure, meaning in MEASURES.items():
        cells = [shown(arm.record.points["answer"][measure]) for arm in both.values()]
        lines.append(f"| `{measure}`: {meaning} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def shown(mean: RecordedMean) -> str:
    """Value, interval and n; what is undefined says why."""
    if mean.value is None:
        return f"undefined: {mean.reason} (n = {mean.n})"
    interval = "no interval" if mean.low is None else f"{mean.low:.2f} to {mean.high:.2f}"
    return f"{mean.value:.3f} ({interval}; n = {mean.n})"


def opened(both: Mapping[str, Arm]) -> str:
    """How many verdicts wait for a person."""
    waiting = {name: sum(waits(arm)) for name, arm in both.items()}
    if not any(waiting.values()):
        return "No verdict is open."
    counts = " and ".join(f"{n} {OF[name]}" for name, n in waiting.items())
    return (
        f"Open verdicts on questions that have an answer: {counts}. Until a person settles them, the share of right "
        "answers is not known, and each row says what it would be in one case; the last two are the extremes."
    )


def waits(arm: Arm) -> NDArray[np.bool_]:
    """(Q,) whether a verdict that decides between right and wrong is open."""
    return arm.values[LOW] < arm.values[HIGH]


def table_of_differences(found: Mapping[str, Interval]) -> str:
    """A row for each case."""
    lines = ["| open verdicts count as | difference | 95 % interval | n (groups) |", "|---|---:|---:|---:|"]
    for case, interval in found.items():
        ends = "undefined" if interval.low is None else f"{points(interval.low)} to {points(interval.high)}"
        lines.append(f"| {case} | {points(interval.mean)} | {ends} | {interval.n} ({interval.n_groups}) |")
    return "\n".join(lines)


def conclusion(found: Mapping[str, Interval]) -> str:
    """What the differences say, in words that follow from the numbers."""
    lows = [one.low for one in found.values() if one.low is not None]
    highs = [one.high for one in found.values() if one.high is not None]
    means = [one.mean for one in found.values() if one.mean is not None]
    if not lows or not means:
        return "No interval is defined: too few questions."
    span = f"between {points(min(means))} and {points(max(means))} points" if len(means) > 1 else points(means[0])
    whatever = "Whatever a review decides, the difference" if len(means) > 1 else "The difference"
    if min(lows) > 0:
        told = "its interval lies above 0: on these questions the model answers better with the passages than without."
    elif max(highs) < 0:
        told = "its interval lies below 0: on these questions the passages do this model harm."
    elif any(low <= 0 <= high for low, high in zip(lows, highs, strict=True)) and len(means) > 1:
        told = "in at least one case its interval holds 0: the review decides whether the passages helped this model."
    else:
        told = "its interval holds 0: on these questions the two cannot be told apart."
    return f"{whatever} is {span}, and {told} This is exploratory, one model on one small sample, without a test."


def points(value: float | None) -> str:
    """A share in points, with its sign."""
    return "undefined" if value is None else signed(100 * value, 1)


def answers(both: Mapping[str, Arm]) -> str:
    """A row for each question that has an answer."""
    benchmark = load(dataset_path(f"bundled:{DATASET}"))
    asked = dict(zip(benchmark.queries.ids, benchmark.queries.texts, strict=True))
    lines = ["| question | " + " | ".join(NAMES[name] for name in both) + " |", "|---|" + "---|" * len(both)]
    counted = dict(zip(both[ORACLE].answers, ~np.isnan(both[ORACLE].values[LOW]), strict=True))
    for query in [query for query, there in counted.items() if there]:
        cells = [
            f"**{row['verdict']}**: {text(row['answer'])}" for row in (arm.answers[query] for arm in both.values())
        ]
        lines.append(f"| {query}: {text(asked[query])} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def text(said: str) -> str:
    """Data in one cell: in one line, cut, and nothing in it is markup."""
    line = " ".join(said.split())
    line = line if len(line) <= LONGEST else f"{line[:LONGEST].rstrip()}…"
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", line)


def cost(arm: Arm, name: str) -> str:
    """Tokens and seconds of an answer."""
    tokens: Mapping[str, int] = arm.record.answers["tokens"]
    asked = int(arm.record.answers["asked"])
    facts = arm.facts
    return (
        f"An answer {name} reads {tokens['prompt'] / asked:.0f} tokens and writes {tokens['completion'] / asked:.0f}; "
        f"it took {float(facts['model_seconds']) / asked:.1f} s on one thread of the machine that wrote this page. "
        f"{facts['n_cut']} of {asked} were cut at the limit, {facts['n_refused']} declined, "
        f"{facts['n_too_long']} prompts were too long."
    )


def main(words: Sequence[str] | None = None) -> None:
    """Run both and write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path)
    parser.add_argument("--page", type=Path, default=TARGET)
    given = parser.parse_args(words)
    found = arms((given.root or Path(tempfile.mkdtemp())).absolute())
    both = {name: found[name] for name in NAMES}
    peak_gb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e9
    given.page.write_text(page(both, peak_gb), encoding="utf-8")
    print(f"{measures(both)}\n\n{table_of_differences(differences(both))}\n\n{conclusion(differences(both))}")


if __name__ == "__main__":
    main()
