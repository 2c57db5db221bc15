"""Identity of code: the sources a result depends on."""

import shutil
import subprocess
import sys
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import rag_ablation.core
import rag_ablation.stages.base
from rag_ablation.core.digest import digest_file, digest_json

PACKAGE = Path(rag_ablation.core.__file__).parent.parent


@lru_cache(maxsize=64)
def stage_code(module: str) -> str:
    """Digest of the sources that a stage's result depends on.

    Its own file, what all stages share, and the nouns. A change anywhere else keeps the store.

    Args:
        module: name of the stage's module.
    """
    spec = find_spec(module)
    own = [] if spec is None or spec.origin is None else [Path(spec.origin)]
    shared = sorted([*(PACKAGE / "core").glob("*.py"), *(PACKAGE / "stages").glob("_[!_]*.py")])
    base = PACKAGE / "stages" / "base.py"
    return digest_json([digest_file(path) for path in (*own, *shared, base)])


@lru_cache(maxsize=1)
def package_code() -> str:
    """Digest of all installed sources of this package."""
    sources = sorted(PACKAGE.rglob("*.py"))
    return digest_json([[path.relative_to(PACKAGE).as_posix(), digest_file(path)] for path in sources])


def python_version() -> str:
    """`3.11.7`."""
    return ".".join(str(part) for part in sys.version_info[:3])


@lru_cache(maxsize=1)
def checkout() -> dict[str, object]:
    """Commit, and whether `src/` or `conf/` differ from it; empty unless the package runs from a checkout."""
    root = PACKAGE.parent.parent
    if not (root / ".git").exists():
        return {}
    commit = _git(root, "rev-parse", "HEAD")
    state = _git(root, "status", "--porcelain", "--", "src", "conf")
    return {} if commit is None or state is None else {"commit": commit, "dirty": bool(state)}


def _git(root: Path, *words: str) -> str | None:
    git = shutil.which("git")
    if git is None:
        return None
    done = subprocess.run([git, "-C", str(root), *words], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None
