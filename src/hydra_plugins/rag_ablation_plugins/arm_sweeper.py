"""A sweeper that checks every arm before the first one runs, runs equal arms once, and sums up.

It is Hydra's own basic sweeper with three differences: arms may be listed (`hydra.sweeper.arms`),
each by its overrides; the jobs go through `ArmTask.sweep`; and no copy of the configuration is
written by Hydra, since that would hold secrets in clear. It uses Hydra's internals and is tested
against the versions that the package allows.
"""

import os
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from typing import Any

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.config_store import ConfigStore
from omegaconf import OmegaConf, open_dict, read_write

from rag_ablation.cli.hydra_run import PARALLEL_VARIABLE, PARENT_VARIABLE
from rag_ablation.cli.hydra_words import composed_jobs, grid
from rag_ablation.commands.sweep import Ended
from rag_ablation.core.errors import RagAblationError

WORKER_GONE = (
    "a worker process ended without a word (killed, or out of memory?); what had finished is kept: the same command "
    "goes on from there, with fewer arms at a time where hydra.launcher.n_jobs is smaller"
)

ConfigStore.instance().store(
    group="hydra/sweeper",
    name="rag_ablation",
    node={
        "_target_": "hydra_plugins.rag_ablation_plugins.arm_sweeper.ArmSweeper",
        "max_batch_size": None,
        "params": None,
        "arms": [],
    },
    provider="rag_ablation",
)


class ArmSweeper(BasicSweeper):  # type: ignore[misc]
    """See the module.

    Args:
        max_batch_size: jobs handed to the launcher at once, None for all.
        params: overrides that every arm has; sweeps among them multiply.
        arms: overrides of each arm, as words in one text; empty for a plain grid.
    """

    def __init__(self, max_batch_size: int | None, params: dict[str, str] | None, arms: Sequence[str] = ()) -> None:
        """Keep the list of arms."""
        super().__init__(max_batch_size, params)
        self.arms = list(arms)

    def setup(self, *, hydra_context: Any, task_function: Any, config: Any) -> None:
        """Keep the task, which knows what a sweep is."""
        super().setup(hydra_context=hydra_context, task_function=task_function, config=config)
        self.task_function = task_function

    def sweep(self, arguments: list[str]) -> list[Any]:
        """Expand, check, launch and sum up."""
        words = [*self._parse_config(), *self.task_function.settings, *arguments]
        arms = self.task_function.arms or [arm.split() for arm in self.arms or [""]]
        loader = self.hydra_context.config_loader
        overrides = [job for arm in arms for job in grid([*arm, *words], loader)]
        jobs = composed_jobs(overrides, lambda job: loader.load_sweep_config(self.config, list(job)))
        self.task_function.sweep(jobs, self._launch)
        return []

    def _launch(self, jobs: Sequence[tuple[Sequence[str], Any]], parent: str) -> list[Ended]:
        """Hand the arms to the launcher; every job says what came of it."""
        variables = {PARENT_VARIABLE: parent}
        if OmegaConf.select(self.config, "hydra.runtime.choices.hydra/launcher") != "basic":
            variables[PARALLEL_VARIABLE] = str(os.getpid())
        with read_write(self.config), open_dict(self.config):
            self.config.hydra.overrides.hydra += [
                f"+hydra.job.env_set.{name}={value}" for name, value in variables.items() if value
            ]
        try:
            results = self.launcher.launch([list(job) for job, _ in jobs], initial_job_idx=0)
        except BrokenExecutor as error:
            raise RagAblationError(WORKER_GONE) from error
        return [result.return_value for result in results]
