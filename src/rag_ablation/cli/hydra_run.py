"""`rag-ablation run`: from words to composed configurations, by Hydra."""

import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag_ablation.cli.hydra_words import config_folder, plain, slot_of
from rag_ablation.commands._run_shown import show_run
from rag_ablation.commands.progress import Progress
from rag_ablation.commands.run import Workplace, open_tracker, run_arm
from rag_ablation.commands.sweep import Ended, Job, prepare, run_sweep
from rag_ablation.config import build
from rag_ablation.core.errors import RagAblationError, SystemRefusalError
from rag_ablation.core.process import told_to_end
from rag_ablation.core.secrets import masked_text

if TYPE_CHECKING:
    from omegaconf import DictConfig

PARENT_VARIABLE = "RAG_ABLATION_PARENT_RUN_ID"
PARALLEL_VARIABLE = "RAG_ABLATION_PARALLEL"
STOP_VARIABLE = "RAG_ABLATION_STOP_FILE"
RAISE_VARIABLE = "HYDRA_FULL_ERROR"
ARM_TAG = "rag.study_arm"
NOT_COMPOSED = 2
NOT_RUN = "an arm before it failed (study.fail_fast=true)"
WATCH_S = 0.5


class ArmTask:
    """What Hydra calls for each arm: in this process, or in a worker's copy.

    Args:
        root: folder under which everything is written.
        settings: overrides of slots' settings in a sweep; the sweeper gives them to the arms that fill the slot.
    """

    def __init__(self, root: Path, settings: Sequence[str] = ()) -> None:
        """Remember where; the rest is filled in by the command's own process."""
        self.root = root
        self.settings = list(settings)
        self.arms: list[list[str]] | None = None
        self.started = False
        self.status = 0
        self.error: RagAblationError | None = None

    def __call__(self, composed: "DictConfig") -> Ended:
        """Run one arm; inside a sweep it gives the run folder back, alone it prints its summary."""
        from hydra.core.hydra_config import HydraConfig  # noqa: PLC0415
        from hydra.types import RunMode  # noqa: PLC0415
        from rich.console import Console  # noqa: PLC0415

        self.started = True
        if told_to_end():
            raise KeyboardInterrupt
        if stopped():
            return Ended(None, NOT_RUN)
        _end_with(os.environ.get(PARALLEL_VARIABLE))
        hydra = HydraConfig.get()
        place = Workplace(
            root=self.root,
            parent=os.environ.get(PARENT_VARIABLE) or None,
            overrides=tuple(hydra.overrides.task),
            tags=_tags(composed),
            parallel=bool(os.environ.get(PARALLEL_VARIABLE)),
        )
        progress = Progress(Console(stderr=True))
        try:
            with in_our_words():
                container = plain(composed)
                record, folder = run_arm(container, place, progress.stage)
        except RagAblationError as error:
            if hydra.mode == RunMode.RUN:
                self.error = error
            else:
                progress.not_run(place.tags.get(ARM_TAG) or " ".join(place.overrides), str(error))
                stop()
            return Ended(None, str(error))
        progress.arm(record, place.tags.get(ARM_TAG))
        if record.status != "finished":
            stop()
        if hydra.mode == RunMode.RUN:
            self.status = show_run(folder, open_tracker(build(container).tracking, self.root).place, Console())
        return Ended(folder)

    def sweep(self, jobs: Sequence[Job], launch: Any) -> None:
        """Run arms side by side; `launch` comes from the sweeper."""
        from rich.console import Console  # noqa: PLC0415

        self.started = True
        try:
            with in_our_words():
                self.status = run_sweep(prepare(jobs, self.root), self.root, launch, Console())
        except RagAblationError as error:
            self.error = error


@contextmanager
def in_our_words() -> Iterator[None]:
    """Raise what stops a command as what it is, whatever a library made of it.

    Raises:
        KeyboardInterrupt: the process was told to end.
        SystemRefusalError: the operating system refuses something.
    """
    try:
        yield
    except Exception as error:
        if told_to_end():
            raise KeyboardInterrupt from error
        if isinstance(error, OSError):
            raise SystemRefusalError.of(error) from error
        raise


def run_verb(words: Sequence[str], root: Path) -> int:
    """Compose and run.

    Args:
        words: overrides and Hydra's own flags.
        root: folder under which everything is written.

    Returns:
        Exit status.

    Raises:
        RagAblationError: the input cannot be used.
    """
    # Hydra composes a sweep once before its arms, where a slot may still be empty: settings go to the arms only.
    sweeping = {"-m", "--multirun"} & set(words)
    settings = [word for word in words if sweeping and slot_of(word) is not None]
    return run_task(ArmTask(root, settings), [word for word in words if word not in settings])


def run_task(task: ArmTask, words: Sequence[str]) -> int:
    """Hand a task to Hydra.

    Args:
        task: what Hydra calls for each arm.
        words: overrides and Hydra's own flags.

    Returns:
        Exit status.

    Raises:
        RagAblationError: the input cannot be used.
    """
    import hydra  # noqa: PLC0415
    from hydra.errors import HydraException  # noqa: PLC0415
    from omegaconf.errors import OmegaConfBaseException  # noqa: PLC0415

    sys.argv = ["rag-ablation run", *words]
    in_full = RAISE_VARIABLE in os.environ
    # Else Hydra prints a trace of whatever went wrong, and leaves.
    with in_our_words(), _environment(RAISE_VARIABLE, "1"):
        try:
            hydra.main(version_base="1.3", config_path=str(config_folder()), config_name="config")(task)()
        except (HydraException, OmegaConfBaseException, ValueError) as error:  # a group set to null is a ValueError
            if task.started or in_full:
                raise
            sys.stderr.write("\n".join(masked_text(str(one)) for one in (error, error.__cause__) if one) + "\n")
            return NOT_COMPOSED
    if task.error is not None:
        raise task.error
    return task.status


@lru_cache(maxsize=1)
def _end_with(parallel: str | None) -> None:
    """End a worker when its command (a process id) is gone: its arms would be run again beside it."""
    parent = os.getppid()
    if parallel != str(parent):  # no worker of this machine
        return

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH_S)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    """A variable of this process and of those that it starts, for a while."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before


@contextmanager
def may_stop(folder: Path, fail_fast: bool) -> Iterator[None]:
    """Let the first failed arm keep further ones from starting, where the study asks for it.

    Args:
        folder: of the study's results.
        fail_fast: whether it asks.
    """
    if not fail_fast:
        yield
        return
    mark = folder.with_name(f"{folder.name}.stop")
    mark.unlink(missing_ok=True)
    try:
        with _environment(STOP_VARIABLE, str(mark)):
            yield
    finally:
        mark.unlink(missing_ok=True)


def stopped() -> bool:
    """Whether an arm has failed before in a study that ends with its first failure."""
    mark = os.environ.get(STOP_VARIABLE)
    return bool(mark) and Path(mark or "").exists()


def stop() -> None:
    """Keep further arms from starting, where the study asks for it."""
    mark = os.environ.get(STOP_VARIABLE)
    if mark:
        Path(mark).touch()


def _tags(composed: "DictConfig") -> dict[str, str]:
    """Which arm of a study this is."""
    from omegaconf import OmegaConf  # noqa: PLC0415

    arm = OmegaConf.select(composed, "study.arm")
    return {} if arm is None else {ARM_TAG: str(arm)}
