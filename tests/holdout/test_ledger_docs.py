"""What docs/data-formats.md says of the ledger, done by hand."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from rag_ablation.holdout.entry import FIELDS, Kind
from rag_ablation.holdout.ledger import join, read_ledger
from tests.holdout.ledgers import filled
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "data-formats.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## ledger.jsonl and seen.jsonl")[2].partition("\n## ")[0]


@pytest.fixture(scope="module")
def last_digest() -> Callable[[str], str]:
    (block,) = re.findall(r"^```python\n(.*?)^```", SECTION, flags=re.MULTILINE | re.DOTALL)
    namespace: dict[str, Callable[[str], str]] = {}
    exec(block, namespace)
    return namespace["last_digest"]


def test_a_chain_is_checked_by_hand(tmp_path: Path, last_digest: Callable[[str], str]) -> None:
    one, other = filled(tmp_path / "one.jsonl", "a", "é\u001f\u2028", "中"), filled(tmp_path / "other.jsonl", "b")
    join(one, other)
    assert last_digest(str(one)) == read_ledger(one).head
    one.write_bytes(b"\xef\xbb\xbf" + one.read_bytes().replace(b"\n", b"\r\n\r\n"))
    assert last_digest(str(one)) == read_ledger(one).head


@pytest.mark.parametrize("change", [lambda lines: lines[1:], lambda lines: [lines[0].replace(b"a", b"e"), *lines[1:]]])
def test_damage_is_found_by_hand(
    tmp_path: Path, last_digest: Callable[[str], str], change: Callable[[list[bytes]], list[bytes]]
) -> None:
    path = filled(tmp_path / "one.jsonl", "a", "b")
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))
    with pytest.raises(AssertionError, match=r"^(edited|removed or moved before): "):
        last_digest(str(path))


def test_every_field_and_kind_is_described() -> None:
    described = set(re.findall(r"`([a-z_]+)`", "".join(re.findall(r"^\| (`.*?) \|", SECTION, flags=re.MULTILINE))))
    assert set(FIELDS) | {str(kind) for kind in Kind} <= described
