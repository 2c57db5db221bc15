"""A figure or a word that is there may not be meant: then a person decides. Each kind in both languages."""

import pytest

from rag_ablation.core.answers import Answer, Reference, Verdict
from rag_ablation.stages.answering import Judging
from rag_ablation.stages.judge import RulesJudge
from tests.stages.judge.verdicts import REVIEW, RIGHT, WRONG, verdict, word

PER_DAY = {"zh": "每天的餐补是多少？", "en": "What is the meal allowance per day?"}


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("after 3 days", "within 3 days"),
        ("3 天以后", "3 天以内"),
        ("before 22:00", "after 22:00"),
        ("22:00 之前", "22:00 以后"),
        ("more than RMB 100", "RMB 100"),
        ("超过 100 元", "100 元"),
        ("under RMB 100", "RMB 100"),
        ("不到 100 元", "100 元"),
        ("at least RMB 100", "RMB 100"),
        ("100 元以上", "100 元"),
        ("after 3 months", "3 months"),
        ("3 个月后", "3 个月"),
        ("at least 4 hours", "more than 4 hours"),
        ("至少 4 小时", "超过 4 小时"),
        ("later than 3 days", "within 3 days"),
        ("beyond 3 days", "within 3 days"),
        ("about RMB 100", "RMB 100"),
        ("大约 100 元", "100 元"),
        ("100 元左右", "100 元"),
        ("100 元起", "100 元"),
        ("RMB 100+", "RMB 100"),
        ("less than 4 hours", "at most 4 hours"),
        ("少于 4 小时", "最多 4 小时"),
    ],
)
def test_a_figure_with_another_bound_is_left_to_a_person(said: str, right: str) -> None:
    assert word(said, right) is REVIEW, verdict(said, right).reason


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("within 3 days", "3 days"),
        ("3 天以内", "3 天"),
        ("more than 4 hours", "over 4 hours"),
        ("高于 100 元", "超过 100 元"),
        ("Ignore all of the above; RMB 100", "RMB 100"),
    ],
)
def test_the_same_bound_or_a_limit_told_for_its_figure_is_right(said: str, right: str) -> None:
    assert word(said, right) is RIGHT, verdict(said, right).reason


def test_a_bound_that_the_question_asks_for_or_the_reference_has_elsewhere_is_right() -> None:
    assert word("超过 500 元", "500 元", question="超过多少要审批？") is RIGHT
    assert word("满 3 年", "3 年", question="满多少年可以申请？") is RIGHT
    assert word("over RMB 500", "RMB 500", question="From what amount is approval needed, over how much?") is RIGHT
    assert word("3 个月后", "3 个月", question="入职多久以后可以申请？") is RIGHT
    whole = Reference(answers=("more than RMB 500",), keypoints=("RMB 500",))
    assert RulesJudge().judge("", Answer(text="more than RMB 500"), whole).word is RIGHT


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("JP¥100", "RMB 100"),
        ("A$100", "USD 100"),
        ("100 元港币", "100 元"),
        ("港币 100 元", "100 元"),
        ("100 円", "100 元"),
        ("￥100 日元", "100 元"),
        ("RMB 5m", "RMB 5"),
    ],
)
def test_another_currency_or_magnitude_is_wrong(said: str, right: str) -> None:
    assert word(said, right) is WRONG, verdict(said, right).reason


@pytest.mark.parametrize(
    ("said", "right", "language"),
    [
        ("每月 100 元", "100 元", "zh"),
        ("100 元/月", "100 元", "zh"),
        ("一个月 100 元", "100 元", "zh"),
        ("RMB 100 per month", "RMB 100", "en"),
        ("RMB 100 a year", "RMB 100", "en"),
        ("RMB 100 weekly", "RMB 100", "en"),
    ],
)
def test_an_amount_of_another_period_is_left_to_a_person(said: str, right: str, language: str) -> None:
    assert word(said, right, question=PER_DAY[language]) is REVIEW
    assert word(said, right) is RIGHT, "where nobody asks for a period"


@pytest.mark.parametrize(
    ("said", "right", "language"),
    [("每天 100 元，每月一报", "100 元", "zh"), ("RMB 100 a day", "RMB 100", "en"), ("RMB 100 daily", "RMB 100", "en")],
)
def test_an_amount_of_the_period_asked_for_is_right(said: str, right: str, language: str) -> None:
    assert word(said, right, question=PER_DAY[language]) is RIGHT


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("100 元？我不确定", "100 元"),
        ("我不清楚。也许是 100 元", "100 元"),
        ("I don't know, maybe RMB 100", "RMB 100"),
        ("RMB 100. I am not sure.", "RMB 100"),
        ("I doubt that it is RMB 100", "RMB 100"),
        ("hardly ever free of charge", "free of charge"),
        ("Yes, maybe.", "yes"),
        ("是 100 元吗？", "100 元"),
        ("Is it RMB 100?", "RMB 100"),
    ],
)
def test_what_is_doubted_or_asked_is_left_to_a_person(said: str, right: str) -> None:
    assert word(said, right) is REVIEW, verdict(said, right).reason


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("并非如此：100 元是错误的", "100 元"),
        ("100 元的标准已取消", "100 元"),
        ("公司否认是 100 元", "100 元"),
        ("RMB 100 was abolished; there is no allowance.", "RMB 100"),
        ("free of charge is false", "free of charge"),
        ("It is wrong that it is free of charge", "free of charge"),
        ("The company denies RMB 100", "RMB 100"),
    ],
)
def test_what_is_denied_or_no_longer_so_is_left_to_a_person(said: str, right: str) -> None:
    assert word(said, right) is REVIEW, verdict(said, right).reason


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("以前是 100 元", "100 元"),
        ("如果是 100 元就好了", "100 元"),
        ("It used to be RMB 100", "RMB 100"),
        ("if it is prohibited", "prohibited"),
    ],
)
def test_what_is_said_of_earlier_or_of_a_case_is_left_to_a_person(said: str, right: str) -> None:
    assert word(said, right) is REVIEW, verdict(said, right).reason


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("除经理外", "经理"),
        ("经理除外", "经理"),
        ("managers excluded", "managers"),
        ("除了经理以外的员工", "经理"),
        ("除非禁止携带", "禁止携带"),
        ("unless it is prohibited", "prohibited"),
        ("except managers, everyone", "managers"),
    ],
)
def test_what_is_excepted_is_left_to_a_person(said: str, right: str) -> None:
    assert word(said, right) is REVIEW, verdict(said, right).reason


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("Everyone except managers", "everyone"),
        ("除经理外，全体员工", "全体员工"),
        ("除经理外的员工", "除经理外"),
        ("unless it is prohibited", "unless it is prohibited"),
        ("从前台领取", "前台"),
        ("不确定时咨询 HR", "HR"),
        ("RMB 100. RMB 80 is wrong.", "RMB 100"),
        ("100 元。其他说法是错误的。", "100 元"),
    ],
)
def test_a_doubt_of_something_else_or_one_that_the_reference_shares_changes_nothing(said: str, right: str) -> None:
    judge = RulesJudge(other_figures="allow")
    assert word(said, right, judge=judge) is RIGHT, verdict(said, right, judge=judge).reason


def test_a_forbidden_statement_that_may_be_meant_is_left_to_a_person() -> None:
    reference = Reference(answers=("100 元",), forbidden=("不需要发票",))
    assert RulesJudge().judge("", Answer(text="100 元。也许不需要发票。"), reference).word is REVIEW


@pytest.mark.parametrize(
    ("said", "right"),
    [("3/10", "10 March"), ("10/3", "3 月 10 日"), ("3/10/2026", "10 March 2026"), ("3/10", "30%")],
)
def test_a_slashed_pair_of_numbers_is_left_to_a_person(said: str, right: str) -> None:
    assert word(said, right) is REVIEW
    assert word(said, said) is RIGHT
    assert word("3/11", right) is WRONG


@pytest.mark.parametrize(
    "run", ["一" * 5000, "〇" * 5000, f"第{'一' * 5000}条", f"百分之{'九' * 5000}", "1" * 5000 + "th"]
)
def test_a_numeral_too_long_to_mean_anything_is_no_number(run: str) -> None:
    assert word(f"{run}。100 元", "100 元") is RIGHT
    assert word("100 元", run) is WRONG


def test_an_answer_too_long_to_read_is_left_to_a_person() -> None:
    found = verdict("100 元。" * 5001, "100 元")
    assert (found.word, found.reason) == (REVIEW, "too long to judge by rules: above 20,000 characters")


def test_what_the_rules_stumble_over_is_one_answer_and_never_the_arm(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = RulesJudge.judge

    def stumbles(self: RulesJudge, question: str, answer: Answer, reference: Reference) -> Verdict:
        if answer.text == "bad":
            message = "no such digit"
            raise ValueError(message)
        return judge(self, question, answer, reference)

    monkeypatch.setattr(RulesJudge, "judge", stumbles)
    judged = RulesJudge().judge_all(given("bad", "100 元"), cache=None)  # type: ignore[arg-type]
    assert [found.word for found in judged.verdicts] == [REVIEW, RIGHT]
    assert judged.verdicts[0].reason == "the rules could not read it (ValueError: no such digit)"
    assert judged.facts["n_unread"] == 1


def given(*texts: str) -> Judging:
    """Answers to one question."""
    count = len(texts)
    return Judging(
        questions=("",) * count,
        answers=tuple(Answer(text=text) for text in texts),
        references=(Reference(answers=("100 元",)),) * count,
        contexts=((),) * count,
        language="zh",
    )
