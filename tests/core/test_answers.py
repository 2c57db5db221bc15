"""What the labels of a question say would have been right."""

import pytest

from rag_ablation.core.answers import Reference, reference_of
from rag_ablation.core.errors import DataError
from rag_ablation.core.queries import Status


def test_any_of_the_answers_is_right_and_the_whole_answer_may_be_said() -> None:
    labels = {"answer": "每公里 1.2 元包干。", "answers": ["1.2 元", "1.2元"]}
    assert reference_of(labels, Status.REVIEWED) == Reference(
        answers=("1.2 元", "1.2元"), optional=("每公里 1.2 元包干。",)
    )


def test_without_answers_the_whole_answer_is_the_right_one() -> None:
    assert reference_of({"answer": "200 元"}, Status.REVIEWED) == Reference(answers=("200 元",))


def test_key_points_are_strings_or_objects_that_say_their_use() -> None:
    points = [
        "80%",
        {"text": "10,000 元"},
        {"text": "凭发票", "required": False},
        {"text": "无上限", "forbidden": True},
    ]
    found = reference_of({"keypoints": points}, Status.REVIEWED)
    assert found == Reference(keypoints=("80%", "10,000 元"), optional=("凭发票",), forbidden=("无上限",))


def test_a_question_without_answer_is_not_answerable() -> None:
    assert not reference_of({}, Status.NO_ANSWER).answerable


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"keypoints": ["a", 2]}, "keypoints: found 2"),
        ({"keypoints": [{"text": "a", "needed": True}]}, "keypoints: found {'text': 'a', 'needed': True}"),
        ({"keypoints": [{"text": "a", "required": "no"}]}, "keypoints: found"),
        ({"keypoints": "a"}, "keypoints: found 'a', expected a list"),
        ({"answers": [1]}, "answers: found [1], expected a list of strings"),
        ({"answer": 3}, "answer: found [3]"),
    ],
)
def test_a_label_of_another_form_is_named(labels: dict[str, object], message: str) -> None:
    with pytest.raises(DataError) as caught:
        reference_of(labels, Status.REVIEWED)
    assert message in str(caught.value)


def test_an_unreviewed_question_has_no_reference() -> None:
    with pytest.raises(DataError, match="status: found unreviewed"):
        reference_of({"answer": "a"}, Status.UNREVIEWED)
