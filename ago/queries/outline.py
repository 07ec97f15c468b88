"""What a file or a package declares: a line for each declaration, with its first doc sentence.

Invariant: made from syntax alone, so a file outside the build or with errors has one too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ago.protocol.requests import Outline
from ago.queries.page import list_answer, pos_of, without_empty
from ago.workspace.address import Address, resolve, resolve_package
from ago.workspace.declared import decls_of
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json
from grammar_ops.scope import PackageInfo
from grammar_ops.syntax.decls import Decl

REQUEST = Outline
EXAMPLE: dict[str, Json] = {"sym": "lib"}

_WIDTH = 120
_FILES = 40
"""Files of a package that an answer names beside their declarations."""
_SENTENCE = re.compile(r"(.+?\.)(?:\s|$)", re.DOTALL)


def answer(snapshot: Snapshot, request: Outline) -> dict[str, Json]:
    """`count` and `decls` of a package or file: sym, pos, first line and first doc sentence.

    Without an address `count` and `packages` of the workspace: pkg, dir, name and files.
    """
    if not request.pkg.strip() and not request.sym.strip():
        return outline_workspace(snapshot, request)
    if request.pkg and not request.sym and not request.pkg.endswith(".go"):
        address = Address(resolve_package(snapshot, request.pkg), "", "package", "", None)
    else:
        address = resolve(snapshot, request.pkg, request.sym, "view")
    whole = outline_package if address.kind == "package" else outline_file
    return whole(snapshot, address, request)


def outline_workspace(snapshot: Snapshot, request: Outline) -> dict[str, Json]:
    """Every package, with where it is and how many files it has."""
    packages = list(snapshot.packages().items())

    def show(item: tuple[str, PackageInfo]) -> dict[str, Json]:
        pkg, info = item
        own = "" if pkg.endswith(f"/{info.name}") else info.name
        return without_empty({"pkg": pkg, "dir": info.dir, "name": own, "files": len(info.files)})

    return list_answer(snapshot, request, {}, "packages", packages, show)


def outline_file(snapshot: Snapshot, address: Address, request: Outline) -> dict[str, Json]:
    """Every declaration of one file, or of the file that an address stands in."""
    found: dict[str, Json] = {
        "pkg": address.pkg,
        "file": address.path,
        "generated": snapshot.is_generated(address.path),
        "resolved": address.resolved,
    }
    return _page(snapshot, [address.path], request, found)


def outline_package(snapshot: Snapshot, address: Address, request: Outline) -> dict[str, Json]:
    """The files of a package, tests last, with what each declares; of many only their number."""
    info = snapshot.package(address.pkg)
    files = info.files if info else ()
    ordered = sorted(files, key=lambda f: (f[1] in ("test", "xtest"), f[0]))
    found: dict[str, Json] = {
        "pkg": address.pkg,
        "name": info.name if info else "",
        "dir": info.dir if info else "",
        "file_count": len(files) if len(files) > _FILES else 0,
        "files": [path.rpartition("/")[2] for path, _ in files] if len(files) <= _FILES else [],
        "resolved": address.resolved,
    }
    return _page(snapshot, [path for path, _ in ordered], request, found)


def _page(
    snapshot: Snapshot, files: Iterable[str], request: Outline, found: dict[str, Json]
) -> dict[str, Json]:
    lines = [
        line
        for path in files
        for line in _lines(snapshot, path, docs=request.docs)
        if not request.exported or _is_exported(str(line["sym"]))
    ]
    return list_answer(snapshot, request, found, "decls", lines, lambda line: line)


def _lines(snapshot: Snapshot, path: str, *, docs: bool) -> Iterator[dict[str, Json]]:
    text = snapshot.read(path) or b""
    for decl in decls_of(snapshot, path):
        line: dict[str, Json] = {
            "sym": decl.sym, "pos": pos_of(text, decl), "decl": _head(text, decl)
        }  # fmt: skip
        if docs and (sentence := _first_sentence(text, decl)):
            line["doc"] = sentence
        yield line


def _head(text: bytes, decl: Decl) -> str:
    """The declaration's first line, without its opening brace."""
    end = decl.body_span.start if decl.body_span else decl.span.end
    lines = text[decl.span.start : end].decode("utf-8", "replace").strip().splitlines()
    head = lines[0].rstrip(" {") if lines else decl.sym
    if len(lines) > 1 and decl.body_span:
        head = " ".join(part.strip() for part in lines)
    return head if len(head) <= _WIDTH else head[: _WIDTH - 1] + "…"


def _first_sentence(text: bytes, decl: Decl) -> str:
    """The doc comment up to its first full stop, as `go doc` lists packages."""
    comment = text[decl.full_span.start : decl.span.start].decode("utf-8", "replace")
    lines = (line.strip() for line in comment.splitlines())
    doc = " ".join(line[2:].strip() for line in lines if re.match(r"//(?:\s|$)", line))
    match = _SENTENCE.match(doc)
    return match[1] if match else doc.strip()


def _is_exported(sym: str) -> bool:
    return all(part[:1].isupper() for part in sym.split("."))
