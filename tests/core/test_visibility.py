from datetime import date

import pytest

from rag_ablation.core.corpus import Passages
from rag_ablation.core.queries import Queries, Query
from rag_ablation.core.visibility import Access, Versions, visibility
from tests.builders import passage

OLD = passage(
    "t25",
    "80",
    doc_id="travel-2025",
    location="4.2",
    version="2025",
    effective_from=date(2025, 1, 1),
    effective_to=date(2025, 12, 31),
)
NEW = passage("t26", "90", doc_id="travel-2026", location="4.2", version="2026", effective_from=date(2026, 1, 1))
PAY = passage("pay", "secret", acl=["hr"])
OPEN = passage("zzz", "public", acl=["all"])
CORPUS = Passages((PAY, OLD, NEW, OPEN))


def seen(access: Access, **fields: object) -> set[str]:
    queries = Queries((Query(id="q", text="?", metadata={}, **fields),))  # type: ignore[arg-type]
    mask = visibility(CORPUS, queries, access).mask(0)
    return {id for id, visible in zip(CORPUS.ids, mask, strict=True) if visible}


def test_without_an_identity_nothing_is_hidden() -> None:
    assert seen(Access(identities={})) == {"pay", "t25", "t26", "zzz"}


def test_an_identity_sees_what_its_roles_may_see_and_what_everyone_may() -> None:
    listed = Access(identity="anna", identities={"anna": ("hr",), "bob": ("finance",)})
    assert "pay" in seen(listed)
    assert seen(listed, identity="bob") == {"t25", "t26", "zzz"}


def test_an_identity_that_is_not_listed_is_a_role_of_that_name() -> None:
    assert "pay" in seen(Access(identity="hr", identities={}))
    assert "pay" not in seen(Access(identity="staff", identities={}))


def test_a_questions_own_date_always_filters_first_and_last_day_included() -> None:
    assert seen(Access(identities={}), as_of=date(2025, 12, 31)) == {"pay", "t25", "zzz"}
    assert seen(Access(identities={}), as_of=date(2026, 1, 1)) == {"pay", "t26", "zzz"}


def test_the_newest_version_of_each_document_family() -> None:
    assert seen(Access(identities={}, versions=Versions.LATEST)) == {"pay", "t26", "zzz"}


def test_the_runs_date_governs_questions_without_one() -> None:
    run = Access(identities={}, versions=Versions.AS_OF, as_of=date(2025, 6, 1))
    assert seen(run) == {"pay", "t25", "zzz"}
    assert seen(run, as_of=date(2026, 6, 1)) == {"pay", "t26", "zzz"}


def test_a_rule_without_its_date_is_refused() -> None:
    with pytest.raises(ValueError, match="go together"):
        Access(identities={}, versions=Versions.AS_OF)


def test_a_clause_is_the_same_answer_location_in_every_version() -> None:
    assert OLD.answer_location == NEW.answer_location == ("travel", "4.2")
