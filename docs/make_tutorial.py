"""Run docs/tutorial.md in a new, empty folder, and write what its commands printed into it.

python docs/make_tutorial.py

A block of `bash` is run as it stands; the block of `text` below it is what it printed, paths under the folder made
relative. A comment `<!-- lines: PATTERN -->` between the two keeps the lines in which the pattern is found, and `…`
stands for what lies between. `bash refused` is a command that must be refused, `bash serve` one that stays until it is
ended. The plan that the tutorial freezes is shown in docs/holdout.md, shortened by the same command, with a picture of
the verdict.
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
if str(HERE.parent) not in sys.path:
    sys.path.insert(0, str(HERE.parent))

from benchmarks.markers import written  # noqa: E402
from docs.make_screenshots import Excerpt, browser, save, taken  # noqa: E402

PAGE, PLAN_PAGE = HERE / "tutorial.md", HERE / "holdout.md"
BEGIN = "<!-- plan: begin (written by python docs/make_tutorial.py, do not edit) -->"
END = "<!-- plan: end -->"
PLAN = Path("experiments/practice/frozen/v1.json")
REPORT = Path("studies/practice/holdout/v1/report.html")
VERDICT = Excerpt("holdout", "header", "table.tuning", ("spent holdout", "The rule was", "Therefore"))
STEP = re.compile(
    r"^```bash(?P<how>[^\n]*)\n(?P<commands>.*?)^```$"
    r"(?:\n\n(?:<!-- lines: (?P<lines>[^\n]*) -->\n)?```text\n(?P<shown>.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)
GAP = "…"
COLUMNS = 110
# What differs from one run to the next, and by what it is masked where a page is held against a run.
CHANGES = {
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00": "TIME",
    r"\d{8}-\d{6}-[\w-]+-[0-9a-f]{6}\b": "RUN",
    r"\b\d{4}-\d\d-\d\d\b": "DAY",
    r"\b[0-9a-f]{32}\b": "RUN",
    r"\b[0-9a-f]{12}\b": "DIGEST",
    r"\b[0-9a-f]{12}…": "DIGEST",
    r"127\.0\.0\.1:\d+": "ADDRESS",
    r'("(?:commit|dirty|allowed_dirty)": ).*': r"\1CHECKOUT",
    r'("libraries": ).*': r"\1LIBRARIES",
}
MORE = {GAP: GAP}
PATIENCE_S = 900


@dataclass(frozen=True)
class Step:
    """A block of commands and what the page says it prints.

    Args:
        how: empty, `refused` or `serve`.
        commands: a script.
        lines: pattern of the lines that are shown; empty for all of them.
        shown: as it stands in the page, None where nothing is shown.
    """

    how: str
    commands: str
    lines: str
    shown: str | None


def steps(page: str) -> list[Step]:
    """The steps of a page, in their order."""
    return [_step(found) for found in STEP.finditer(page)]


def printed(step: Step, folder: Path) -> str:
    """Run a step in a folder; gives what the page has to show of it.

    Raises:
        RuntimeError: it ended otherwise than the page says.
    """
    if step.how == "serve":
        return _served(step, folder)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", step.commands],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if step.how == "refused" else subprocess.PIPE,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    if (done.returncode != 0) != (step.how == "refused"):
        raise RuntimeError(f"{step.commands}ended with {done.returncode}:\n{done.stdout}{done.stderr or ''}")
    return excerpt(done.stdout, step.lines, folder)


def excerpt(said: str, pattern: str, folder: Path) -> str:
    """What is shown of an output: paths relative, no blanks at the end, `…` for the lines that are left out."""
    kept: list[str] = []
    for line in said.replace(f"{folder}/", "").replace("\N{NO-BREAK SPACE}", " ").splitlines():
        if re.search(pattern, line):
            kept.append(line.rstrip())
        elif line.strip() and kept[-1:] != [GAP]:
            kept.append(GAP)
    return "".join(f"{line}\n" for line in kept)


def masked(text: str) -> str:
    """A text without what differs from one run to the next."""
    for pattern, word in CHANGES.items():
        text = re.sub(pattern, word, text)
    return text


def rewritten(page: str, outputs: list[str]) -> str:
    """A page with these outputs; what differs in nothing but times and digests stays as it is."""
    left = iter(outputs)

    def new(found: re.Match[str]) -> str:
        step, said = _step(found), next(left)
        if step.shown is None or masked(step.shown) == masked(said):
            return found.group()
        start, end = (place - found.start() for place in found.span("shown"))
        return found.group()[:start] + said + found.group()[end:]

    return STEP.sub(new, page)


def plan_block(folder: Path) -> str:
    """The plan that the tutorial froze, shortened, between its markers."""
    plan = json.loads((folder / PLAN).read_text(encoding="utf-8"))
    return f"{BEGIN}\n\n```text\n{shortened(plan)}\n```\n\n{END}"


def shortened(plan: Mapping[str, Any]) -> str:
    """A plan for a page: digests cut, `…` for settings, arms and libraries that are left out."""
    arms = [{name: arm[name] for name in ("key", "name", "config")} | MORE for arm in plan["baselines"]]
    candidate = plan["candidate"]
    settings = {
        slot: {name: section[name] for name in ("name", "model", "depth") if name in section} | MORE
        for slot, section in candidate["settings"].items()
        if slot in candidate["models"]
    }
    libraries = {name: plan["libraries"][name] for name in ("python", "numpy", "torch")}
    chosen_on = {**plan["chosen_on"], "means": _ends(plan["chosen_on"]["means"])}
    chosen_on["gaps"] = _ends(plan["chosen_on"]["gaps"])
    short = {
        **plan,
        "candidate": {**candidate, "settings": settings | MORE},
        "baselines": arms,
        "libraries": libraries | MORE,
        "chosen_on": chosen_on,
    }
    return _flat(_cut(short), 0)


def environment() -> dict[str, str]:
    """Of the commands: this environment's program, as if installed (no checkout), a root of their own, no hub."""
    dropped = ("MLFLOW_", "RAG_ABLATION_ROOT")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(dropped)}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return {**kept, "PATH": path, "COLUMNS": str(COLUMNS), "HF_HUB_OFFLINE": "1", "GIT_DIR": os.devnull}


def _step(found: re.Match[str]) -> Step:
    return Step(found["how"].strip(), found["commands"], found["lines"] or "", found["shown"])


def _served(step: Step, folder: Path) -> str:
    """What a server says when it is up."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = ["bash", "-c", f"exec {step.commands.strip()} --port {port}"]
    with subprocess.Popen(
        command, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            said = (server.stdout.readline() + server.stdout.readline()) if server.stdout else ""
        finally:
            server.terminate()
    return excerpt(said.replace(f":{port}", ":5000"), step.lines, folder)


def _ends(means: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    kept = ("mean", "low", "high", "n", "n_groups")
    return {key: {name: found[name] for name in kept} | MORE for key, found in means.items()}


def _cut(value: Any) -> Any:
    """Digests to their first characters, figures to three decimals."""
    if isinstance(value, dict):
        return {name: _cut(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_cut(part) for part in value]
    if isinstance(value, float):
        return round(value, 3)
    return f"{value[:12]}{GAP}" if isinstance(value, str) and re.fullmatch("[0-9a-f]{40,64}", value) else value


def _flat(value: Any, depth: int) -> str:
    """JSON with a line for each part that fits into one."""
    line = json.dumps(value, ensure_ascii=False).replace(f'"{GAP}": "{GAP}"', GAP)
    if len(line) + 2 * depth <= COLUMNS or not isinstance(value, dict | list):
        return line
    inner = "  " * (depth + 1)
    if isinstance(value, list):
        parts = [_flat(part, depth + 1) for part in value]
    else:
        parts = [GAP if name == GAP else f'"{name}": {_flat(part, depth + 1)}' for name, part in value.items()]
    ends = "[]" if isinstance(value, list) else "{}"
    return ends[0] + "\n" + ",\n".join(inner + part for part in parts) + "\n" + "  " * depth + ends[1]


def main() -> None:
    """Run the tutorial and write both pages."""
    page = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        outputs = [printed(step, folder) for step in steps(page)]
        block = plan_block(folder)
        with browser() as started:
            picture = taken(started, folder / REPORT, VERDICT)
    save(VERDICT.name, picture)
    PAGE.write_text(rewritten(page, outputs), encoding="utf-8")
    text = PLAN_PAGE.read_text(encoding="utf-8")
    if masked(block) not in masked(text):
        PLAN_PAGE.write_text(written(text, block, begin=BEGIN, end=END), encoding="utf-8")
    print(f"{PAGE}\n{PLAN_PAGE}")


if __name__ == "__main__":
    main()
