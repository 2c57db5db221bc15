"""What must not be published, masked by one rule wherever settings are shown or written."""

import re
from collections.abc import Mapping

MASK = "***"
SECRET_WORDS = frozenset(
    {
        "token",
        "secret",
        "password",
        "passwd",
        "passphrase",
        "apikey",
        "authorization",
        "credential",
        "credentials",
        "cookie",
    }
)
KEY_KINDS = frozenset({"api", "access", "private", "secret", "auth", "signing", "encryption"})
USER_INFO = re.compile(r"(?P<scheme>[A-Za-z][\w+.-]*://)(?!/)[^\s'\"]*@")
QUERY_VALUE = re.compile(r"(?P<key>[?&;](?P<name>[\w.-]+)=)[^&;\s'\"#]*")
BEARER = re.compile(r"(?i)\b(bearer(?=\s+\S)|basic(?=\s+\S{8}))\s+\S+")


def is_secret_name(name: str) -> bool:
    """Whether a setting of that name holds a secret.

    The last word decides (`api_token`), or the last two (`access_key`, `api-key`): `max_tokens`,
    `tokenizer` and `key_field` stay readable.
    """
    words = [word for word in re.split(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])", name) if word]
    words = [word.lower() for word in words]
    if not words:
        return False
    return words[-1] in SECRET_WORDS or (len(words) > 1 and words[-1] == "key" and words[-2] in KEY_KINDS)


def masked_text(text: str) -> str:
    """A text without the user part of its URIs, secret parameters of their queries, and bearer tokens."""
    text = USER_INFO.sub(rf"\g<scheme>{MASK}@", text)
    text = QUERY_VALUE.sub(lambda found: f"{found['key']}{MASK}" if is_secret_name(found["name"]) else found[0], text)
    return BEARER.sub(lambda found: f"{found[1]} {MASK}", text)


def masked(value: object, name: str = "") -> object:
    """A copy of nested settings with every secret replaced by a fixed mask.

    Numbers and booleans are never secrets: `use_cls_token: true` stays.

    Args:
        value: mappings, lists and plain values.
        name: key under which the value stands.
    """
    if isinstance(value, Mapping):
        return {key: masked(inner, str(key)) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [masked(inner, name) for inner in value]
    if not isinstance(value, str):
        return value
    return MASK if is_secret_name(name) else masked_text(value)
