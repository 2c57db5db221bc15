"""Hydra's words: composing a configuration outside a run, and expanding sweeps."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag_ablation.core.errors import RagAblationError
from rag_ablation.core.secrets import masked_text

if TYPE_CHECKING:
    from omegaconf import DictConfig

PACKAGE = Path(__file__).parent.parent
NOT_OURS = ("hydra", "study")


def config_folder() -> Path:
    """`conf/` of the installed package, else of the checkout that it runs from."""
    packaged = PACKAGE / "conf"
    return packaged if packaged.is_dir() else PACKAGE.parent.parent / "conf"


def plain(composed: "DictConfig") -> Mapping[str, object]:
    """Nested mappings of an arm's settings, without Hydra's own section and the definition of a study."""
    return {key: value for key, value in _container(composed).items() if key not in NOT_OURS}


def compose(words: Sequence[str]) -> "DictConfig":
    """Compose a configuration as the command line would.

    Raises:
        RagAblationError: the words do not compose; the message is Hydra's.
    """
    import hydra  # noqa: PLC0415
    from hydra.errors import HydraException  # noqa: PLC0415
    from omegaconf.errors import OmegaConfBaseException  # noqa: PLC0415

    try:
        with hydra.initialize_config_dir(str(config_folder()), version_base="1.3"):
            composed: DictConfig = hydra.compose("config", overrides=list(words))
    except (HydraException, OmegaConfBaseException) as error:
        raise RagAblationError(masked_text(str(error))) from error
    return composed


def study_section(composed: "DictConfig") -> object:
    """The definition of a study, plain; None where there is none."""
    return _container(composed).get("study")


def grid(words: str) -> list[list[str]]:
    """The words of every combination of `a=1,2 b=3,4`.

    Raises:
        RagAblationError: they are no overrides.
    """
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper  # noqa: PLC0415
    from hydra.core.override_parser.overrides_parser import OverridesParser  # noqa: PLC0415
    from hydra.errors import HydraException  # noqa: PLC0415

    try:
        overrides = OverridesParser.create().parse_overrides(words.split())
        batches: list[list[list[str]]] = BasicSweeper.split_arguments(overrides, None)
    except HydraException as error:
        raise RagAblationError(masked_text(str(error))) from error
    return [job for batch in batches for job in batch]


def _container(composed: "DictConfig") -> dict[str, Any]:
    from omegaconf import OmegaConf  # noqa: PLC0415

    container = OmegaConf.to_container(composed, resolve=True)
    if not isinstance(container, dict):
        message = "the composed configuration is not a mapping"
        raise TypeError(message)
    return {str(key): value for key, value in container.items()}
