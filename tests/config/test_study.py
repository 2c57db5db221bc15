"""From the `study` section to what a study declares: every problem is named together."""

import pytest

from rag_ablation.cli.hydra_words import grid
from rag_ablation.config.study import study_from
from rag_ablation.core.errors import ConfigError
from rag_ablation.experiment.study import Role, Study
from tests.paths import ROOT

SHIPPED = ("ladder_zh", "ladder_en")


def section(**changed: object) -> dict[str, object]:
    return {
        "question": "does it pay?",
        "primary": "final/ndcg@10",
        "smallest_difference": 0.02,
        "latency": None,
        "arms": [
            {"key": "A", "set": "variant=bm25", "watch": {"en": "codes", "zh": "编号"}},
            {"key": "B", "set": "variant=dense", "parents": ["A"]},
            {"key": "C", "set": "variant=rrf", "parents": ["A", "B"]},
            {"key": "Oracle", "set": "variant=oracle", "role": "bracket"},
        ],
        "sweeps": [{"arm": "C", "set": "fusion.rank_constant=1,60 fusion.window=20,100"}],
        "watched": [{"child": "C", "parent": "A", "type": "exact_code"}],
        "arm": None,
        **changed,
    }


def study(**changed: object) -> Study:
    return study_from(section(**changed), "ladder", grid)


def said(**changed: object) -> str:
    with pytest.raises(ConfigError) as caught:
        study(**changed)
    return str(caught.value)


def test_the_family_is_every_arm_against_each_of_its_parents_in_ladder_order() -> None:
    assert study().steps() == (("B", "A"), ("C", "A"), ("C", "B"))


def test_a_sweep_becomes_one_arm_for_each_combination_and_none_of_them_is_a_step() -> None:
    found = study()
    members = [arm for arm in found.arms if arm.role is Role.SWEEP]
    assert [arm.key for arm in members] == [
        "C rank_constant=1 window=20",
        "C rank_constant=1 window=100",
        "C rank_constant=60 window=20",
        "C rank_constant=60 window=100",
    ]
    assert members[0].overrides == ("variant=rrf", "fusion.rank_constant=1", "fusion.window=20")
    assert all(not arm.parents for arm in members)
    assert found.sweeps[0].axes == ("fusion.rank_constant", "fusion.window")


def test_members_that_are_another_arm_are_folded_into_it_and_stay_in_the_curve() -> None:
    found = study().without_equal({"C rank_constant=60 window=100": "C"})
    assert "C" in found.sweeps[0].members
    assert "C rank_constant=60 window=100" not in [arm.key for arm in found.arms]


def test_a_study_survives_being_written_down() -> None:
    assert Study.from_json(study().to_json()) == study()


def test_one_text_stands_for_both_languages() -> None:
    assert study().question == {"en": "does it pay?", "zh": "does it pay?"}
    assert study().arm("A").watch == {"en": "codes", "zh": "编号"}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"arms": []}, "study.arms: found nothing, expected at least one arm"),
        ({"primary": "ndcg"}, "study.primary: found 'ndcg', expected a point and a measure, such as final/ndcg@10"),
        ({"smallest_difference": "small"}, "study.smallest_difference"),
        ({"smallest_difference": float("nan")}, "study.smallest_difference"),
        ({"strict": "yes"}, "study.strict: found 'yes', expected true or false"),
        ({"colour": 1}, "study.colour: found a key that does not exist"),
        ({"latency": {"questions": 0}}, "study.latency"),
        ({"arms": [{"key": "A", "set": "variant=bm25", "parents": ["Z"]}]}, "expected arms before it: none"),
        (
            {"arms": [{"key": "A", "set": "variant=bm25"}, {"key": "A", "set": "variant=dense"}]},
            "expected a key that no other arm has",
        ),
        ({"arms": [{"key": "A"}]}, "study.arms[0].set"),
        ({"arms": [{"key": "A", "set": "variant=bm25", "pool": 3}]}, "study.arms[0].pool"),
        ({"arms": ["variant=bm25"]}, "study.arms[0]"),
        ({"sweeps": [{"arm": "Z", "set": "fusion.window=20,100"}]}, "study.sweeps[0].arm"),
        ({"watched": [{"child": "C", "parent": "Z", "type": "table"}]}, "study.watched[0].parent"),
        (
            {"arms": [{"key": "A", "set": "x=1"}, {"key": "O", "set": "x=2", "role": "bracket", "parents": ["A"]}]},
            "a bracket is no step",
        ),
    ],
)
def test_what_cannot_be_run_names_its_field(changed: dict[str, object], expected: str) -> None:
    assert expected in said(**changed)


def test_the_two_ladders_that_ship_differ_in_their_dataset_and_in_what_was_chosen_on_it() -> None:
    chinese, english = ((ROOT / "experiments" / name / "study.yaml").read_text(encoding="utf-8") for name in SHIPPED)
    words = {
        "handbook_zh": "handbook_en",
        "ladder_zh": "ladder_en",
        "Chinese": "English",
        "在中文": "在英文",
        "has more right outcomes there, and encodes every sentence of the handbook for it": "has fewer right outcomes there",
        "threshold: 0.227": "threshold: 0.22",
    }
    for one, other in words.items():
        chinese = chinese.replace(one, other)
    assert chinese == english


def test_all_problems_are_told_together() -> None:
    message = said(primary="ndcg", strict="yes", colour=1)
    assert all(field in message for field in ("study.primary", "study.strict", "study.colour"))
