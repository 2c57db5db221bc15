"""The package works from a wheel, away from its checkout."""

import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.e2e.program import environment, tiny, whole
from tests.paths import ROOT


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command installed from a wheel into an environment of its own.

    Its libraries are those of this environment, found through a path file, so that only the package itself is
    what the wheel brings.
    """
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-deps", str(wheel)], check=True, capture_output=True
    )
    site = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    )
    libraries = Path(pytest.__file__).parent.parent
    (Path(site.stdout.strip()) / "libraries.pth").write_text(f"{libraries}\n")
    return folder / "venv" / "bin" / "rag-ablation"


def test_the_wheel_brings_its_configuration_and_the_handbook(program: Path, tmp_path: Path) -> None:
    where = "import rag_ablation, pathlib; print(pathlib.Path(rag_ablation.__file__).parent)"
    python = program.parent / "python"
    package = subprocess.run(
        [python, "-c", where], check=True, capture_output=True, text=True, cwd=tmp_path
    ).stdout.strip()
    assert not package.startswith(str(ROOT))
    assert (Path(package) / "conf" / "config.yaml").is_file()
    for name in ("handbook_zh", "handbook_en"):
        for file in ("default.json", "ledger.jsonl"):
            brought = Path(package) / "bundled" / name / "splits" / file
            assert brought.read_bytes() == (ROOT / "data" / name / "splits" / file).read_bytes()


def test_the_command_of_the_wheel_runs_elsewhere(program: Path, tmp_path: Path) -> None:
    for words in (
        ["run", "variant=bm25", "latency=none"],
        ["run", "-m", "sparse.k1=1,2", *whole(tiny(tmp_path / "data"))],
    ):
        done = subprocess.run(
            [program, *words], env=environment(tmp_path), cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "nDCG@10" in done.stdout
