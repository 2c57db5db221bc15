"""Hold one statistics case against the package. Every function returns failures, empty when right."""

from collections.abc import Callable, Mapping
from typing import Any

from rag_ablation.measures.bootstrap import BootstrapInterval
from rag_ablation.measures.detectable import design_effect, detectable, detectable_by_t, questions_needed
from rag_ablation.measures.family import holm, rejected
from rag_ablation.measures.pairs import PairedTest, average_repeats, paired_bootstrap, paired_test, pairs
from rag_ablation.measures.shares import share_of_counts
from rag_ablation.measures.sign_flip import SignFlip

Case = Mapping[str, Any]
Figures = dict[str, object]

EXACT = {"n", "n_groups", "extreme", "permutations", "extreme_by_group", "permutations_by_group", "n_required"}
SAMPLED = ("extreme", "permutations", "p_permutation")
RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "wider": lambda by_group, by_question: by_group > by_question,
    "narrower": lambda by_group, by_question: by_group < by_question,
    "same": lambda by_group, by_question: by_group == by_question,
}


def check_statistics(case: Case, tolerance: float) -> list[str]:
    """One case of kind paired, repeated, wilson, holm, bootstrap or mde; what is refused raises `InputRefused`."""
    return CHECKS[case["kind"]](case, tolerance)


def _paired(case: Case, tolerance: float) -> list[str]:
    sampling = case.get("monte_carlo") or case.get("expected", {}).get("monte_carlo")
    baseline, candidate = case["baseline"], case["candidate"]
    if case["kind"] == "repeated":
        baseline, candidate = average_repeats(baseline), average_repeats(candidate)
    found = pairs(baseline, candidate, case.get("groups"))
    got = paired_test(found, resamples=sampling["resamples"]) if sampling else paired_test(found)
    failures, skipped = [], {"monte_carlo"}
    if sampling:
        skipped |= set() if got.by_question.exact else set(SAMPLED)
        if not sampling["low"] <= got.by_question.p <= sampling["high"]:
            failures.append(f"sampled p: got {got.by_question.p}, expected {sampling['low']} to {sampling['high']}")
    return failures + _compared(case, _figures(got), tolerance, skipped)


def _figures(got: PairedTest) -> Figures:
    by_group = {f"{name}_by_group": value for name, value in _flips(got.by_group).items()}
    return {
        "mean_baseline": got.mean_baseline,
        "mean_candidate": got.mean_candidate,
        "mean_diff": got.mean_difference,
        "sd_diff": got.deviation,
        "n": got.n,
        "n_groups": got.n_groups,
        "t": got.t.statistic,
        "p_t": got.t.p,
        **_flips(got.by_question),
        **by_group,
    }


def _flips(test: SignFlip) -> Figures:
    return {"extreme": test.extreme, "permutations": test.patterns, "p_permutation": test.p}


def _wilson(case: Case, tolerance: float) -> list[str]:
    got = share_of_counts(case["successes"], case["n"], confidence=case["confidence"])
    failures = _compared(case, {"proportion": got.share, "low": got.low, "high": got.high}, tolerance)
    edges = ((got.low, 0, case["successes"] == 0), (got.high, 1, case["successes"] == case["n"]))
    failures += [f"got {end}, expected exactly {edge}" for end, edge, at in edges if at and got.n and end != edge]
    return failures


def _holm(case: Case, tolerance: float) -> list[str]:
    adjusted = holm(case["p"])
    return _compared(case, {"adjusted": adjusted, "reject": rejected(adjusted, alpha=case["alpha"])}, tolerance)


def _mde(case: Case, tolerance: float) -> list[str]:
    levels = {name: case[name] for name in ("alpha", "power") if name in case}
    n, deviation = case["n"], case["sd"]
    got: Figures = {
        "mde": detectable(n, deviation, **levels),
        "mde_t": detectable_by_t(n, deviation, **levels),
    }
    if "effect" in case:
        got["n_required"] = questions_needed(case["effect"], deviation, **levels)
    if "icc" in case:
        effect = design_effect(case["mean_group_size"], case["icc"])
        got |= {"design_effect": effect, "mde_clustered": detectable(n, deviation, **levels) * effect**0.5}
    return _compared(case, got, tolerance)


def _bootstrap(case: Case, tolerance: float) -> list[str]:
    found = pairs(case["baseline"], case["candidate"], case.get("groups"))
    got = paired_bootstrap(found, confidence=case["confidence"], resamples=case["resamples"])
    if "expected" not in case:
        return ["nothing was refused, expected an error"]
    expected = case["expected"]
    failures = _close("mean_diff", got.mean_difference, expected["mean_diff"], tolerance)
    failures += _within("by_question", got.by_question, expected["by_question"], tolerance)
    if "by_group" in expected:
        failures += _close("n_groups", got.by_group.n_groups, expected["n_groups"], 0)
        failures += _within("by_group", got.by_group, expected["by_group"], tolerance)
    relation = case.get("group_interval_is")
    if relation and not RELATIONS[relation](_width(got.by_group), _width(got.by_question)):
        failures.append(f"interval by group: got {got.by_group}, expected {relation} than {got.by_question}")
    return failures


def _width(interval: BootstrapInterval) -> float:
    return float("nan") if interval.low is None or interval.high is None else interval.high - interval.low


def _within(name: str, got: BootstrapInterval, wanted: Any, tolerance: float) -> list[str]:
    if wanted == "undefined":
        return [] if got.low is None and got.high is None and got.reason else [f"{name}: got {got}, expected undefined"]
    failures = []
    for end, found in (("low", got.low), ("high", got.high)):
        least, most = wanted[end]
        if found is None or not least - tolerance <= found <= most + tolerance:
            failures.append(f"{name} {end}: got {found}, expected {least} to {most}")
    return failures


def _compared(case: Case, got: Figures, tolerance: float, skipped: set[str] | None = None) -> list[str]:
    if "expected" not in case:
        return ["nothing was refused, expected an error"]
    failures = []
    for name, wanted in case["expected"].items():
        if name not in (skipped or ()):
            failures += _close(name, got.get(name, "missing"), wanted, 0 if name in EXACT else tolerance)
    for name, slips in case.get("wrong_values", {}).items():
        failures += [
            f"{name} is {wrong}: {slip}"
            for slip, wrong in slips.items()
            if not _close(name, got.get(name, "missing"), wrong, tolerance)
        ]
    return failures


def _close(name: str, got: object, wanted: object, tolerance: float) -> list[str]:
    failure = [f"{name}: got {got}, expected {wanted}"]
    if wanted == "undefined" or got is None:
        return [] if wanted == "undefined" and got is None else failure
    if isinstance(wanted, list):
        if not isinstance(got, list) or len(got) != len(wanted):
            return failure
        return failure if any(_close(name, *pair, tolerance) for pair in zip(got, wanted, strict=True)) else []
    if isinstance(wanted, bool) or isinstance(got, bool):
        return [] if got is wanted else failure
    if not isinstance(got, int | float) or not isinstance(wanted, int | float):
        return failure
    return [] if abs(got - wanted) <= tolerance else failure


CHECKS: dict[str, Callable[[Case, float], list[str]]] = {
    "paired": _paired,
    "repeated": _paired,
    "wilson": _wilson,
    "holm": _holm,
    "bootstrap": _bootstrap,
    "mde": _mde,
}
