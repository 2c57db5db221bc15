"""From the `study` section of a composed configuration to what a study declares."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rag_ablation.config._settings import problem, settings_from, shown
from rag_ablation.core.errors import ConfigError, Problem
from rag_ablation.experiment.experiment import LatencySettings
from rag_ablation.experiment.study import Role, Study, StudyArm, Sweep, Watched

HEADING = "the study cannot be run"
KEYS = (
    "question",
    "primary",
    "smallest_difference",
    "strict",
    "fail_fast",
    "latency",
    "cross_encoder",
    "arms",
    "sweeps",
    "watched",
    "arm",
)
ARM_KEYS = ("key", "set", "role", "parents", "watch", "optional")
SWEEP_KEYS = ("arm", "set")
WATCHED_KEYS = ("child", "parent", "type")

Section = Mapping[str, object]
Grid = Callable[[Sequence[str]], Sequence[Sequence[str]]]


@dataclass(frozen=True, slots=True)
class _Reader:
    """Values of the section, and the problems found on the way."""

    problems: list[Problem]

    def text(self, section: Section, key: str, where: str) -> str:
        value = section.get(key)
        if not isinstance(value, str) or not value.strip():
            self.problems.append(problem(f"{where}.{key}", shown(key, value), "a text"))
            return ""
        return value

    def truth(self, section: Section, key: str, where: str) -> bool:
        value = section.get(key, False)
        if not isinstance(value, bool):
            self.problems.append(problem(f"{where}.{key}", shown(key, value), "true or false"))
        return bool(value)

    def by_language(self, section: Section, key: str, where: str) -> dict[str, str]:
        """A text for both languages, or one for each of `en` and `zh`."""
        value = section.get(key)
        if value is None:
            return {}
        if isinstance(value, str):
            return {"en": value, "zh": value}
        given = dict(value) if isinstance(value, Mapping) else {}
        if not given or not set(given) <= {"en", "zh"} or not all(isinstance(one, str) for one in given.values()):
            self.problems.append(problem(f"{where}.{key}", shown(key, value), "a text, or one for each of en and zh"))
            return {}
        either = str(next(iter(given.values())))
        return {language: str(given.get(language, either)) for language in ("en", "zh")}

    def sections(self, section: Section, key: str, known: Sequence[str]) -> Iterator[tuple[str, Section]]:
        """The entries of a list, each checked for keys that do not exist."""
        listed = section.get(key) or []
        if not isinstance(listed, list):
            self.problems.append(problem(f"study.{key}", shown(key, listed), "a list"))
            return
        for place, entry in enumerate(listed):
            where = f"study.{key}[{place}]"
            if not isinstance(entry, Mapping):
                self.problems.append(problem(where, shown(key, entry), f"a section with {', '.join(known)}"))
                continue
            self.unknown(entry, where, known)
            yield where, entry

    def unknown(self, section: Section, where: str, known: Sequence[str]) -> None:
        self.problems.extend(
            problem(f"{where}.{key}", "a key that does not exist", f"one of {', '.join(known)}")
            for key in section
            if key not in known
        )


def study_from(section: object, name: str, grid: Grid) -> Study:
    """Check a study's definition and build it; members of sweeps become arms.

    Args:
        section: the `study` section, plain nested mappings.
        name: of the study's folder.
        grid: expands words with sweeps (`a=1,2 b=3`) to the words of each combination.

    Raises:
        ConfigError: with every problem found.
    """
    problems: list[Problem] = []
    read = _Reader(problems)
    if not isinstance(section, Mapping):
        raise ConfigError(HEADING, [problem("study", shown("study", section), "a section with arms")])
    read.unknown(section, "study", KEYS)
    arms = [_arm(read, where, entry) for where, entry in read.sections(section, "arms", ARM_KEYS)]
    if not arms and not section.get("arms"):
        problems.append(problem("study.arms", "nothing", "at least one arm"))
    _check_keys(problems, arms)
    sweeps, members = _sweeps(read, section, arms, grid)
    watched = [_watched(read, where, entry, arms) for where, entry in read.sections(section, "watched", WATCHED_KEYS)]
    study = Study(
        name=name,
        question=read.by_language(section, "question", "study"),
        primary=_primary(read, section),
        smallest_difference=_difference(read, section),
        strict=read.truth(section, "strict", "study"),
        fail_fast=read.truth(section, "fail_fast", "study"),
        latency=_latency(section, problems),
        arms=(*arms, *members),
        sweeps=tuple(sweeps),
        watched=tuple(watched),
    )
    if problems:
        raise ConfigError(HEADING, problems)
    return study


def _arm(read: _Reader, where: str, entry: Section) -> StudyArm:
    parents = entry.get("parents") or []
    if not isinstance(parents, list) or not all(isinstance(parent, str) for parent in parents):
        read.problems.append(problem(f"{where}.parents", shown("parents", parents), "a list of keys of arms"))
        parents = []
    role = entry.get("role", Role.LADDER)
    if role not in (Role.LADDER, Role.BRACKET):
        read.problems.append(problem(f"{where}.role", shown("role", role), f"{Role.LADDER} or {Role.BRACKET}"))
        role = Role.LADDER
    if role == Role.BRACKET and parents:
        read.problems.append(problem(f"{where}.parents", shown("parents", parents), "none: a bracket is no step"))
    return StudyArm(
        key=read.text(entry, "key", where),
        role=Role(str(role)),
        overrides=tuple(read.text(entry, "set", where).split()),
        parents=tuple(parents),
        watch=read.by_language(entry, "watch", where),
        optional=read.truth(entry, "optional", where),
    )


def _check_keys(problems: list[Problem], arms: Sequence[StudyArm]) -> None:
    before: list[str] = []
    for place, arm in enumerate(arms):
        where = f"study.arms[{place}]"
        if arm.key in before:
            problems.append(problem(f"{where}.key", repr(arm.key), "a key that no other arm has"))
        problems += [
            problem(f"{where}.parents", repr(parent), f"arms before it: {', '.join(before) or 'none'}")
            for parent in arm.parents
            if parent not in before
        ]
        before.append(arm.key)


def _sweeps(
    read: _Reader, section: Section, arms: Sequence[StudyArm], grid: Grid
) -> tuple[list[Sweep], list[StudyArm]]:
    """Sweeps, and an arm for each of their members; which of them equals the swept arm is seen when they are built."""
    sweeps, members = [], []
    by_key = {arm.key: arm for arm in arms}
    for where, entry in read.sections(section, "sweeps", SWEEP_KEYS):
        swept, words = by_key.get(str(entry.get("arm"))), read.text(entry, "set", where)
        if swept is None:
            read.problems.append(problem(f"{where}.arm", shown("arm", entry.get("arm")), f"one of {', '.join(by_key)}"))
            continue
        found = [_member(swept, job) for job in grid(words.split())] if words else []
        axes = tuple(word.partition("=")[0].lstrip("+") for word in words.split())
        sweeps.append(Sweep(arm=swept.key, axes=axes, members=tuple(arm.key for arm in found)))
        members += found
    return sweeps, members


def _member(swept: StudyArm, words: Sequence[str]) -> StudyArm:
    said = " ".join(f"{key.rpartition('.')[2]}={value}" for key, _, value in (word.partition("=") for word in words))
    return StudyArm(
        key=f"{swept.key} {said}", role=Role.SWEEP, overrides=(*swept.overrides, *words), optional=swept.optional
    )


def _watched(read: _Reader, where: str, entry: Section, arms: Sequence[StudyArm]) -> Watched:
    keys = [arm.key for arm in arms]
    for name in ("child", "parent"):
        if entry.get(name) not in keys:
            read.problems.append(problem(f"{where}.{name}", shown(name, entry.get(name)), f"one of {', '.join(keys)}"))
    return Watched(child=str(entry.get("child")), parent=str(entry.get("parent")), type=read.text(entry, "type", where))


def _primary(read: _Reader, section: Section) -> str:
    primary = read.text(section, "primary", "study")
    point, slash, measure = primary.partition("/")
    name, at, cutoff = measure.partition("@")
    if primary and not (point and slash and name and at and cutoff.isdigit()):
        read.problems.append(problem("study.primary", repr(primary), "a point and a measure, such as final/ndcg@10"))
    return primary


def _difference(read: _Reader, section: Section) -> float:
    value = section.get("smallest_difference")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        found = shown("smallest_difference", value)
        read.problems.append(problem("study.smallest_difference", found, "a number from 0 to 1, such as .02"))
        return 0.0
    return float(value)


def _latency(section: Section, problems: list[Problem]) -> LatencySettings | None:
    given = section.get("latency")
    return None if given is None else settings_from(LatencySettings, given, "study.latency", problems)
