"""Hydra's words: what they change, what they expand to, and what they compose."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag_ablation.commands.sweep import Job
from rag_ablation.core.errors import RagAblationError
from rag_ablation.core.secrets import masked_text
from rag_ablation.stages.catalogue import SLOTS

if TYPE_CHECKING:
    from hydra.core.config_loader import ConfigLoader
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

    with _said_by_hydra(), hydra.initialize_config_dir(str(config_folder()), version_base="1.3"):
        composed: DictConfig = hydra.compose("config", overrides=list(words))
    return composed


def study_section(composed: "DictConfig") -> object:
    """The definition of a study, plain; None where there is none."""
    return _container(composed).get("study")


def grid(words: Sequence[str], config_loader: "ConfigLoader | None" = None) -> list[list[str]]:
    """The words of every combination of `a=1,2 b=3,4`.

    Args:
        words: overrides.
        config_loader: Hydra's, where a sweep may name the options of a group (`variant=glob(*)`).

    Raises:
        RagAblationError: they are no overrides.
    """
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper  # noqa: PLC0415
    from hydra.core.override_parser.overrides_parser import OverridesParser  # noqa: PLC0415

    with _said_by_hydra():
        overrides = OverridesParser.create(config_loader).parse_overrides(list(words))
        batches: list[list[list[str]]] = BasicSweeper.split_arguments(overrides, None)
    return [job for batch in batches for job in batch]


def composed_jobs(overrides: Sequence[Sequence[str]], composing: Callable[[Sequence[str]], "DictConfig"]) -> list[Job]:
    """Compose each arm, a slot's settings left out of the arms in which that slot is empty.

    So `variant=bm25,rrf fusion.rank_constant=10,60` is three arms, BM25 being the same in both. A setting that no arm
    uses stays, and is then an error.

    Args:
        overrides: words of each arm.
        composing: composes words.

    Raises:
        RagAblationError: an arm does not compose; its words are named.
    """
    empty: dict[tuple[str, ...], set[str]] = {}
    pruned: list[list[str]] = []
    for words in overrides:
        choices = tuple(word for word in words if slot_of(word) is None)
        if choices not in empty:
            composed = _composed(choices, composing) if len(choices) < len(words) else {}
            empty[choices] = {slot for slot in SLOTS if composed and composed[slot].name == "none"}
        pruned.append([word for word in words if slot_of(word) not in empty[choices]])
    used = {key_of(word) for words in pruned for word in words}
    unused = {key_of(word) for words in overrides for word in words} - used
    jobs = [
        [word for word in whole if word in kept or key_of(word) in unused]
        for whole, kept in zip(overrides, pruned, strict=True)
    ]
    return [(job, plain(_composed(job, composing))) for job in jobs]


def key_of(word: str) -> str:
    """The key that an override changes."""
    return word.split("=", 1)[0].lstrip("+~")


def slot_of(word: str) -> str | None:
    """The slot whose setting an override changes, None for the choice of a stage and for anything else."""
    slot, dot, _ = key_of(word).partition(".")
    return slot if dot and slot in SLOTS and not word.startswith("~") else None


def _composed(words: Sequence[str], composing: Callable[[Sequence[str]], "DictConfig"]) -> Any:
    """Compose, and say whose words they were where they do not.

    Raises:
        RagAblationError: they do not.
    """
    try:
        with _said_by_hydra():
            return composing(words)
    except RagAblationError as error:
        raise RagAblationError(f"arm {masked_text(' '.join(words))}: {error}") from error


@contextmanager
def _said_by_hydra() -> Iterator[None]:
    """Raise what Hydra refuses as an error of ours, in Hydra's words.

    Raises:
        RagAblationError: it does.
    """
    from hydra.errors import HydraException  # noqa: PLC0415
    from omegaconf.errors import OmegaConfBaseException  # noqa: PLC0415

    try:
        yield
    except (HydraException, OmegaConfBaseException, ValueError) as error:  # a group set to null is a ValueError
        raise RagAblationError(masked_text(str(error))) from error


def _container(composed: "DictConfig") -> dict[str, Any]:
    from omegaconf import OmegaConf  # noqa: PLC0415

    container = OmegaConf.to_container(composed, resolve=True)
    if not isinstance(container, dict):
        message = "the composed configuration is not a mapping"
        raise TypeError(message)
    return {str(key): value for key, value in container.items()}
