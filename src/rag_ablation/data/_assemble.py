from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from rag_ablation.core.corpus import Passage, Passages, Unit, UnitMap
from rag_ablation.core.digest import canonical_json, digest_json, digest_texts
from rag_ablation.core.evalset import ABOUT, Benchmark, EvidenceGroups
from rag_ablation.core.qrels import Qrels
from rag_ablation.core.queries import Queries
from rag_ablation.data._about import About
from rag_ablation.data._checks import Files
from rag_ablation.data._language import detect_language


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A dataset's files, read.

    Args:
        name: name of the dataset.
        about: what dataset.yaml says.
        files: passages, questions and judgements with their lines.
    """

    name: str
    about: About
    files: Files


def assemble(parts: Parts, passages: Passages, in_order: Iterable[Passage], notices: tuple[str, ...]) -> Benchmark:
    """Make the nouns of files that were found to fit; the fingerprints are those of the whole files.

    Args:
        parts: the files.
        passages: the corpus, or those of its passages that a label names.
        in_order: the corpus in id order, read only as far as the language needs it.
        notices: what was said while reading.
    """
    about, files = parts.about, parts.files
    language = about.language
    if language is None:
        language = detect_language(in_order)
        notices = (*notices, f"language not stated: {language}, by the script of the corpus (say it in dataset.yaml)")
    unit = about.unit or Unit.PASSAGE
    label_unit = about.label_unit or unit
    units = passages.units(label_unit)
    return Benchmark(
        name=parts.name,
        language=language,
        passages=passages,
        queries=Queries(tuple(row.query for row in files.queries.rows)),
        labels=tuple(row.labels for row in files.queries.rows),
        qrels=_qrels(files, units),
        evidence_groups=_evidence_groups(files, units),
        unit=unit,
        label_unit=label_unit,
        identities=about.identities,
        fingerprints={
            "corpus": files.corpus.digest(),
            "queries": digest_texts(row.content for row in files.queries.rows),
            "labels": digest_texts(_label_texts(files, label_unit)),
            ABOUT: _about_digest(language, unit, label_unit, about),
        },
        notices=notices,
        about=about.rest,
    )


def _about_digest(language: str, unit: Unit, label_unit: Unit, about: About) -> str:
    """Digest of what is stated beside the content and can change a result; order of roles does not matter."""
    identities = {name: sorted(set(roles)) for name, roles in about.identities.items()}
    return digest_json({"language": language, "unit": unit, "label_unit": label_unit, "identities": identities})


def _qrels(files: Files, units: UnitMap) -> Qrels:
    query_row = {row.query.id: place for place, row in enumerate(files.queries.rows)}
    unit_row = {name: place for place, name in enumerate(units.ids)}
    rows = files.judgements.rows
    return Qrels.from_rows(
        np.array([query_row[row.query_id] for row in rows], dtype=np.int64),
        np.array([unit_row[row.unit_id] for row in rows], dtype=np.int64),
        np.array([row.grade for row in rows], dtype=np.int8),
        (len(query_row), len(unit_row)),
    )


def _evidence_groups(files: Files, units: UnitMap) -> EvidenceGroups:
    unit_row = {name: place for place, name in enumerate(units.ids)}
    members: list[tuple[int, int, int]] = []
    group = 0
    for place, row in enumerate(files.queries.rows):
        for ids in row.evidence_groups:
            members += [(place, group, unit_row[name]) for name in dict.fromkeys(ids)]
            group += 1
    columns = np.array(members, dtype=np.int32).reshape(-1, 3).T.copy()
    columns.setflags(write=False)
    return EvidenceGroups(columns[0], columns[1], columns[2])


def _label_texts(files: Files, label_unit: Unit) -> Iterator[str]:
    """Everything that is a label, in an order that the files' order does not change."""
    yield canonical_json([label_unit])
    for row in sorted(files.judgements.rows, key=lambda row: (row.query_id, row.unit_id)):
        yield canonical_json([row.query_id, row.unit_id, row.grade])
    for question in files.queries.rows:
        if question.labels:
            yield canonical_json([question.query.id, question.labels])
