"""What the models of a stage are, by the bytes that would be loaded.

An ordinary run knows a model by its identity, which for one of the hub is a commit. A plan that has to hold for
a long time notes the digests of the files themselves. Nothing here loads a model.
"""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from rag_ablation.core.digest import digest_json
from rag_ablation.core.errors import ModelError
from rag_ablation.stages.base import Stage


@runtime_checkable
class WithWeights(Protocol):
    """A stage that loads files of a model."""

    def model_weights(self) -> Mapping[str, str]:
        """`name`, `kind` and `digest` of what is loaded; empty where these settings load nothing.

        Raises:
            ModelError: the model cannot be had.
        """
        ...


def loaded_weights(stage: Stage) -> dict[str, str]:
    """What a stage would load now, by the digest of the bytes themselves.

    Args:
        stage: any; `auto` must be resolved.

    Returns:
        `name`, `kind` (`packaged`, `folder`, `hub` or `tokenizer`) and `digest` (SHA-256), and `source`, the digest of
        the file that a converted model was made from. A stage that has a fingerprint and no `model_weights()` has the
        kind `stated`: the digest is of what it says of itself. Empty for a stage that loads no such files.

    Raises:
        ModelError: the model cannot be had, is damaged, or cannot be read.
    """
    try:
        if isinstance(stage, WithWeights):
            return dict(stage.model_weights())
        stated = dict(stage.fingerprint())
    except OSError as error:
        message = f"{type(stage).__name__}: a file that it reads cannot be read ({error})"
        raise ModelError(message) from error
    return {"name": type(stage).__name__, "kind": "stated", "digest": digest_json(stated)} if stated else {}
