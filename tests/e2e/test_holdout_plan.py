"""Attempts on the plan and on what it was frozen over; what may be frozen, and which plan may run on which holdout."""

import json
import random
import shutil
from pathlib import Path

import pytest

from rag_ablation.commands import _holdout_check, _plan_check, _plan_made, freeze
from rag_ablation.core.digest import digest_json
from rag_ablation.holdout.freeze import LAYOUT, read_plan
from rag_ablation.tracking.files import read_record
from tests.e2e.holdouts import HELD, PLAN, STUDY, Bench, replace_in, write_definition

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


@pytest.mark.parametrize("field", ["groups", "audit", "side"])
def test_an_edited_split_is_no_split(frozen: Bench, field: str) -> None:
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
    assert "splits/default.json" in frozen.refused(*frozen.run())
    assert "default.json" in frozen.refused(*frozen.holdout())


def test_labels_changed_after_the_opening_are_no_replay_but_an_amendment(spent: Bench) -> None:
    relabel(spent)
    said = spent.refused(*spent.holdout())
    assert "labels: found" in said
    first = spent.runs(HELD)
    done = spent.well(*amendment(spent))
    assert "scored again on corrected labels" in done.out
    assert "mark: relabelled after opening" in done.out
    assert set(first) < set(spent.runs(HELD))
    kept = spent.root / "studies" / STUDY / "holdout" / PLAN
    assert (kept / "holdout.json").exists()
    assert "relabelled after opening" in (kept / "amended-1" / "holdout.json").read_text()
    assert spent.kinds() == ["in_use", "opened", "closed", "amended", "closed"]
    before, after = (spent.entries()[number].details["results"] for number in (2, 4))
    assert before.keys() == after.keys()
    assert before["A"]["values"] != after["A"]["values"]
    assert before["A"]["final"] == after["A"]["final"] if "final" in before["A"] else True


def relabel(bench: Bench) -> None:
    """One gold passage of a held-out question is another one."""
    name = bench.split.holdout[0]
    replace_in(bench.data / "qrels.tsv", f"{name}\tp{int(name[1:]) // 2:02}\t2", f"{name}\tp39\t2")


def amendment(bench: Bench, *more: str) -> tuple[str, ...]:
    reason = ("--reason", "a gold passage was wrong")
    return ("holdout", "amend", "--study", STUDY, "--name", PLAN, *(more or ("--labels", *reason)))


def test_an_amendment_says_what_and_why(spent: Bench) -> None:
    relabel(spent)
    for words in (("--labels",), ("--reason", "why"), ("--labels", "--reason", " ")):
        assert 'expected what was corrected, and why: --labels --reason "…"' in spent.refused(*amendment(spent, *words))


def test_an_amendment_without_a_change_is_refused(spent: Bench) -> None:
    said = spent.refused(*amendment(spent))
    assert "the labels of made are those that plan 'v1' was scored on: nothing to amend" in said
    relabel(spent)
    spent.well(*amendment(spent))
    assert "nothing to amend" in spent.refused(*amendment(spent))


def test_an_amendment_before_the_opening_is_refused(frozen: Bench) -> None:
    relabel(frozen)
    said = frozen.refused(*amendment(frozen))
    assert "plan 'v1' has not been run on its holdout: there is nothing to amend" in said


@pytest.mark.parametrize("file", ["corpus.jsonl", "queries.jsonl"])
def test_an_amendment_of_more_than_labels_is_refused(spent: Bench, file: str) -> None:
    relabel(spent)
    replace_in(spent.data / file, "amber", "ember")
    said = spent.refused(*amendment(spent))
    assert "more than the labels has changed since it was frozen" in said


def test_an_amendment_of_another_split_is_refused(spent: Bench) -> None:
    relabel(spent)
    spent.split_file.unlink()
    spent.well("data", "split", str(spent.data), "--holdout", "0.45")
    said = spent.refused(*amendment(spent))
    assert "the split 'default' is another than that of plan 'v1'" in said


def test_a_split_that_grew_with_the_labels_is_the_same_holdout(spent: Bench) -> None:
    relabel(spent)
    spent.well("data", "split", str(spent.data), "--extend", "default")
    assert "scored again" in spent.well(*amendment(spent)).out


def test_an_arm_that_was_not_run_is_not_frozen(frozen: Bench) -> None:
    said = frozen.refused(*frozen.freeze(arm="Z", name="v2"))
    assert "--arm: found 'Z', expected an arm of study tiny: A, A2, Oracle" in said


@pytest.mark.parametrize("state", ["skipped", "not_run"])
def test_an_arm_without_a_run_is_not_frozen(tuned: Bench, state: str) -> None:
    manifest = tuned.root / "studies" / STUDY / "study.json"
    form = json.loads(manifest.read_text())
    del form["runs"]["A2"]
    form[state] = {"A2": "no model"}
    manifest.write_text(json.dumps(form))
    said = tuned.refused(*tuned.freeze())
    assert "arm A2 has no finished dev run (no model); run it: rag-ablation study run tiny" in said


def test_an_arm_that_failed_is_not_frozen(tuned: Bench) -> None:
    arms = [{"key": "A", "set": "variant=bm25"}, {"key": "B", "set": "variant=bm25 sparse.b=0"}]
    arms[1] |= {"set": "variant=bm25 sparse.analyser=jieba sparse.user_dictionary=/nowhere", "parents": ["A"]}  # type: ignore[dict-item]
    write_definition(tuned.root, tuned.data, name="bad", study={"arms": arms})
    done = tuned.do("study", "run", "bad")
    if done.status == 2:  # it never began
        assert "has no results" in tuned.refused(*tuned.freeze(arm="B", study="bad"))
        return
    said = tuned.refused(*tuned.freeze(arm="B", study="bad"))
    assert "arm B has no finished dev run" in said


def test_an_arm_of_a_sample_is_not_frozen(tuned: Bench) -> None:
    tuned.well("study", "run", STUDY, "dataset.sample=20")
    said = tuned.refused(*tuned.freeze())
    assert "ran on a sample of 20 dev questions (dataset.sample); run on all" in said


def test_an_arm_of_the_whole_set_is_not_frozen(tuned: Bench) -> None:
    kept = tuned.root / "kept.json"
    tuned.split_file.rename(kept)
    tuned.well("study", "run", STUDY, "split=none")
    kept.rename(tuned.split_file)
    said = tuned.refused(*tuned.freeze())
    assert "ran with split=none: nothing was kept apart, so it cannot be frozen" in said


@pytest.mark.parametrize(
    ("file", "old", "new"), [("corpus.jsonl", "amber", "ember"), ("dataset.yaml", "language: en", "language: zh")]
)
def test_an_arm_of_other_data_is_not_frozen(tuned: Bench, file: str, old: str, new: str) -> None:
    replace_in(tuned.data / file, old, new)
    said = tuned.refused(*tuned.freeze())
    assert "has no finished dev run of what would be frozen:" in said
    assert "changed since; run it again: rag-ablation study run tiny" in said


def test_an_arm_of_other_code_is_not_frozen(tuned: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_plan_made, "package_code", lambda: "0" * 64)
    assert "code changed since; run it again" in tuned.refused(*tuned.freeze())


def test_a_changed_tree_is_not_frozen_unless_it_is_allowed_and_marked(
    tuned: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (freeze, _plan_made):
        monkeypatch.setattr(module, "checkout", lambda: {"commit": "c" * 40, "dirty": True})
    said = tuned.refused(*tuned.freeze())
    assert (
        "src/ or conf/ differ from the commit cccccccccccc: commit first, or go on, marked, with --allow-dirty" in said
    )
    out = tuned.well(*tuned.freeze("--allow-dirty")).out
    assert "mark: frozen from a tree with changes under src/ or conf/ (--allow-dirty)" in out
    assert "mark: frozen from a tree with uncommitted changes" in tuned.well(*tuned.holdout()).out
    assert all(read_record(folder).holdout["marks"] for folder in tuned.runs(HELD))


def test_a_candidate_without_baselines_is_not_frozen(tuned: Bench) -> None:
    said = tuned.refused(*tuned.freeze(arm="A"))
    assert "--baseline: found none for A, expected one or more other arms that the candidate must beat" in said


def test_a_candidate_is_not_its_own_baseline(tuned: Bench) -> None:
    assert "--baseline: found A2 for A2" in tuned.refused(*tuned.freeze("--baseline", "A2"))
    assert "--baseline: found 'Z', expected an arm" in tuned.refused(*tuned.freeze("--baseline", "Z"))


@pytest.mark.parametrize("name", ["../v1", ".v", "", "a/b", "x" * 61, "v 1"])
def test_a_plan_has_a_name_that_can_be_a_files(tuned: Bench, name: str) -> None:
    assert "a plan's name needs letters, digits" in tuned.refused(*tuned.freeze(name=name))


def test_a_plan_replayed_with_other_libraries_says_so(spent: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    known = _holdout_check.library_versions
    monkeypatch.setattr(_holdout_check, "library_versions", lambda names: {**known(names), "numpy": "0.1"})
    n_runs = len(spent.runs(HELD))
    out = spent.well(*spent.holdout()).out
    assert "replayed" in out
    assert "not the library of the plan: numpy" in out
    replay = spent.entries()[-1]
    assert replay.kind == "replayed"
    assert replay.details["elsewhere"]
    assert replay.details["differs"] == []
    assert len(spent.runs(HELD)) == n_runs
    assert spent.kinds().count("opened") == 1


def test_a_replay_that_gives_something_else_is_refused_here_and_marked_elsewhere(
    spent: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    import rag_ablation.commands._holdout_score as scoring

    real = scoring.run

    def other(experiment, data, store, on_stage):  # type: ignore[no-untyped-def]
        return real(experiment, data.sample(range(len(data.queries.ids) - 1)), store, on_stage)

    monkeypatch.setattr(scoring, "run", other)
    done = spent.do(*spent.holdout())
    assert done.status == 2
    assert "the replay differs from what was noted when the holdout was closed" in done.err
    assert spent.entries()[-1].details["differs"]
    known = _holdout_check.library_versions
    monkeypatch.setattr(_holdout_check, "library_versions", lambda names: {**known(names), "numpy": "0.1"})
    out = spent.well(*spent.holdout()).out
    assert "mark: replayed elsewhere, with differences" in out
    assert "differs from what was noted: A" in out


def cut_off(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """An opening whose second arm fails."""
    import rag_ablation.commands._holdout_score as scoring

    with monkeypatch.context() as broken:
        real, calls = scoring.run, iter((True, False))

        def failing(*given):  # type: ignore[no-untyped-def]
            if next(calls):
                return real(*given)
            message = "the disk is full"
            raise OSError(message)

        broken.setattr(scoring, "run", failing)
        assert bench.do(*bench.holdout()).status == 2
    assert bench.kinds() == ["in_use", "opened"]
    assert not bench.runs(HELD), "of arms that ran, nothing is told before all have"


def with_other_code(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The study run again, and frozen again, by a program that was mended."""
    for module in (_plan_made, _plan_check):
        monkeypatch.setattr(module, "package_code", lambda: "1" * 64)
    monkeypatch.setattr("rag_ablation.experiment.record.package_code", lambda: "1" * 64)
    bench.well("study", "run", STUDY, "resume=false")


def test_an_opening_that_was_cut_off_is_completed_by_its_own_plan(
    frozen: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_off(frozen, monkeypatch)
    assert "completed: an earlier opening by this plan had been cut off" in frozen.well(*frozen.holdout()).out
    assert frozen.kinds() == ["in_use", "opened", "closed"]


def test_an_opening_that_was_cut_off_is_completed_by_mended_code_with_a_reason(
    frozen: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_off(frozen, monkeypatch)
    with_other_code(frozen, monkeypatch)
    frozen.well(*frozen.freeze(name="v2"))
    words = ("holdout", "--study", STUDY, "--name", "v2")
    said = frozen.refused(*words)
    assert "opened this holdout and never closed it; 'v2' differs from it in the code alone" in said
    assert '--reason "…" (what was mended)' in said
    out = frozen.well(*words, "--reason", "mended").out
    assert "completed: an earlier opening by a plan that differs in the code alone had been cut off" in out
    assert frozen.kinds() == ["in_use", "opened", "reopened", "closed"]
    reopened = frozen.entries()[2]
    assert reopened.details["reason"] == "mended"
    assert reopened.details["completes"] == frozen.entries()[1].digest
    assert (reopened.details["seen"], reopened.details["times"]) == (0, 1)
    assert not any(read_record(folder).holdout["marks"] for folder in frozen.runs(HELD))
    assert "mark:" not in out


def test_an_opening_that_wrote_results_is_not_completed_by_other_code(
    frozen: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen.well(*frozen.holdout())
    frozen.ledger.write_text("".join(frozen.ledger.read_text().splitlines(keepends=True)[:2]))
    shutil.rmtree(frozen.root / "studies" / STUDY / "holdout")
    with_other_code(frozen, monkeypatch)
    frozen.well(*frozen.freeze(name="v2"))
    said = frozen.refused("holdout", "--study", STUDY, "--name", "v2", "--reason", "mended")
    assert "has written results" in said
    assert "other code cannot complete it any more" in said


def test_an_opening_that_was_cut_off_is_not_completed_by_a_plan_of_another_rule(
    frozen: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen.well(*frozen.freeze("--baseline", "A2", arm="A", name="v2"))
    cut_off(frozen, monkeypatch)
    said = frozen.refused("holdout", "--study", STUDY, "--name", "v2", "--reason", "because")
    assert SPENT in said


def test_a_dictionary_whose_byte_flipped_is_another_model(tuned: Bench, tmp_path: Path) -> None:
    words = tuned.root / "words.txt"
    words.write_text("amber apple 3 n\n")
    arms = [
        {"key": "A", "set": "variant=bm25"},
        {"key": "J", "set": f"variant=bm25 sparse.analyser=jieba sparse.user_dictionary={words}", "parents": ["A"]},
    ]
    write_definition(tuned.root, tuned.data, name="words", study={"arms": arms})
    done = tuned.do("study", "run", "words")
    if done.status != 0:
        pytest.skip(done.said)
    tuned.well(*tuned.freeze(arm="J", study="words"))
    content = bytearray(words.read_bytes())
    content[0] ^= 1
    words.write_bytes(bytes(content))
    said = tuned.refused("holdout", "--study", "words", "--name", PLAN)
    assert "arm J" in said
    assert "as frozen" in said
