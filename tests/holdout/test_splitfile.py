"""Where a split is kept, and how it is read back."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_ablation.core.digest import digest_json
from rag_ablation.core.errors import DataError, HoldoutError
from rag_ablation.holdout.place import Place
from rag_ablation.holdout.split import (
    SplitSettings,
    make_split,
    read_split,
    write_split,
)
from tests.holdout.benchmarks import (
    made,
    singles,
)
from tests.paths import ROOT


@given(st.integers(2, 12), st.integers(0, 2**63 - 1))
@settings(max_examples=30, deadline=None)
def test_a_split_survives_its_file(tmp_path_factory: pytest.TempPathFactory, count: int, seed: int) -> None:
    split = make_split(singles(count), SplitSettings(name="default", holdout_share=0.5, seed=seed))
    file = tmp_path_factory.mktemp("splits") / "new" / "default.json"
    write_split(split, file)
    assert read_split(file) == split
    assert [path.name for path in file.parent.iterdir()] == ["default.json"]


def test_the_file_is_for_people_too(tmp_path: Path) -> None:
    write_split(made(), tmp_path / "default.json")
    text = (tmp_path / "default.json").read_text("utf-8")
    assert '"name": "default",\n  "seed": 0,\n  "holdout_share": 0.5,' in text
    assert f'\n    "{made().dev[0]}": ' in text


def test_the_same_split_may_be_written_again(tmp_path: Path) -> None:
    file = tmp_path / "default.json"
    write_split(made(), file)
    before = file.stat().st_mtime_ns
    write_split(made(), file)
    assert file.stat().st_mtime_ns == before


@pytest.mark.parametrize("old", ["{", None])
def test_a_different_split_is_not_written_over(tmp_path: Path, old: str | None) -> None:
    file = tmp_path / "default.json"
    if old is None:
        write_split(made(), file)
    else:
        file.write_text(old)
    before = file.read_bytes()
    with pytest.raises(HoldoutError, match=r"holds a different split, which stays as it is: use it"):
        write_split(made(seed=1), file)
    assert file.read_bytes() == before


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(HoldoutError, match=r"cannot be written: No space left on device"):
        write_split(made(), tmp_path / "default.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        ({"seed": 5}, "default.json: digest: found "),
        ({"format": 3}, "default.json: format: found 3, expected 2, the form that this version reads"),
        ({"name": "other"}, "default.json: name: found 'other', expected 'default', the name of the file"),
        ({"seed": "0"}, "default.json: seed: found '0', expected a whole number"),
        ({"holdout_share": True}, "default.json: holdout_share: found True, expected a number between 0 and 1"),
        ({"fingerprints": {}}, "default.json: fingerprints: found {}, expected digests of corpus, queries, labels"),
        ({"made_by": None}, "default.json: made_by: found None, expected an object"),
        ({"extends": [1]}, "default.json: extends: found [1], expected a list of strings"),
        ({"unassigned": ["q1"]}, "default.json: unassigned: found 'q1', which is on a side, expected questions of"),
        ({"fold_of": {"q1": 1}}, "default.json: fold_of: found {'q1': 1}, expected the number of a fold, from 1"),
        ({"audit": []}, "default.json: audit: found [], expected an object"),
        ({"dev": {}}, "default.json: dev: found {}, expected question ids with the numbers of their groups"),
        ({"holdout": {"q1": 0.5}}, "default.json: holdout: found {'q1': 0.5}, expected question ids"),
        ({"dev": {"q1": 0}, "holdout": {"q1": 1}}, "default.json: holdout: found 'q1' on both sides, expected each"),
        ({"dev": {"q1": 0}, "holdout": {"q2": 0}}, "default.json: holdout: found group 0 on both sides, expected each"),
    ],
)
def test_a_damaged_split_file_is_refused(tmp_path: Path, edit: dict[str, object], said: str) -> None:
    file = tmp_path / "default.json"
    file.write_text(json.dumps({**made().form(), "digest": made().digest()} | edit))
    with pytest.raises(DataError) as caught:
        read_split(file)
    assert str(caught.value.problems[0]).startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "no valid JSON"), ("[]", "found list"), ('{"dev": {"q1": 0, "q1": 1}}', "the key twice in one object")],
)
def test_a_file_that_is_no_split_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "default.json"
    file.write_text(text)
    with pytest.raises(DataError, match=said):
        read_split(file)


DIGEST = "0123456789abcdef" * 4


def place(folder: Path, root: Path, name: str = "tiny") -> Place:
    return Place(folder=folder, root=root, queries=DIGEST, name=name)


@pytest.mark.parametrize("shipped", ["handbook_zh", None])
@given(st.data())
@settings(max_examples=300, deadline=None)
def test_a_byte_that_is_edited_is_refused_or_of_no_effect(
    tmp_path_factory: pytest.TempPathFactory, shipped: str | None, data: st.DataObject
) -> None:
    file = tmp_path_factory.mktemp("splits") / "default.json"
    if shipped is None:
        write_split(made(), file)
    else:
        shutil.copyfile(ROOT / "data" / shipped / "splits" / "default.json", file)
    before, content = read_split(file), file.read_bytes()
    place = data.draw(st.integers(0, len(content) - 1))
    new = data.draw(st.one_of(st.binary(max_size=1), st.sampled_from([b"0", b"9", b"e", b"-", b"."])))
    file.write_bytes(content[: place + data.draw(st.sampled_from([0, 1]))] + new + content[place + 1 :])
    try:
        after = read_split(file)
    except DataError:
        return
    assert after.form() == before.form()
    assert after.digest() == before.digest()


@given(st.data())
def test_any_value_is_in_the_digest(data: st.DataObject) -> None:
    split = replace(made(), unassigned=("q98", "q99"), extends=("a" * 64,))
    form = split.form()
    path: list[str | int] = [
        data.draw(st.sampled_from([key for key, value in form.items() if key != "format" and value]))
    ]
    value = form[str(path[0])]
    while isinstance(value, dict | list | tuple) and value:
        path.append(data.draw(st.sampled_from(sorted(value) if isinstance(value, dict) else range(len(value)))))
        value = value[path[-1]]  # type: ignore[index, call-overload]
    copy = json.loads(json.dumps(form))
    assert digest_json(copy) == split.digest()
    inner = copy
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = f"{value}." if isinstance(value, str) else [value]
    assert digest_json(copy) != split.digest()


@pytest.mark.parametrize("number", ["0.3e33333", "NaN", "-Infinity", '"\\ud83d"'])
def test_a_value_that_is_no_data_is_refused(tmp_path: Path, number: str) -> None:
    file = tmp_path / "default.json"
    write_split(made(), file)
    file.write_text(file.read_text("utf-8").replace('"audit": {', f'"audit": {{ "x": {number},', 1), "utf-8")
    with pytest.raises(DataError, match="no valid JSON"):
        read_split(file)


def test_a_split_is_written_beside_its_dataset(tmp_path: Path) -> None:
    assert place(tmp_path, tmp_path / "root", "tiny").written_to == tmp_path / "splits"


def test_a_read_only_dataset_has_its_splits_under_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    found = place(tmp_path, tmp_path / "root", "tiny").written_to
    assert found == tmp_path / "root" / "datasets" / "tiny-0123456789ab" / "splits"


def test_a_dataset_of_the_package_has_its_splits_under_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag_ablation.data.bundled.PACKAGE", tmp_path)
    assert place(tmp_path / "bundled" / "set", tmp_path / "root", "tiny").written_to.is_relative_to(tmp_path / "root")


@pytest.mark.parametrize("name", ["../../etc", "a/b", "..", "c:\\x", "年报 2026"])
def test_a_dataset_name_never_leads_out_of_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    folder = place(tmp_path, tmp_path / "root", name).written_to
    assert folder.parent.parent == tmp_path / "root" / "datasets"
    assert not set(folder.parent.name) & set("/\\: ")


def test_a_split_is_found_beside_the_dataset_then_under_the_root(tmp_path: Path) -> None:
    root = tmp_path / "root"
    under = root / "datasets" / "tiny-0123456789ab" / "splits"
    write_split(made(seed=1), under / "default.json")
    write_split(made(name="other"), under / "other.json")
    where = place(tmp_path, root)
    assert where.split("default").seed == 1
    write_split(made(seed=1), tmp_path / "splits" / "default.json")
    assert where.split_file("default") == tmp_path / "splits" / "default.json"
    assert where.split("default").seed == 1
    assert where.splits() == ["default", "other"]


def test_a_split_does_not_hide_another_of_its_name(tmp_path: Path) -> None:
    under = tmp_path / "root" / "datasets" / "tiny-0123456789ab" / "splits"
    write_split(made(seed=1), under / "default.json")
    write_split(made(), tmp_path / "splits" / "default.json")
    with pytest.raises(HoldoutError, match="tiny has two different splits 'default'"):
        place(tmp_path, tmp_path / "root").split("default")


def test_a_missing_split_names_both_ways_on(tmp_path: Path) -> None:
    with pytest.raises(HoldoutError) as caught:
        place(tmp_path, tmp_path).split("default")
    assert f"rag-ablation data split {tmp_path} " in str(caught.value)
    assert str(caught.value).endswith("split=none")
    assert place(tmp_path, tmp_path).splits() == []


def test_where_another_split_stands_the_whole_set_is_not_offered(tmp_path: Path) -> None:
    write_split(made(), tmp_path / "splits" / "default.json")
    with pytest.raises(HoldoutError) as caught:
        place(tmp_path, tmp_path).split("v2")
    assert "there are: default (dataset.split=NAME)" in str(caught.value)
    assert f"rag-ablation data split {tmp_path} --name v2" in str(caught.value)
    assert "split=none" not in str(caught.value)
