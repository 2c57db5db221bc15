"""Attempts on a plan and on what it was frozen over, and which plan may run on which holdout."""

import json
import random
import shutil
from pathlib import Path

import pytest

from rag_ablation.commands import _plan_check
from rag_ablation.core.digest import digest_json
from rag_ablation.holdout.freeze import LAYOUT, read_plan
from rag_ablation.tracking.files import read_record
from tests.e2e.holdouts import HELD, PLAN, STUDY, Bench, replace_in
from tests.e2e.studies import write_definition

AS_FROZEN = "the plan 'v1' cannot be run: not everything is as it was frozen"
SPENT = "this holdout is spent: plan 'v1' of study 'tiny'"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"smallest_difference": 0.02', '"smallest_difference": 0.01'),
        ('"confidence": 0.95', '"confidence": 0.8'),
        ('"b": 0,', '"b": 0.75,'),
        ('"relevant_from": 1', '"relevant_from": 2'),
        ('"primary": "final/ndcg@10"', '"primary": "final/recall@10"'),
        ('"fold": null', '"fold": 1'),
        ('"frozen": "2', '"frozen": "1'),
        ('"seen": 0', '"seen": 1'),
    ],
)
def test_an_edited_plan_is_refused(frozen: Bench, old: str, new: str) -> None:
    replace_in(frozen.plan_file, old, new)
    said = frozen.refused(*frozen.holdout())
    assert "the plan was edited after it was frozen. Freeze anew" in said
    assert str(frozen.plan_file) in said


def test_a_plan_that_says_something_twice_is_refused(frozen: Bench) -> None:
    """A reader sees the first rule, a program the last."""
    replace_in(frozen.plan_file, '"rule": {', '"rule": {"primary": "final/hit@1"},\n "rule": {')
    assert "found the key twice in one object" in frozen.refused(*frozen.holdout())


def test_a_plan_without_its_baselines_is_refused(frozen: Bench) -> None:
    form = json.loads(frozen.plan_file.read_text())
    form["baselines"] = []
    frozen.plan_file.write_text(json.dumps(form))
    assert "edited after it was frozen" in frozen.refused(*frozen.holdout())


def test_a_plan_with_any_character_changed_is_refused(frozen: Bench) -> None:
    text, drawn = frozen.plan_file.read_text(encoding="utf-8"), random.Random(3)
    plan = frozen.plan
    for place in drawn.sample(range(len(text)), 60):
        other = drawn.choice([char for char in 'x7 "' if char != text[place]])
        frozen.plan_file.write_text(text[:place] + other + text[place + 1 :], encoding="utf-8")
        done = frozen.do("freeze", "show", PLAN, "--study", STUDY)
        if done.status == 0:  # a blank for a line's end is no edit
            assert read_plan(frozen.plan_file) == plan
        else:
            assert done.status == 2, done.said
            assert "expected" in done.said


def test_settings_edited_with_a_new_digest_do_not_fit_the_digest_of_the_settings(frozen: Bench) -> None:
    forge(frozen, lambda form: form["candidate"]["settings"]["scoring"].update(relevant_from=2))
    said = frozen.refused(*frozen.holdout())
    assert AS_FROZEN in said
    assert "arm A2: settings: found" in said


def test_a_setting_that_no_version_has_is_named(frozen: Bench) -> None:
    forge(frozen, lambda form: form["candidate"]["settings"]["sparse"].update(bogus=2))
    assert "arm A2: its frozen settings cannot be read by this version" in frozen.refused(*frozen.holdout())


def test_a_plan_forged_after_the_opening_is_another_plan(spent: Bench) -> None:
    forge(spent, lambda form: form["rule"].update(smallest_difference=0.0))
    said = spent.refused(*spent.holdout())
    assert SPENT in said
    assert "opened 28 of its 28 questions" in said
    assert '--spend-again --reason "…"' in said


def test_fingerprints_left_out_of_a_forged_plan_are_missed(frozen: Bench) -> None:
    forge(frozen, lambda form: form.update(fingerprints={}))
    said = frozen.refused(*frozen.holdout())
    for part in ("corpus", "queries", "labels", "split", "code"):
        assert f"{part}: found {frozen.split.digest()[:12] if part == 'split' else ''}" in said
    assert "expected none… as frozen" in said


def forge(bench: Bench, edit) -> None:  # type: ignore[no-untyped-def]
    """Edit a plan and give it the digest of its new content."""
    form = json.loads(bench.plan_file.read_text(encoding="utf-8"))
    form.pop("digest")
    edit(form)
    form["digest"] = digest_json(form)
    assert form["layout"] == LAYOUT
    bench.plan_file.write_text(json.dumps(form), encoding="utf-8")


def test_a_plan_copied_under_another_name_is_refused(frozen: Bench) -> None:
    copy = shutil.copy(frozen.plan_file, frozen.home / "frozen" / "v2.json")
    said = frozen.refused("holdout", "--study", STUDY, "--name", "v2")
    assert "the name of the file: it was renamed or copied" in said
    assert str(copy) in said


def test_a_plan_that_is_not_there_is_named_with_those_that_are(frozen: Bench) -> None:
    said = frozen.refused("holdout", "--study", STUDY, "--name", "v9")
    assert "found 'v9', expected a plan of study tiny (v1); make it: rag-ablation freeze" in said


@pytest.mark.parametrize("state", ["frozen", "spent"])
def test_the_same_arm_is_not_frozen_under_a_second_name(request: pytest.FixtureRequest, state: str) -> None:
    bench: Bench = request.getfixturevalue(state)
    said = bench.refused(*bench.freeze(name="v2"))
    assert "the plan 'v1'" in said
    assert "A second name for it would be a second look; use that one" in said


def test_another_plan_of_the_same_name_is_refused(frozen: Bench) -> None:
    said = frozen.refused(*frozen.freeze("--baseline", "A2", arm="A"))
    assert "holds another plan" in said
    assert "choose another --name" in said


def test_freezing_the_same_again_changes_nothing(frozen: Bench) -> None:
    before = frozen.plan_file.read_bytes()
    frozen.well(*frozen.freeze())
    assert frozen.plan_file.read_bytes() == before


def test_a_renamed_study_frozen_again_is_the_same_plan_and_replays(spent: Bench) -> None:
    home = write_definition(spent.root, spent.data, name="other")
    spent.well("study", "run", "other")
    spent.well(*spent.freeze(study="other"))
    assert read_plan(home / "frozen" / "v1.json").identity() == spent.plan.identity()
    assert "replayed" in spent.well("holdout", "--study", "other", "--name", PLAN).out
    assert spent.kinds().count("opened") == 1


def test_another_candidate_is_refused_on_a_spent_holdout(spent: Bench) -> None:
    said = spent.refused(*spent.freeze("--baseline", "A2", arm="A", name="v2"))
    assert "the holdout is no longer unseen: 28 of 28 questions seen before" in said
    assert "opened" in said


def test_another_candidate_frozen_before_the_opening_is_refused_after_it(frozen: Bench) -> None:
    frozen.well(*frozen.freeze("--baseline", "A2", arm="A", name="v2"))
    frozen.well(*frozen.holdout())
    said = frozen.refused("holdout", "--study", STUDY, "--name", "v2")
    assert SPENT in said
    assert "A second plan on the same questions would be tuned on what the first one showed" in said


def test_spending_again_needs_a_reason(spent: Bench) -> None:
    words = spent.freeze("--baseline", "A2", "--spend-again", arm="A", name="v2")
    assert "--reason: found nothing, expected why, in words" in spent.refused(*words)
    assert "--reason: found nothing" in spent.refused(*words, "--reason", "  ")


def test_spending_again_with_a_reason_is_marked_everywhere(spent: Bench) -> None:
    again = ("--spend-again", "--reason", "the first rule was wrong")
    spent.well(*spent.freeze("--baseline", "A2", *again, arm="A", name="v2"))
    assert SPENT in spent.refused("holdout", "--study", STUDY, "--name", "v2")
    out = spent.well("holdout", "--study", STUDY, "--name", "v2", *again).out
    assert "mark: holdout used 2 times; no longer unseen" in out
    assert "mark: 28 of 28 holdout questions had been seen before it was opened" in out
    assert "mark: frozen over questions that had been seen, because: the first rule was wrong" in out
    opened = [entry for entry in spent.entries() if entry.kind == "opened"]
    assert [entry.details["times"] for entry in opened] == [1, 2]
    assert opened[1].details["reason"] == "the first rule was wrong"
    marked = [record for record in map(read_record, spent.runs(HELD)) if record.holdout["name"] == "v2"]
    assert len(marked) == 2
    assert all("holdout used 2 times; no longer unseen" in record.holdout["marks"] for record in marked)


@pytest.mark.parametrize(
    ("part", "file", "old", "new"),
    [
        ("corpus", "corpus.jsonl", "amber", "ember"),
        ("queries", "queries.jsonl", "plantedtext", "plantedtexu"),
        ("labels", "queries.jsonl", "plantedanswer", "plantedanswes"),
        ("labels", "qrels.tsv", "\t2\n", "\t1\n"),
        ("about", "dataset.yaml", "language: en", "language: zh"),
    ],
)
def test_data_that_changed_since_are_named(frozen: Bench, part: str, file: str, old: str, new: str) -> None:
    replace_in(frozen.data / file, old, new)
    said = frozen.refused(*frozen.holdout())
    assert AS_FROZEN in said
    then = frozen.plan.fingerprints[part]
    assert f"{part}: found " in said
    assert f"expected {then[:12]}… as frozen" in said


def test_code_that_changed_since_is_named(frozen: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_plan_check, "package_code", lambda: "0" * 64)
    said = frozen.refused(*frozen.holdout())
    assert "code: found 000000000000…, expected" in said


def test_a_swapped_split_is_no_split(frozen: Bench) -> None:
    form = json.loads(frozen.split_file.read_text())
    form["dev"], form["holdout"] = form["holdout"], form["dev"]
    frozen.split_file.write_text(json.dumps(form))
    for words in (frozen.holdout(), frozen.run(), frozen.freeze(name="v2"), ("data", "stats", str(frozen.data))):
        said = frozen.refused(*words)
        assert "digest" in said
        assert "the file was edited after it was written" in said


def test_a_swapped_split_with_its_own_digest_is_not_the_plans(frozen: Bench) -> None:
    form = json.loads(frozen.split_file.read_text())
    form["dev"], form["holdout"] = form["holdout"], form["dev"]
    del form["digest"]
    form["digest"] = digest_json(form)
    frozen.split_file.write_text(json.dumps(form))
    said = frozen.refused(*frozen.holdout())
    assert "split: found " in said
    assert AS_FROZEN in said


@pytest.mark.parametrize(
    ("field", "why"),
    [
        ("groups", "the file was edited after it was written"),
        ("audit", "the file was edited after it was written"),
        ("side", "on both sides, expected each group on one side"),
    ],
)
def test_an_edited_split_is_no_split(frozen: Bench, field: str, why: str) -> None:
    form = json.loads(frozen.split_file.read_text())
    if field == "groups":
        name = next(iter(form["holdout"]))
        form["holdout"][name] += 100
    elif field == "audit":
        form["audit"]["n"] = 3
    else:
        name = next(iter(form["holdout"]))
        form["dev"][name] = form["holdout"].pop(name)
    frozen.split_file.write_text(json.dumps(form))
    for words in (frozen.run(), frozen.holdout()):
        said = frozen.refused(*words)
        assert "splits/default.json is no usable split file" in said
        assert why in said


def test_a_dictionary_whose_byte_flipped_is_another_model(tuned: Bench, tmp_path: Path) -> None:
    words = tuned.root / "words.txt"
    words.write_text("amber apple 3 n\n")
    arms = [
        {"key": "A", "set": "variant=bm25"},
        {"key": "J", "set": f"variant=bm25 sparse.analyser=jieba sparse.user_dictionary={words}", "parents": ["A"]},
    ]
    write_definition(tuned.root, tuned.data, name="words", study={"arms": arms})
    tuned.well("study", "run", "words")
    tuned.well(*tuned.freeze(arm="J", study="words"))
    content = bytearray(words.read_bytes())
    content[0] ^= 1
    words.write_bytes(bytes(content))
    said = tuned.refused("holdout", "--study", "words", "--name", PLAN)
    assert "arm J" in said
    assert "as frozen" in said
