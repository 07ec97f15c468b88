"""Nearby names: for each name that the compiler does not know, what it may have meant there.

Invariant: only adds hints to a refusal; without a type checker there are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ago.checker.checker import TypeOracle
from ago.stages import Candidate
from grammar_ops.near import LIMIT, near_names
from grammar_ops.reject import Finding, Json, Reject

_UNDEFINED = re.compile(r"^undefined: (?:(\w+)\.)?(\w+)$")
_MEMBER = re.compile(r"^[^\n]*\.(\w+) undefined \(.*, but does have (?:field|method) (\w+)\)$")


def add_near_names(reject: Reject, candidate: Candidate, oracle: TypeOracle) -> Reject:
    """The refusal with near names of what is undefined in it (`facts` has them by name)."""
    near = dict(_find(reject.diagnostics, candidate, oracle))
    if not near:
        return reject
    facts: dict[str, Json] = {name: [*found] for name, found in near.items()}
    hints = tuple(dict.fromkeys(hint for found in near.values() for hint in found))[:LIMIT]
    return replace(reject, did_you_mean=hints, facts={**reject.facts, "near": facts})


def _find(
    findings: tuple[Finding, ...], candidate: Candidate, oracle: TypeOracle
) -> Iterator[tuple[str, tuple[str, ...]]]:
    asked: set[str] = set()
    for finding in findings:
        member, name = _MEMBER.match(finding.msg), _UNDEFINED.match(finding.msg)
        if member:
            yield member[1], (member[2],)
        elif name and name[2] not in asked and len(asked) < LIMIT:
            asked.add(name[2])
            known = _known(finding, name[1] or "", candidate, oracle)
            if found := near_names(name[2], (n for n in known if n != name[2])):
                yield name[2], found


def _known(finding: Finding, qualifier: str, candidate: Candidate, oracle: TypeOracle) -> list[str]:
    """The names that could stand there: those visible, or those that the package exports."""
    file = candidate.files.get(finding.file)
    if file is None or file.text is None:
        return []
    overlay = {path: edited.text for path, edited in candidate.files.items()}
    if not qualifier:
        at = _offset(file.text, finding)
        question: dict[str, Json] = {"kind": "names_at", "file": finding.file, "offset": at}
        return _names(oracle.ask(overlay, [question])[0], "names", "name")
    question = {"kind": "imports", "file": finding.file}
    answer = oracle.ask(overlay, [question])[0]
    for row in _rows(answer, "imports"):
        if row.get("name") == qualifier:
            question = {"kind": "package", "path": row["path"]}
            return _names(oracle.ask(overlay, [question])[0], "exported", "name")
    return []


def _offset(text: bytes, finding: Finding) -> int:
    lines = text.splitlines(keepends=True)
    return sum(map(len, lines[: finding.line - 1])) + finding.col - 1


def _names(answer: Mapping[str, Json], rows: str, key: str) -> list[str]:
    return [str(row[key]) for row in _rows(answer, rows) if key in row]


def _rows(answer: Mapping[str, Json], key: str) -> list[dict[str, Json]]:
    rows = answer.get(key)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
