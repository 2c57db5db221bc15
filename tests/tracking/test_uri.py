import os
from pathlib import Path

import pytest

from rag_ablation.core.errors import TrackingError
from rag_ablation.tracking.uri import tracking_uri


def test_without_a_setting_a_database_under_the_root_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    assert tracking_uri(None, tmp_path) == f"sqlite:///{tmp_path}/mlflow.db"


def test_the_environment_is_honoured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/other.db")
    assert tracking_uri(None, tmp_path / "root") == f"sqlite:///{tmp_path}/other.db"


def test_a_setting_comes_before_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/other.db")
    assert tracking_uri(f"sqlite:///{tmp_path}/mine.db", tmp_path).endswith("mine.db")


def test_a_relative_database_lies_under_the_root(tmp_path: Path) -> None:
    assert tracking_uri("sqlite:///tracking.db", tmp_path) == f"sqlite:///{tmp_path}/tracking.db"


@pytest.mark.parametrize("uri", ["file:./mlruns", "./mlruns", "mlruns", "file:///tmp/mlruns", "sqlite:///:memory:"])
def test_a_store_that_cannot_keep_runs_is_refused_with_the_remedy(tmp_path: Path, uri: str) -> None:
    with pytest.raises(TrackingError) as caught:
        tracking_uri(uri, tmp_path)
    assert "tracking.uri" in str(caught.value)
    assert uri in str(caught.value)
    assert f"sqlite:///{tmp_path}/mlflow.db" in str(caught.value)


def test_a_database_below_a_file_is_refused_naming_the_folder(tmp_path: Path) -> None:
    (tmp_path / "a-regular-file").write_text("x")
    with pytest.raises(TrackingError, match="a-regular-file"):
        tracking_uri("sqlite:///a-regular-file/tracking.db", tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="an administrator may write everywhere")
def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(TrackingError, match="cannot be written"):
        tracking_uri(f"sqlite:///{tmp_path}/closed/x.db", tmp_path)


def test_a_server_that_does_not_answer_is_named_without_its_password(tmp_path: Path) -> None:
    with pytest.raises(TrackingError) as caught:
        tracking_uri("http://me:hunter2@127.0.0.1:9", tmp_path)
    assert "no MLflow server answers" in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("name", ["plain", "a b", "50%20 off", "what?", "a#b", "中文"])
def test_the_database_lies_in_the_root_whatever_the_roots_name(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sqlalchemy.engine import make_url

    from rag_ablation.tracking.uri import sqlite_path

    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    root = tmp_path / name
    root.mkdir()
    uri = tracking_uri(None, root)
    assert sqlite_path(uri) == root / "mlflow.db"
    assert make_url(uri).database == str(root / "mlflow.db")


@pytest.mark.parametrize("uri", ["http://localhost:abc", "http://[::1"])
def test_a_malformed_address_is_no_traceback(tmp_path: Path, uri: str) -> None:
    with pytest.raises(TrackingError, match=r"tracking\.uri"):
        tracking_uri(uri, tmp_path)


def test_a_path_at_which_mlflow_makes_no_database_is_refused_before_it_tries(tmp_path: Path) -> None:
    with pytest.raises(TrackingError, match="no database at a path with an apostrophe"):
        tracking_uri(None, tmp_path / "the team's root")
