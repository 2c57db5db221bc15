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


@pytest.mark.parametrize(
    "uri",
    [
        "postgresql://u:pa/hunter2@host/db",
        "mysql://u:p@hunter2@host/db",
        "postgresql://host/db?user=u&password=hunter2",
        "http://localhost:1/?token=hunter2",
        "sqlite:///y.db?timeout=5&password=hunter2",
    ],
)
def test_a_secret_anywhere_in_a_uri_is_masked(uri: str) -> None:
    shown = masked_text(f"cannot be opened: '{uri}' (reason)")
    assert "hunter2" not in shown
    assert shown.endswith("' (reason)")


def test_parameters_of_a_uri_that_are_no_secret_stay() -> None:
    assert masked_text("sqlite:///y.db?timeout=5") == "sqlite:///y.db?timeout=5"


def test_secrets_in_lists_of_mappings_are_masked() -> None:
    assert masked([{"password": "x"}, {"password": ["y"]}]) == [{"password": MASK}, {"password": [MASK]}]


def test_a_scheme_of_http_is_masked_and_the_word_is_not() -> None:
    assert masked_text("Authorization: Basic dXNlcjpwYXNz") == f"Authorization: Basic {MASK}"
    assert masked_text("override_grammar/basic for details") == "override_grammar/basic for details"
