"""`rag-ablation freeze`: the plan for the holdout, written down before it is looked at; plans compared."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rag_ablation.commands._definitions import frozen_folders
from rag_ablation.commands._plan_made import Chosen, plan_of
from rag_ablation.commands.run import open_tracker
from rag_ablation.core.errors import CommandError, HoldoutError
from rag_ablation.core.wording import counted
from rag_ablation.experiment.code import checkout
from rag_ablation.experiment.experiment import TrackingSettings
from rag_ablation.holdout.freeze import FrozenPlan, differences, read_plan, write_plan
from rag_ablation.holdout.opening import completable
from rag_ablation.holdout.place import SUFFIX
from rag_ablation.holdout.seen import SeenBefore, dataset_ledger, seen_before

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
    _print(told(plan, path, found))
    return 0


def reason_of(args: argparse.Namespace) -> str | None:
    """Why a holdout that was looked at is to be used again; None where that was not asked for.

    Raises:
        CommandError: one of the two options without the other.
    """
    if args.spend_again and not (args.reason or "").strip():
        raise CommandError.of("--reason", "nothing", 'why, in words: --spend-again --reason "…"')
    return " ".join(args.reason.split()) if args.spend_again else None


def refuse_seen(found: SeenBefore, reason: str | None) -> None:
    """More than 2 % of the questions seen before is no holdout, unless a person says why it is used none the less.

    Raises:
        HoldoutError: it is so, and nobody says why.
    """
    if found.too_many and reason is None:
        message = (
            f"the holdout is no longer unseen: {found}. What settings were tuned on cannot confirm them. Freeze on "
            'questions that nobody looked at, or go on with --spend-again --reason "…", and every table will say so'
        )
        raise HoldoutError(message)


def find_plan(study: str, name: str, root: Path) -> Path:
    """The file of a plan.

    Args:
        study: name of the study, or a path to its definition.
        name: of the plan, or its file.
        root: folder under which everything is written.

    Raises:
        CommandError: there is none.
    """
    if name.endswith(SUFFIX) and Path(name).is_file():
        return Path(name)
    folders = frozen_folders(study, root)
    found = next((folder / f"{name}{SUFFIX}" for folder in folders if (folder / f"{name}{SUFFIX}").is_file()), None)
    if found is None:
        known = ", ".join(sorted({path.stem for folder in folders for path in folder.glob(f"*{SUFFIX}")})) or "none yet"
        raise CommandError.of("--name", repr(name), f"a plan of study {study} ({known}); make it: rag-ablation freeze")
    return found


def told(plan: FrozenPlan, path: Path, found: SeenBefore) -> Iterator[str]:
    """What a plan says, a line each."""
    yield f"frozen: {plan.name} of study {plan.study}: {path}"
    yield f"plan {plan.digest()[:12]}, {plan.frozen}"
    yield from lines(plan)
    yield str(found)
    yield f"next, once: rag-ablation holdout --study {plan.study} --name {plan.name}"


def lines(plan: FrozenPlan) -> Iterator[str]:
    """Candidate, baselines, rule, and what the holdout can show."""
    yield f"candidate: {plan.candidate.key} ({plan.candidate.name})"
    yield f"must beat: {'; '.join(f'{arm.key} ({arm.name})' for arm in plan.baselines)}"
    yield plan.rule.words()
    fold = "" if plan.split["fold"] is None else f", fold {plan.split['fold']}"
    size = f"{counted(plan.split['questions'], 'question')} in {counted(plan.split['groups'], 'group')}"
    yield f"holdout: {plan.dataset['name']}, split {plan.split['name']}{fold}: {size}"
    yield from _planning(plan)
    if plan.checkout.get("dirty"):
        yield "mark: frozen from a tree with changes under src/ or conf/ (--allow-dirty)"
    if plan.seen.get("reason"):
        yield f"mark: frozen over questions that had been seen, because: {plan.seen['reason']}"


def _planning(plan: FrozenPlan) -> Iterator[str]:
    """What the holdout can show against each baseline, held against the difference that matters."""
    show, delta = plan.can_show, plan.rule.smallest_difference
    scored = f"{counted(show['reviewed'], 'reviewed question')} in {counted(show['groups'], 'group')}"
    smallest = {key: value for key, value in show["smallest_differences"].items() if value is not None}
    if not smallest:
        yield f"planning: {scored}: no difference can be planned for on so few groups"
        return
    said = ", ".join(f"{value:.3f} from {key}" for key, value in smallest.items())
    yield f"planning: {scored} are likely (80 %) to show, at 95 %, a difference of at least {said}"
    above = [key for key, value in smallest.items() if value > delta]
    if above:
        yield (
            f"warning: from {', '.join(above)} that is above the smallest difference that matters ({delta:g}): a true "
            "difference in between will probably stay undecided"
        )


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
            gaps = [f"dev: {plan.candidate.key} − {key}: {_gap(gap)}" for key, gap in dev.items()]
            _print([f"plan {plan.name} of study {plan.study}, frozen {plan.frozen}", *lines(plan), *gaps])
        return 0
    changed = differences(*found)
    if args.json:
        rows = [{"field": field, names[0]: one, names[1]: other} for field, one, other in changed]
        sys.stdout.write(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
    else:
        _print([f"{field}: {one} → {other}" for field, one, other in changed] or ["the two say the same"])
    return 0


def _gap(gap: dict[str, float | None]) -> str:
    if gap["mean"] is None or gap["low"] is None or gap["high"] is None:
        return f"undefined (n {gap['n']})"
    ends = f"{gap['low']:+.3f} to {gap['high']:+.3f}"
    return f"{gap['mean']:+.3f} (95 % {ends}; n {gap['n']}, {gap['n_groups']} groups)".replace("-", "−")


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


def _print(said: Sequence[str] | Iterator[str]) -> None:
    from rich.console import Console  # noqa: PLC0415

    console = Console(emoji=False)
    for line in said:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
