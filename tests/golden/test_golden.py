import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.golden.__main__ import main
from tests.golden.check import Case, check_case, check_file, check_relation, relation_name

FOLDER = Path(__file__).parent
METRICS = json.loads((FOLDER / "metrics_cases.json").read_text(encoding="utf-8"))
STATISTICS = json.loads((FOLDER / "statistics_cases.json").read_text(encoding="utf-8"))
CASES = {case["name"]: case for case in METRICS["cases"] + STATISTICS["cases"]}


@pytest.mark.parametrize("case", METRICS["cases"] + STATISTICS["cases"], ids=lambda case: case["name"])
def test_golden_case(case: Case) -> None:
    assert check_case(case, METRICS["tolerance"]) == []


@pytest.mark.parametrize("relation", METRICS["relations"], ids=relation_name)
def test_golden_relation(relation: Case) -> None:
    evaluations: dict = {}
    for side in ("left", "right"):
        check_case(CASES[relation[side]["case"]], METRICS["tolerance"], evaluations)
    assert check_relation(relation, METRICS["tolerance"], evaluations) == []


def test_a_wrong_expectation_is_caught() -> None:
    case = CASES["worked_macro_pooled_any_all"]
    for key, wrong in (
        ("expected", {**case["expected"], "recall@2": 0.5}),
        ("expected_counts", {**case["expected_counts"], "total": 4}),
        ("expected_status", {**case["expected_status"], "A": "no_answer"}),
        ("wrong_values", {"recall@2": {"right_called_wrong": case["expected"]["recall@2"]}}),
        ("expected_error", "bad_k"),
        ("expected", {"no_such_measure@2": 1}),
    ):
        assert check_case({**case, key: wrong}, 1e-9), key
    fusion = CASES["rrf_tie_on_best_rank"]
    assert check_case({**fusion, "wrong_orders": {"right": fusion["expected"]["order"]}}, 1e-9)
    assert check_case({**CASES["bad_k_zero"], "expected_error": "bad_id"}, 1e-9)


@pytest.mark.parametrize(
    ("name", "key", "wrong"),
    [
        ("typical_small_sample", "p_t", 0.0711),
        ("typical_small_sample", "extreme", 95),
        ("single_question", "t", 0),
        ("grouped_by_answer_location", "p_permutation_by_group", 0.0625),
        ("wilson_24_of_30", "low", 0.6270),
        ("wilson_no_trials", "low", 0),
        ("holm_four", "adjusted", [0.03, 0.06, 0.06]),
        ("holm_four", "reject", [True, True, False, True]),
        ("mde_thirty_questions", "mde_t", 0.1534),
        ("mde_thirty_hits", "n_required", 784),
        ("bootstrap_clusters_agree", "by_group", "undefined"),
        ("bootstrap_one_group", "by_group", {"low": [0.1, 0.1], "high": [0.4, 0.4]}),
        ("bootstrap_no_spread", "by_question", {"low": [0.21, 0.22], "high": [0.2, 0.2]}),
    ],
)
def test_a_wrong_statistic_is_caught(name: str, key: str, wrong: object) -> None:
    case = CASES[name]
    assert key in case["expected"]
    assert check_case({**case, "expected": {**case["expected"], key: wrong}}, 1e-9)


def test_a_slip_a_wrong_range_and_a_wrong_error_are_caught() -> None:
    case = CASES["typical_small_sample"]
    right = {"p_t": {"right_called_wrong": case["expected"]["p_t"]}}
    assert check_case({**case, "wrong_values": right}, 1e-9)
    refused = {key: value for key, value in case.items() if key != "expected"}
    assert check_case({**refused, "expected_error": "empty"}, 1e-9)
    case = CASES["thirty_questions"]
    wrong = {**case["expected"], "monte_carlo": {"resamples": 20_000, "low": 0.5, "high": 0.6}}
    assert check_case({**case, "expected": wrong}, 1e-9)
    case = CASES["bootstrap_uneven_groups"]
    assert check_case({**case, "group_interval_is": "narrower"}, 1e-9)
    for name in ("bad_bounds", "length_mismatch"):
        assert bool(check_case({**CASES["unequal_lengths"], "expected_error": name}, 1e-9)) == (name == "bad_bounds")


@pytest.mark.parametrize("kind", ["unheard_of", "paired ", "mde", None])
def test_an_unknown_kind_is_a_failure(kind: str | None) -> None:
    assert check_case({**CASES["mrr_cut"], "kind": kind}, 1e-9)


def test_a_file_without_cases_is_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_text('{"cases": []}')
    assert [outcome.failures for outcome in check_file(path)] == [["holds no cases"]]


def test_the_runner_counts_and_exits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps({"tolerance": 1e-9, "cases": [{**CASES["mrr_cut"], "kind": "?"}]}))
    assert main([str(FOLDER / "metrics_cases.json")]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "84 passed, 0 failed"
    assert main([str(FOLDER / "statistics_cases.json")]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "61 passed, 0 failed"
    assert main([str(path)]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "0 passed, 1 failed"


def test_the_package_itself_stays_light() -> None:
    code = (
        "import sys, rag_ablation; assert 'numpy' not in sys.modules; "
        "rag_ablation.evaluate, rag_ablation.fuse; "
        "heavy = {'scipy', 'torch', 'mlflow', 'pandas', 'pyarrow'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
