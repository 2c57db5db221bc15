"""The primary measure by question type: exploratory, and undefined where nothing is scored."""

import numpy as np
import pytest

from rag_ablation.experiment.study import Watched
from rag_ablation.measures.uncertainty import clustered_mean, paired_difference
from rag_ablation.report.study.content import Types
from rag_ablation.report.study.inputs import StudyResults
from rag_ablation.report.study.ladder import ladder_of
from rag_ablation.report.study.question_types import types_of
from rag_ablation.report.study.shown.inline import of_type
from tests.report.study.build import DENSE, DIGESTS, arm, bracket, floats, study
from tests.report.study.texts import kinds, said

TYPES = ["code"] * 12 + ["hop"] * 20 + ["rare"] * 4 + ["no_answer"] * 3 + ["draft"]
STATUSES = ["scored"] * 36 + ["no_answer"] * 3 + ["unreviewed"]
FIRST = [0.9] * 12 + [0.2] * 20 + [0.5] * 4 + [None] * 4
SECOND = [0.4 + 0.01 * (place % 3) for place in range(12)] + [0.8] * 20 + [0.9] * 4 + [None] * 4


def results(watched: tuple[Watched, ...] = (), second: list[float | None] | None = None) -> StudyResults:
    return study(
        arm("A", FIRST, types=TYPES, statuses=STATUSES),
        arm("B", second or SECOND, types=TYPES, statuses=STATUSES, parents=("A",), settings=DENSE),
        bracket("Oracle", len(TYPES), types=TYPES),
        watched=watched,
    )


def made(found: StudyResults) -> Types:
    types = types_of(found, ladder_of(found))
    assert types is not None
    return types


def test_rows_have_most_questions_first_undefined_after_and_all_last() -> None:
    types = made(results())
    assert [row.type for row in types.rows] == ["hop", "code", "rare", "no_answer", "draft", ""]
    assert [row.n for row in types.rows] == [20, 12, 4, 0, 0, 36]
    assert [row.asked for row in types.rows] == [20, 12, 4, 3, 1, 40]
    assert types.arms == ("A", "B")
    assert types.labels == ("B − A",)


def test_cells_are_means_and_paired_differences_by_group() -> None:
    row = made(results()).rows[1]
    child, parent, groups = floats(SECOND)[:12], floats(FIRST)[:12], np.arange(12)
    mean, difference = clustered_mean(child, groups), paired_difference(child, parent, groups)
    cell = row.means["B"]
    assert (cell.value, cell.low, cell.high, cell.n, cell.n_groups) == (mean.mean, mean.low, mean.high, 12, 12)
    gap = row.differences["B − A"]
    assert (gap.value, gap.low, gap.high) == (difference.mean, difference.low, difference.high)


def test_a_type_without_scored_questions_is_undefined_and_says_why() -> None:
    row = made(results()).rows[3]
    assert row.means["A"].value is None
    assert row.undefined is not None
    assert row.undefined.plain() == "undefined: 3 no_answer (no gold by design)"
    assert row.undefined.plain("zh") == "无定义：3 题 no_answer（本无证据）"


def test_the_finding_names_the_largest_loss_with_its_interval_and_how_many_were_looked_at() -> None:
    finding = made(results()).finding.plain().replace("\u00a0", " ")
    assert finding.startswith("Dense retrieval (B) loses most against BM25 (A) on code: −0.490 (")
    assert finding.endswith("n 12, 12 groups; the largest loss among 2 differences looked at.")


def test_without_a_loss_it_names_the_largest_gain_and_without_either_says_so() -> None:
    gains: list[float | None] = [1.0] * 12 + [0.9] * 24 + [None] * 4
    assert "gains most against BM25 (A) on hop" in made(results(second=gains)).finding.plain()
    assert made(results(second=FIRST)).finding.plain() == "No interval by type excludes 0, of 2 looked at."


def test_no_cell_carries_a_verdict() -> None:
    types = made(results(watched=(Watched(child="B", parent="A", type="code"),)))
    assert not kinds(types) & {"better", "worse", "undecided"}
    assert not any(word in said(types) for word in ("better", "worse", "distinguishable"))
    assert not any(word in said(types, "zh") for word in ("优于", "差于", "无法区分"))


@pytest.mark.parametrize(
    ("watched", "expected"),
    [
        (Watched(child="B", parent="A", type="code"), "code, B − A: −0.490 (−0.495 to −0.485); nDCG@10 0.410 for B, "),
        (Watched(child="B", parent="A", type="rare"), "4 groups, under 6: too few to look at."),
        (Watched(child="B", parent="A", type="draft"), "draft, B − A: undefined, no question of this type is scored."),
        (Watched(child="B", parent="Z", type="code"), "code, B − Z: not computed, since the two arms were not both"),
        (Watched(child="A", parent="A", type="code"), "code, A − A: the two are equal on each of 12 questions"),
    ],
)
def test_watched_differences_are_said_by_name(watched: Watched, expected: str) -> None:
    (sentence,) = made(results(watched=(watched,))).watched
    assert expected in sentence.plain().replace("\u00a0", " ")


def test_contributions_of_the_types_add_up_to_the_difference() -> None:
    types = made(results())
    parts = {row.type: row.contributions for row in types.rows}
    assert sum(part.get("B − A", 0.0) for part in parts.values()) == pytest.approx(
        types.rows[-1].differences["B − A"].value
    )
    assert parts["hop"]["B − A"] == pytest.approx(20 * 0.6 / 36)
    assert parts["no_answer"] == {}


def test_the_type_that_makes_most_of_a_step_is_named_with_the_rest() -> None:
    (sentence,) = made(results()).concentration
    assert (
        sentence.plain()
        .replace("\u00a0", " ")
        .startswith("B − A +0.214: hop alone adds +0.333; on the others the difference is −0.267 (")
    )
    assert sentence.plain().replace("\u00a0", " ").endswith("n 16, 16 groups).")


def test_questions_that_are_not_scored_are_counted_by_reason_beside_their_type() -> None:
    types = ["x"] * 8 + ["y"] * 4
    values: list[float | None] = [0.5] * 5 + [None] * 3 + [0.5] * 4
    statuses = ["scored"] * 5 + ["no_answer"] * 2 + ["unreviewed"] + ["scored"] * 4
    found = made(study(arm("A", values, types=types, statuses=statuses)))
    (row,) = [row for row in found.rows if row.type == "x"]
    assert (row.asked, row.n, row.left_out) == (8, 5, {"no_answer": 2, "unreviewed": 1})
    assert of_type(row).plain() == "5 of 8 q · 5 groups · 2 no_answer · 1 unreviewed"


def test_groups_that_span_types_are_said_to() -> None:
    apart = made(study(arm("A", [0.5] * 4, types=["x", "x", "y", "y"])))
    across = made(study(arm("A", [0.5] * 4, types=["x", "x", "y", "y"], groups=[0, 1, 1, 2])))
    assert apart.notes == ()
    assert across.notes[0].plain() == (
        "Questions of several types may form one group, so the groups of the types add up to 4, not 3."
    )


def test_arms_that_do_not_compare_are_not_watched() -> None:
    found = study(
        arm("A", FIRST, types=TYPES, statuses=STATUSES),
        arm("B", SECOND, types=TYPES, statuses=STATUSES, digests={**DIGESTS, "labels": "x"}),
        watched=(Watched(child="B", parent="A", type="code"),),
    )
    assert "not computed" in made(found).watched[0].plain()


def test_one_type_is_no_section() -> None:
    found = study(arm("A", [0.1, 0.2]), arm("B", [0.1, 0.2]))
    assert types_of(found, ladder_of(found)) is None
    only_oracle = study(bracket("Oracle", 2, types=["x", "y"]))
    assert types_of(only_oracle, ladder_of(only_oracle)) is None
