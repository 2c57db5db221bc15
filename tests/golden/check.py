"""Hold one case of a golden file against the package. Every function returns failures, empty when right."""

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rag_ablation import evaluate, fuse
from rag_ablation.core.corpus import Passage, Passages
from rag_ablation.core.errors import InputRefused
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.results import Mean
from rag_ablation.measures.evaluate import Evaluation
from rag_ablation.stages.rrf import FusedItem, ReciprocalRankFusion
from tests.golden.statistics import CHECKS, check_statistics

SCHEMA = "rag-ablation.golden.metrics/1"
OUR_NAMES = {"best_recall": "recall_ceiling", "rr": "mrr"}

Case = Mapping[str, Any]

_NOT_REFUSED = "nothing was refused, expected an error"


class Outcome(NamedTuple):
    """One thing checked, and what was wrong with it."""

    name: str
    failures: list[str]


def check_file(path: Path) -> Iterator[Outcome]:
    """Every case and every relation of a file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        yield Outcome(path.name, [f"cannot be read: {error}"])
        return
    if not isinstance(content, dict) or not content.get("cases"):
        yield Outcome(path.name, ["holds no cases"])
        return
    tolerance = content.get("tolerance", 1e-9)
    evaluations: dict[str, Evaluation] = {}
    for place, case in enumerate(content["cases"], start=1):
        yield Outcome(case.get("name", f"case {place}"), check_case(case, tolerance, evaluations))
    for relation in content.get("relations", []):
        yield Outcome(relation_name(relation), check_relation(relation, tolerance, evaluations))


def check_case(case: Case, tolerance: float, evaluations: dict[str, Evaluation] | None = None) -> list[str]:
    """One case of any kind; a kind that nobody knows is a failure, never a pass."""
    kind = case.get("kind")
    if kind not in ("retrieval", "fusion", *CHECKS):
        return [f"unknown kind {kind!r}, expected retrieval, fusion, {', '.join(CHECKS)}"]
    try:
        return _check_known(case, tolerance, evaluations)
    except InputRefused as refused:
        if case.get("expected_error") == refused.reason:
            return []
        return [f"refused with {refused.reason!r} ({refused}), expected {case.get('expected_error') or 'values'}"]
    except Exception as error:  # a crash is a finding about the case, the others still run
        return [f"{type(error).__name__}: {error}"]


def _check_known(case: Case, tolerance: float, evaluations: dict[str, Evaluation] | None) -> list[str]:
    if case["kind"] in CHECKS:
        return check_statistics(case, tolerance)
    if case["kind"] == "fusion":
        fused = _fuse(case)
        return check_fusion(case, fused, tolerance) if "expected_error" not in case else [_NOT_REFUSED]
    got = _evaluate(case)
    if evaluations is not None:
        evaluations[case["name"]] = got
    return check_retrieval(case, got, tolerance) if "expected_error" not in case else [_NOT_REFUSED]


def check_retrieval(case: Case, got: Evaluation, tolerance: float) -> list[str]:
    """Means, values per question, counts and status."""
    counts = {"total": got.n_questions, "scored": got.n_scored, "excluded": dict(got.excluded)}
    checks: tuple[tuple[str, object, object], ...] = (
        ("counts", counts, case.get("expected_counts", counts)),
        ("status", dict(got.status), case.get("expected_status", dict(got.status))),
    )
    failures = [f"{title}: got {found}, expected {wanted}" for title, found, wanted in checks if found != wanted]
    for name, wanted in [*case.get("expected", {}).items(), *case.get("expected_exact", {}).items()]:
        failures += _compare(name, _mean(got, name), wanted, tolerance)
    for name, wrong in case.get("wrong_values", {}).items():
        failures += [
            f"{name} is {value}: {slip}"
            for slip, value in wrong.items()
            if not _compare(name, _mean(got, name), value, tolerance)
        ]
    wanted_questions = case.get("expected_per_query", dict(got.per_query))
    if set(wanted_questions) != set(got.per_query):
        failures.append(f"scored questions: got {sorted(got.per_query)}, expected {sorted(wanted_questions)}")
    for question in set(wanted_questions) & set(got.per_query):
        for name, wanted in case.get("expected_per_query", {}).get(question, {}).items():
            found = got.micro_weight[question] if name == "micro_weight" else _value(got, question, name)
            failures += _compare(f"{question} {name}", found, wanted, tolerance)
    return failures


def check_fusion(case: Case, got: list[FusedItem], tolerance: float) -> list[str]:
    """Order and sums, of the plain function with lists in any order, and of the stage."""
    expected = case["expected"]
    order = [item.id for item in got]
    failures = [] if order == expected["order"] else [f"order: got {order}, expected {expected['order']}"]
    for item in got:
        failures += _compare(f"score of {item.id}", item.score, expected["scores"].get(item.id), tolerance)
        exact = expected.get("scores_exact", {}).get(item.id)
        if exact is not None and item.exact != Fraction(exact):
            failures.append(f"exact score of {item.id}: got {item.exact}, expected {exact}")
    for slip, wrong in case.get("wrong_orders", {}).items():
        if order == wrong:
            failures.append(f"the order is that of {slip}")
    if _fuse({**case, "lists": dict(reversed(case["lists"].items()))}) != got:
        failures.append("the result depends on the order of the lists")
    staged = _fuse_by_stage(case)
    if [name for name, _ in staged] != order:
        failures.append(f"order of the stage: got {[name for name, _ in staged]}, expected {order}")
    for name, score in staged:
        failures += _compare(f"score of {name} in the stage", score, expected["scores"].get(name), tolerance)
    return failures


def relation_name(relation: Case) -> str:
    """A relation in words."""
    left, right = relation["left"], relation["right"]
    return f"{left['case']} {left['metric']} {relation['op']} {right['case']} {right['metric']}"


def check_relation(relation: Case, tolerance: float, evaluations: Mapping[str, Evaluation]) -> list[str]:
    """Compare two values of the same file."""
    sides = []
    for side in (relation["left"], relation["right"]):
        if side["case"] not in evaluations:
            return [f"case {side['case']!r} gave no values to compare"]
        sides.append(_mean(evaluations[side["case"]], side["metric"]))
    left, right = sides
    if not isinstance(left, float) or not isinstance(right, float):
        return [f"got {left} and {right}, expected two numbers"]
    tests = {
        "==": abs(left - right) <= tolerance,
        "!=": abs(left - right) > tolerance,
        "<": left < right - tolerance,
        ">": left > right + tolerance,
        "<=": left <= right + tolerance,
        ">=": left >= right - tolerance,
    }
    if relation["op"] not in tests:
        return [f"unknown relation {relation['op']!r}"]
    return [] if tests[relation["op"]] else [f"got {left} and {right}"]


def _evaluate(case: Case) -> Evaluation:
    settings = ("gold_unit", "result_unit", "dedup", "corpus", "gold_snapshot", "index_snapshot")
    given = {key: case[key] for key in settings if key in case}
    return evaluate(case["queries"], cutoffs=case["k"], **given)


def _fuse(case: Case) -> list[FusedItem]:
    return fuse(case["lists"], rank_constant=case["rrf_k"], window=case.get("window"), dedup=case.get("dedup"))


def _fuse_by_stage(case: Case) -> list[tuple[str, float]]:
    """The same lists through the stage; mapped ids become documents."""
    units: Mapping[str, str] = case["dedup"]["map"] if case.get("dedup") else {}
    ids = sorted({item for ranked in case["lists"].values() for item in ranked})
    rows = tuple(Passage(id=item, title="", text=item, doc_id=units.get(item, item), metadata={}) for item in ids)
    row_of = {item: row for row, item in enumerate(ids)}
    lists = {
        name: Rankings.from_order(np.array([[row_of[item] for item in ranked]], dtype=np.int32).reshape(1, -1))
        for name, ranked in case["lists"].items()
    }
    stage = ReciprocalRankFusion(
        rank_constant=case["rrf_k"],
        window=case.get("window") or max(1, len(ids)),
        unit="document" if units else "passage",
    )
    ranking = stage.fuse(lists, Passages(rows)).rankings
    names = [units.get(ids[row], ids[row]) for row in ranking.passages[0].tolist() if row >= 0]
    return list(zip(names, ranking.scores[0].tolist()[: len(names)], strict=True))


def _key(name: str) -> tuple[str, int]:
    measure, _, cutoff = name.partition("@")
    return OUR_NAMES.get(measure, measure), int(cutoff or 0)


def _mean(got: Evaluation, name: str) -> object:
    found = got.means.get(_key(name))
    return "missing" if found is None else _or_undefined(found)


def _or_undefined(mean: Mean) -> object:
    if mean.value is not None:
        return float(mean.value)
    return "undefined" if mean.reason else "undefined without a reason"


def _value(got: Evaluation, question: str, name: str) -> object:
    values = got.per_query[question]
    if _key(name) not in values:
        return "missing"
    found = values[_key(name)]
    return "undefined" if found is None else found


def _compare(name: str, got: object, wanted: object, tolerance: float) -> list[str]:
    if wanted == "undefined" or isinstance(got, str):
        return [] if got == wanted else [f"{name}: got {got}, expected {wanted}"]
    if wanted is None or not isinstance(got, int | float):
        return [f"{name}: got {got}, expected {wanted}"]
    number = float(Fraction(wanted)) if isinstance(wanted, str) else float(wanted)  # type: ignore[arg-type]
    return [] if abs(got - number) <= tolerance else [f"{name}: got {got}, expected {wanted}"]
