import math

import pytest

from rag_ablation.core.errors import InputRefused
from rag_ablation.measures.pairs import average_repeats, paired_bootstrap, paired_test, pairs


def test_groups_are_numbered_whatever_they_are_called() -> None:
    found = pairs([0, 1, 1], [1, 1, 0], ["4.2", None, "4.2"])
    assert found.groups.tolist() == [0, 1, 0]
    assert pairs([0, 1], [1, 1]).groups.tolist() == [0, 1]


@pytest.mark.parametrize("wrong", [math.nan, math.inf, True, "0.5"])
def test_what_is_no_finite_number_is_no_score(wrong: object) -> None:
    with pytest.raises(InputRefused, match="candidate, entry 2") as refused:
        pairs([0, 1], [1, wrong])
    assert refused.value.reason == "not_finite"


def test_a_missing_answer_is_refused_as_a_missing_score_is() -> None:
    with pytest.raises(InputRefused) as refused:
        average_repeats([[1, None]])
    assert refused.value.reason == "missing_score"


def test_the_tests_by_group_stand_beside_those_by_question() -> None:
    found = pairs([0] * 6, [0.5, 0.5, 0.5, 0.2, 0.2, 0.2], ["a"] * 3 + ["b"] * 3)
    got = paired_test(found)
    assert (got.by_question.p, got.by_group.p) == (2 / 2**6, 2 / 2**2)
    assert got.t.p < got.t_by_group.p
    ends = paired_bootstrap(found, seed=4)
    assert (ends.by_group.low, ends.by_group.high) == pytest.approx((0.2, 0.5))
