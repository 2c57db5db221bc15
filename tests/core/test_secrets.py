import pytest
import yaml

from rag_ablation.core.secrets import MASK, masked, masked_text
from tests.paths import CASES


def test_secrets_are_masked_and_settings_stay_readable() -> None:
    config = yaml.safe_load((CASES / "23-secret-in-the-configuration" / "config.yaml").read_text(encoding="utf-8"))
    shown = masked(config)
    assert "EXAMPLE" not in str(shown)
    assert shown["reranker"] == {"api_key": MASK, "max_tokens": 512, "use_cls_token": True}  # type: ignore[index]
    assert shown["data"] == {"key_field": "_id", "tokenizer": "jieba"}  # type: ignore[index]


@pytest.mark.parametrize("name", ["password", "apiKey", "OPENAI_API_KEY", "hf_token", "client-secret", "Authorization"])
def test_names_that_hold_secrets(name: str) -> None:
    assert masked({name: "x"}) == {name: MASK}


@pytest.mark.parametrize("name", ["max_tokens", "tokenizer", "key_field", "token_count", "secretary"])
def test_names_that_hold_none(name: str) -> None:
    assert masked({name: "x"}) == {name: "x"}


def test_credentials_in_a_uri_are_masked_and_the_rest_stays() -> None:
    assert masked_text("postgresql://me:pa:ss@host/db") == f"postgresql://{MASK}@host/db"


def test_secrets_in_lists_of_mappings_are_masked() -> None:
    assert masked([{"password": "x"}, {"password": ["y"]}]) == [{"password": MASK}, {"password": [MASK]}]
