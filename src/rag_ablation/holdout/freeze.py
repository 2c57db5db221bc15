"""A frozen plan: one configuration, what it must beat and by which rule, and all that must not change until then."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from rag_ablation.core.digest import canonical_json, digest_json
from rag_ablation.core.errors import HoldoutError, Problem
from rag_ablation.core.replacing import replacing
from rag_ablation.data.jsonl import parse_json
from rag_ablation.holdout.place import SUFFIX, name_problem
from rag_ablation.holdout.rule import Rule

LAYOUT = "rag-ablation.plan/1"
FOLDER = "frozen"
IDENTITY = ("rule", "candidate", "baselines", "fingerprints", "split", "libraries")
"""What two plans that do the same have in common."""
NO_DIFFERENCE = ("frozen", "ledger")


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenArm:
    """One arm of a plan.

    Args:
        key: in the study.
        name: a name a person can read.
        variant: name of the preset.
        parents: presets that it is compared with.
        settings: effective settings, every default written out.
        config: digest of these settings.
        models: by slot, what identifies the weights that are loaded.
    """

    key: str
    name: str
    variant: str
    parents: tuple[str, ...]
    settings: Mapping[str, Any]
    config: str
    models: Mapping[str, Mapping[str, str]]

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The inverse of `asdict`."""
        return cls(**{**values, "parents": tuple(values["parents"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenPlan:
    """What will be done on the holdout, written down before.

    Args:
        name: of the plan, and of its file.
        study: that it was chosen in.
        question: what the study asks, by language code.
        frozen: when, in UTC.
        rule: the decision rule.
        candidate: the arm that is to be adopted or not.
        baselines: the arms that it must beat.
        dataset: `name`, `path` (relative to the root where it lies under it) and `qrels`.
        fingerprints: digests of `corpus`, `queries`, `labels`, `split`, `code`.
        split: `name`, `fold` (None where the holdout is one), `questions` and `groups` of it.
        libraries: versions, with Python's.
        tracking: `name` of the tracker and the `experiment` that runs are logged in.
        checkout: commit and whether the tree was dirty; empty unless the package ran from a checkout.
        chosen_on: the dev results that it was chosen on: `runs`, `means` and `gaps` with n, groups and intervals.
        can_show: what the holdout can show: `smallest_differences` by baseline and what they were planned from.
        seen: how many of its questions had been looked at before, and why it was frozen none the less.
        ledger: digest of the last entry of the dataset's ledger then.
    """

    name: str
    study: str
    question: Mapping[str, str]
    frozen: str
    rule: Rule
    candidate: FrozenArm
    baselines: tuple[FrozenArm, ...]
    dataset: Mapping[str, Any]
    fingerprints: Mapping[str, str]
    split: Mapping[str, Any]
    libraries: Mapping[str, str]
    tracking: Mapping[str, Any]
    checkout: Mapping[str, Any]
    chosen_on: Mapping[str, Any]
    can_show: Mapping[str, Any]
    seen: Mapping[str, Any]
    ledger: str

    @property
    def arms(self) -> tuple[FrozenArm, ...]:
        """The baselines, then the candidate."""
        return (*self.baselines, self.candidate)

    def form(self) -> dict[str, Any]:
        """As it stands in the file, without its digest; JSON values only."""
        plain = {name: getattr(self, name) for name in self.__slots__}
        nouns = {
            "rule": self.rule.to_json(),
            "candidate": asdict(self.candidate),
            "baselines": [asdict(arm) for arm in self.baselines],
        }
        form: dict[str, Any] = json.loads(canonical_json({"layout": LAYOUT, **plain, **nouns}))
        return {name: form[name] for name in ("layout", *self.__slots__)}

    def digest(self) -> str:
        """Digest of all of it (64 hex characters)."""
        return digest_json(self.form())

    def identity(self) -> str:
        """Digest of what determines the result: two plans of one identity do the same, whatever their names."""
        return digest_json({name: value for name, value in self.form().items() if name in IDENTITY})

    def identity_but_code(self) -> str:
        """The same without the digest of the code: what a corrected program shares with the one that crashed."""
        form = {name: value for name, value in self.form().items() if name in IDENTITY}
        kept = {name: digest for name, digest in self.fingerprints.items() if name != "code"}
        return digest_json({**form, "fingerprints": kept, "libraries": None})


def write_plan(plan: FrozenPlan, folder: Path) -> Path:
    """Write a plan; the file is whole or not there. Writing one of the same identity again changes nothing.

    Args:
        plan: what to write.
        folder: of plans, made if needed.

    Raises:
        HoldoutError: another plan has the name, a plan of another name does the same, or the name is no name.
    """
    problem = name_problem(plan.name, "a plan")
    if problem:
        raise HoldoutError(problem)
    path = folder / f"{plan.name}{SUFFIX}"
    for other in plans(folder):
        same = other.identity() == plan.identity()
        if other.name == plan.name and not same:
            message = (
                f"{path} holds another plan, frozen {other.frozen}, which stays as it is: choose another --name; "
                f"rag-ablation freeze diff compares two"
            )
            raise HoldoutError(message)
        if other.name == plan.name:
            return path
        if same:
            message = (
                f"the plan {other.name!r} (frozen {other.frozen}) does the same: {folder / other.name}{SUFFIX}. "
                "A second name for it would be a second look; use that one"
            )
            raise HoldoutError(message)
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**plan.form(), "digest": plan.digest()}, ensure_ascii=False, indent=1, allow_nan=False)
    with replacing(path) as aside:
        aside.write_text(text + "\n", encoding="utf-8")
    return path


def plans(folder: Path) -> list[FrozenPlan]:
    """Every plan of a folder, by name.

    Raises:
        HoldoutError: one of them cannot be read.
    """
    return [read_plan(path) for path in sorted(folder.glob(f"*{SUFFIX}")) if not path.name.startswith(".")]


def read_plan(path: Path) -> FrozenPlan:
    """Read a plan and check that it is as it was written.

    Raises:
        HoldoutError: it is no plan, or was edited.
    """
    try:
        form: Any = parse_json(path.read_bytes().decode("utf-8-sig"))
        digest = form.pop("digest")
        layout = form.pop("layout")
        if layout != LAYOUT:
            raise _refused(path, "layout", repr(layout), repr(LAYOUT))
        plan = FrozenPlan(
            **{
                **form,
                "rule": Rule.from_json(form["rule"]),
                "candidate": FrozenArm.from_json(form["candidate"]),
                "baselines": tuple(FrozenArm.from_json(arm) for arm in form["baselines"]),
            }
        )
        found = plan.digest()
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _refused(path, "the plan", str(error), "a file that rag-ablation freeze wrote") from error
    if digest != found:
        expected = f"{found[:12]}…, the digest of its content: the plan was edited after it was frozen. Freeze anew"
        raise _refused(path, "digest", f"{str(digest)[:12]}…", expected)
    if plan.name != path.stem:
        raise _refused(path, "name", repr(plan.name), f"{path.stem!r}, the name of the file: it was renamed or copied")
    return plan


def differences(one: FrozenPlan, other: FrozenPlan) -> list[tuple[str, str, str]]:
    """Field and both values of everything in which two plans differ, but for when they were frozen."""
    first, second = (dict(_leaves(plan.form())) for plan in (one, other))
    return [
        (name, first.get(name, "–"), second.get(name, "–"))
        for name in dict.fromkeys([*first, *second])
        if first.get(name) != second.get(name) and name.partition(".")[0] not in NO_DIFFERENCE
    ]


def _leaves(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Every value with its dotted name."""
    if isinstance(value, Mapping) and value:
        for key, part in value.items():
            yield from _leaves(part, f"{name}.{key}" if name else str(key))
    elif isinstance(value, Sequence) and value and all(isinstance(part, Mapping) and "key" in part for part in value):
        for part in value:
            yield from _leaves(part, f"{name}.{part['key']}")
    else:
        yield name, json.dumps(value, ensure_ascii=False)


def _refused(path: Path, field: str, found: str, expected: str) -> HoldoutError:
    return HoldoutError(str(Problem(field=field, found=found, expected=expected, file=str(path))))
