"""A plan is what was written: read back equal, refused when edited, and known by what it does alone."""

import json
import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_ablation.core.errors import HoldoutError
from rag_ablation.holdout.freeze import (
    IDENTITY,
    FrozenPlan,
    differences,
    plans,
    read_plan,
    write_plan,
)
from tests.holdout.plans import PARTS, SETTINGS, WORDS, with_other
from tests.holdout.plans import plans as any_plan

FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
UNSAID = ("name", "study", "question", "frozen", "dataset", "tracking", "checkout", "chosen_on", "can_show", "seen")


def written(plan: FrozenPlan, folder: str) -> Path:
    return write_plan(plan, Path(folder))


def digest_or_none(path: Path) -> str | None:
    """Digest of a plan, None where it is refused."""
    try:
        return read_plan(path).digest()
    except HoldoutError:
        return None


@FEW
@given(any_plan())
def test_a_plan_is_read_as_it_was_written(plan: FrozenPlan) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = read_plan(written(plan, folder))
    assert found.form() == plan.form()
    assert found.digest() == plan.digest()
    assert found.identity() == plan.identity()
    assert found.identity_but_code() == plan.identity_but_code()
    assert differences(found, plan) == []


@FEW
@given(any_plan())
def test_a_plan_that_was_read_is_written_to_the_same_bytes(plan: FrozenPlan) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        first = written(plan, one)
        second = written(read_plan(first), other)
        assert first.read_bytes() == second.read_bytes()


@FEW
@given(any_plan(), st.data())
def test_a_plan_with_one_character_changed_is_refused_or_says_the_same(plan: FrozenPlan, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = written(plan, folder)
        text = path.read_text(encoding="utf-8")
        at = data.draw(st.integers(0, len(text) - 1))
        new = data.draw(st.sampled_from(list('0aZ "{,\n')) | st.just(""))
        path.write_text(text[:at] + new + text[at + 1 :], encoding="utf-8", newline="")
        assert digest_or_none(path) in (None, plan.digest())


@FEW
@given(any_plan(), st.data())
def test_a_plan_with_a_character_more_is_refused_or_says_the_same(plan: FrozenPlan, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = written(plan, folder)
        text = path.read_text(encoding="utf-8")
        at = data.draw(st.integers(0, len(text)))
        new = data.draw(st.sampled_from(list('0aZ "{,\n\ufeff')))
        path.write_text(text[:at] + new + text[at:], encoding="utf-8", newline="")
        assert digest_or_none(path) in (None, plan.digest())


@FEW
@given(any_plan(), st.sampled_from(UNSAID), st.data())
def test_names_times_and_what_was_known_then_are_no_part_of_what_a_plan_does(
    plan: FrozenPlan, field: str, data: st.DataObject
) -> None:
    given_one = getattr(plan, field)
    new = data.draw(WORDS if isinstance(given_one, str) else SETTINGS)
    other = with_other(plan, field, new)
    assert other.identity() == plan.identity()
    assert (other.digest() == plan.digest()) == (other.form() == plan.form())


@FEW
@given(any_plan(), any_plan())
def test_everything_else_is(plan: FrozenPlan, other: FrozenPlan) -> None:
    for field in IDENTITY:
        mixed = with_other(plan, field, getattr(other, field))
        same = mixed.form()[field] == plan.form()[field]
        assert (mixed.identity() == plan.identity()) == same, field


def test_every_field_of_a_plan_is_either_part_of_what_it_does_or_known_not_to_be() -> None:
    assert {*IDENTITY, *UNSAID, "ledger"} == set(FrozenPlan.__slots__)


@FEW
@given(any_plan(), st.sampled_from(PARTS))
def test_what_a_mended_program_shares_is_all_but_the_code(plan: FrozenPlan, part: str) -> None:
    other = replace(plan, fingerprints={**plan.fingerprints, part: "another"})
    assert other.identity() != plan.identity()
    assert (other.identity_but_code() == plan.identity_but_code()) == (part == "code")


@FEW
@given(any_plan(), any_plan())
def test_differences_name_each_field_that_differs_and_no_other(plan: FrozenPlan, other: FrozenPlan) -> None:
    found = differences(plan, other)
    assert all(before != after for _, before, after in found)
    assert sorted((name, after, before) for name, before, after in differences(other, plan)) == sorted(found)
    named = {name.partition(".")[0] for name, _, _ in found}
    fields = [field for field in FrozenPlan.__slots__ if field not in ("frozen", "ledger")]
    assert named == {field for field in fields if said(plan.form()[field]) != said(other.form()[field])}


def said(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@FEW
@given(any_plan(), any_plan())
def test_a_second_plan_never_overwrites_a_first(plan: FrozenPlan, other: FrozenPlan) -> None:
    other = replace(other, name=plan.name)
    with tempfile.TemporaryDirectory() as folder:
        path = written(plan, folder)
        before = path.read_bytes()
        if other.identity() == plan.identity():
            assert written(other, folder) == path
        else:
            with pytest.raises(HoldoutError, match="which stays as it is: choose another --name"):
                written(other, folder)
        assert path.read_bytes() == before


@FEW
@given(any_plan(), WORDS)
def test_a_plan_that_does_the_same_has_no_second_name(plan: FrozenPlan, frozen: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        written(plan, folder)
        with pytest.raises(HoldoutError, match="A second name for it would be a second look"):
            written(replace(plan, name=f"{plan.name}-2", frozen=frozen), folder)
        assert len(plans(Path(folder))) == 1


@FEW
@given(any_plan(), st.sampled_from(FrozenPlan.__slots__))
def test_a_plan_without_one_of_its_fields_is_none(plan: FrozenPlan, field: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = written(plan, folder)
        form = json.loads(path.read_text(encoding="utf-8"))
        del form[field]
        path.write_text(json.dumps(form), encoding="utf-8")
        with pytest.raises(HoldoutError, match="expected a file that rag-ablation freeze wrote"):
            read_plan(path)


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b"{}", b"\xff\xfe", b"[" * 100_000, b'{"digest": 1}'])
def test_what_is_no_plan_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "v1.json"
    path.write_bytes(content)
    with pytest.raises(HoldoutError, match=r"v1\.json"):
        read_plan(path)


@FEW
@given(any_plan())
def test_the_spelling_of_the_file_is_no_edit(plan: FrozenPlan) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = written(plan, folder)
        text = path.read_text(encoding="utf-8")
        for spelt in ("\ufeff" + text, text.replace("\n", "\r\n"), "\n\n" + text, json.dumps(json.loads(text))):
            path.write_text(spelt, encoding="utf-8", newline="")
            assert read_plan(path).digest() == plan.digest()


@FEW
@given(any_plan())
def test_arms_come_baselines_first(plan: FrozenPlan) -> None:
    assert [asdict(arm) for arm in plan.arms] == [*map(asdict, plan.baselines), asdict(plan.candidate)]
