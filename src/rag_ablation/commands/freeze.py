"""`rag-ablation freeze`: the plan for the holdout, written down before it is looked at; plans compared."""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from rag_ablation.commands._definitions import find_plan, frozen_folders
from rag_ablation.commands._plan_made import Chosen, plan_of
from rag_ablation.commands._plan_words import gap_words, plan_lines, reason_of, refuse_seen
from rag_ablation.commands._said import say
from rag_ablation.commands.run import open_tracker
from rag_ablation.core.errors import CommandError, HoldoutError
from rag_ablation.core.wording import counted
from rag_ablation.experiment.code import checkout
from rag_ablation.experiment.experiment import TrackingSettings
from rag_ablation.holdout.freeze import FrozenPlan, differences, read_plan, write_plan
from rag_ablation.holdout.opening import completable
from rag_ablation.holdout.seen import SeenBefore, dataset_ledger, seen_before
from rag_ablation.measures.uncertainty import Interval
from rag_ablation.report.leaderboard import MINUS

VERBS = {"show": 1, "diff": 2}


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb's options."""
    parser = verbs.add_parser(
        "freeze",
        help="write the plan for the holdout: an arm, what it must beat, and by which rule",
        usage="rag-ablation freeze --study S --arm KEY --name NAME [options]\n"
        "       rag-ablation freeze show NAME --study S [--json]\n"
        "       rag-ablation freeze diff NAME NAME --study S",
    )
    parser.add_argument("words", nargs="*", metavar="show NAME | diff NAME NAME", help="look at plans that are frozen")
    parser.add_argument("--study", required=True, help="a study that was run under this root")
    parser.add_argument("--arm", metavar="KEY", help="the arm to be adopted or not")
    parser.add_argument(
        "--baseline", metavar="KEY", action="append", default=[], help="what it must beat (default: its parents)"
    )
    parser.add_argument("--name", help="name of the plan")
    parser.add_argument("--fold", type=int, help="fold of the holdout (default: the first that was not opened)")
    parser.add_argument("--allow-dirty", action="store_true", help="although src/ or conf/ differ from the commit")
    parser.add_argument("--spend-again", action="store_true", help="although questions of the holdout were seen before")
    parser.add_argument("--reason", help="why; goes with --spend-again")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--tracking-uri", help="default: MLFLOW_TRACKING_URI, else under the root")


def execute(args: argparse.Namespace, root: Path) -> int:
    """Freeze, or look at what is frozen.

    Raises:
        RagAblationError: there is nothing that may be frozen so, with the reason and what to do.
    """
    if args.words:
        return _looked(args, root)
    for option in ("arm", "name"):
        if getattr(args, option) is None:
            raise CommandError.of(f"--{option}", "nothing", "a name, or show NAME, or diff NAME NAME")
    reason = reason_of(args)
    _refuse_dirty(allowed=args.allow_dirty)
    chosen = Chosen(study=args.study, arm=args.arm, baselines=tuple(args.baseline), name=args.name, fold=args.fold)
    plan, source, definition = plan_of(chosen, root)
    own = [plan.identity(), *completable(dataset_ledger(source.place), plan)]
    found = seen_before(source.place, source.held_out(plan.split["fold"]), leave_out=own)
    refuse_seen(found, reason)
    noted = {"questions": found.n, "seen": len(found.seen), "where": dict(found.where), "reason": reason}
    plan = replace(plan, seen=noted, checkout={**plan.checkout, "allowed_dirty": bool(args.allow_dirty)})
    tracker = open_tracker(TrackingSettings(name=plan.tracking["name"], uri=args.tracking_uri), root)
    path = write_plan(plan, frozen_folders(definition, root)[0])
    plan = read_plan(path)
    tags = {"rag.frozen": plan.name, "rag.frozen_plan": plan.digest()}
    tracker.mark(plan.chosen_on["runs"][plan.candidate.key], tags)
    say(told(plan, path, found))
    return 0


def told(plan: FrozenPlan, path: Path, found: SeenBefore) -> Iterator[str]:
    """What a plan says, a line each."""
    yield f"frozen: {plan.name} of study {plan.study}: {path}"
    yield f"plan {plan.digest()[:12]}, {plan.frozen}"
    yield from plan_lines(plan)
    yield str(found)
    yield f"next, once: rag-ablation holdout --study {plan.study} --name {plan.name}"


def _looked(args: argparse.Namespace, root: Path) -> int:
    verb, *names = args.words
    if verb not in VERBS or len(names) != VERBS[verb]:
        raise CommandError.of("freeze", " ".join(args.words), "show NAME, diff NAME NAME, or --arm KEY --name NAME")
    found = [read_plan(find_plan(args.study, name, root)) for name in names]
    if verb == "show":
        plan = found[0]
        if args.json:
            sys.stdout.write(json.dumps(plan.form(), ensure_ascii=False, indent=1, allow_nan=False) + "\n")
        else:
            dev = plan.chosen_on["gaps"]
            gaps = [f"dev: {plan.candidate.key} {MINUS} {key}: {_gap(Interval(**gap))}" for key, gap in dev.items()]
            say([f"plan {plan.name} of study {plan.study}, frozen {plan.frozen}", *plan_lines(plan), *gaps])
        return 0
    changed = differences(*found)
    if args.json:
        rows = [{"field": field, names[0]: one, names[1]: other} for field, one, other in changed]
        sys.stdout.write(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
    else:
        say([f"{field}: {one} → {other}" for field, one, other in changed] or ["the two say the same"])
    return 0


def _refuse_dirty(*, allowed: bool) -> None:
    """Raise where the package runs from a checkout whose sources differ from its commit.

    Raises:
        HoldoutError: it does.
    """
    found = checkout()
    if found.get("dirty") and not allowed:
        message = (
            f"src/ or conf/ differ from the commit {str(found['commit'])[:12]}: commit first, or go on, marked, with "
            "--allow-dirty"
        )
        raise HoldoutError(message)


def _gap(gap: Interval) -> str:
    return f"{gap_words(gap)}; n {gap.n}, {counted(gap.n_groups, 'group')}"
