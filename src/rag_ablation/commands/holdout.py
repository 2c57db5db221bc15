"""`rag-ablation holdout`: open the holdout of a frozen plan, once; what was opened; corrected labels."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rag_ablation.commands._definitions import find_plan
from rag_ablation.commands._holdout_amend import amend
from rag_ablation.commands._holdout_outcome import Asked, Outcome
from rag_ablation.commands._holdout_run import open_holdout
from rag_ablation.commands._holdout_status import status, status_lines
from rag_ablation.commands._plan_words import gap_words, plan_lines, reason_of
from rag_ablation.commands._said import say
from rag_ablation.commands._study_report import PAGE
from rag_ablation.commands.progress import Progress
from rag_ablation.commands.run import OnStage
from rag_ablation.core.errors import CommandError
from rag_ablation.holdout.freeze import read_plan
from rag_ablation.holdout.ledger import join, read_ledger
from rag_ablation.holdout.opening import Step
from rag_ablation.holdout.seen import SEEN_FILE

STEPS = {
    Step.FIRST: "opened",
    Step.COMPLETE: "completed: an earlier opening by this plan had been cut off",
    Step.REOPEN: "completed: an earlier opening by a plan that differs in the code alone had been cut off",
    Step.REPLAY: "replayed: this plan had been run on its holdout before, and nothing was opened",
    Step.AGAIN: "opened again",
}


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb's options."""
    parser = verbs.add_parser(
        "holdout",
        help="run a frozen plan on the holdout, once, and apply its rule; see what was opened",
        usage="rag-ablation holdout --study S --name NAME [options]\n"
        "       rag-ablation holdout status DATASET [--json]\n"
        '       rag-ablation holdout amend --study S --name NAME --labels --reason "…"\n'
        "       rag-ablation holdout join LEDGER LEDGER",
    )
    parser.add_argument("words", nargs="*", metavar="status DATASET | amend | join LEDGER LEDGER")
    parser.add_argument("--study", help="the study of the plan")
    parser.add_argument("--name", help="name of the plan")
    parser.add_argument("--spend-again", action="store_true", help="open a holdout again that was looked at; marked")
    parser.add_argument("--labels", action="store_true", help="with amend: the labels were corrected")
    parser.add_argument("--reason", help="why; goes with --spend-again, amend, and the completion of a cut-off opening")
    parser.add_argument("--dataset", metavar="DIR", help="where the dataset lies now (default: as the plan says)")
    parser.add_argument("--qrels", help="with status: for a BEIR folder, which file of qrels/")
    parser.add_argument("--json", action="store_true", help="with status: print JSON")
    parser.add_argument("--tracking-uri", help="default: MLFLOW_TRACKING_URI, else under the root")


def execute(args: argparse.Namespace, root: Path) -> int:
    """Open, or do what the words say.

    Raises:
        RagAblationError: it may not be done, with what was found and what to do.
    """
    verb, *names = args.words or ["open"]
    if verb == "status" and len(names) == 1:
        return _status(names[0], args, root)
    if verb == "join" and len(names) == 2:
        _refuse_lists(names)
        ledger, entry = join(Path(names[0]), Path(names[1]))
        done = "nothing to join: the second has nothing new" if entry is None else f"joined: entry {entry.digest[:12]}"
        say([done, f"ledger: {ledger.path}, {len(ledger.entries)} entries"])
        return 0
    if verb not in ("open", "amend") or names:
        expected = "nothing, status DATASET, amend, or join LEDGER LEDGER"
        raise CommandError.of("holdout", " ".join(args.words), expected)
    for option in ("study", "name"):
        if getattr(args, option) is None:
            raise CommandError.of(f"--{option}", "nothing", "the study and the name of a frozen plan")
    plan = read_plan(find_plan(args.study, args.name, root))
    reason = reason_of(args) if args.spend_again else (args.reason or "").strip() or None
    asked = Asked(
        reason=reason,
        again=args.spend_again,
        dataset=args.dataset,
        tracking_uri=args.tracking_uri,
        on_stage=_progress(),
    )
    if verb == "amend":
        if not args.labels or reason is None:
            raise CommandError.of("amend", "too little", 'what was corrected, and why: --labels --reason "…"')
        outcome = amend(plan, asked, root)
    else:
        outcome = open_holdout(plan, asked, root)
    say([*told(outcome, amended=verb == "amend"), f"report: {outcome.folder / PAGE}"])
    return 0


def told(outcome: Outcome, *, amended: bool = False) -> Iterator[str]:
    """The verdict in the words of the plan, a line each."""
    plan, found = outcome.plan, outcome.verdict
    yield f"plan {plan.name} of study {plan.study}, frozen {plan.frozen}"
    yield "scored again on corrected labels" if amended else STEPS[outcome.step]
    for mark in outcome.runs.marks:
        yield f"mark: {mark}"
    yield from plan_lines(plan)
    yield found.ruling.words()
    for name, gap in found.flattery.items():
        yield f"dev less holdout, {name}: {gap_words(gap)}"
    yield f"{outcome.spent.words()} (entry {outcome.runs.opened[:12]})"
    for line in outcome.elsewhere:
        yield f"not the library of the plan: {line}"
    for line in outcome.completed:
        yield f"completed: {line}"
    for line in outcome.differs:
        yield f"differs from what was noted: {line}"


def _refuse_lists(names: Sequence[str]) -> None:
    """The list of seen questions under a root is no ledger of a dataset.

    Raises:
        CommandError: one of the files is such a list.
    """
    for name in names:
        entries = read_ledger(Path(name)).entries
        if Path(name).name == SEEN_FILE or any("entry" in entry.details for entry in entries):
            found = "a list of the questions seen under a root"
            raise CommandError.of("join", found, "two ledgers of one dataset (splits/ledger.jsonl)", file=name)


def _status(dataset: str, args: argparse.Namespace, root: Path) -> int:
    found = status(dataset, args.qrels, root, args.tracking_uri)
    if args.json:
        sys.stdout.write(json.dumps(found, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
    else:
        say(status_lines(found))
    return 1 if found["problem"] else 0


def _progress() -> OnStage:
    from rich.console import Console  # noqa: PLC0415

    return Progress(Console(stderr=True)).stage
