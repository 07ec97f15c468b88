"""Reflection and generators: what finds a declaration by its name, which no proof sees.

Invariant: a package counts where it is imported beside code that uses the type; whether a value of
the type gets to it is not known, so nothing is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from grammar_ops.reject import Finding
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.findings import point_at

# Packages that write and read fields by name, and the tag that gives another one ("" for none).
_ENCODERS = {
    "encoding/gob": "", "encoding/json": "json", "encoding/xml": "xml",
    "github.com/BurntSushi/toml": "toml", "github.com/go-viper/mapstructure/v2": "mapstructure",
    "github.com/goccy/go-yaml": "yaml", "github.com/mitchellh/mapstructure": "mapstructure",
    "github.com/pelletier/go-toml/v2": "toml", "gopkg.in/yaml.v2": "yaml",
    "gopkg.in/yaml.v3": "yaml", "sigs.k8s.io/yaml": "json",
}  # fmt: skip
# Of an embedded struct without a tag these write its fields, under no name of its own.
_FLATTENING = frozenset(
    {"encoding/json", "encoding/xml", "github.com/BurntSushi/toml", "sigs.k8s.io/yaml"}
)
_LOOKUPS = ("html/template", "net/rpc", "reflect", "text/template")
# An element, a registered value and a service bear the name of a type.
_TYPE_NAMES = ("encoding/gob", "encoding/xml", "net/rpc")
_BY_NAME = re.compile(rb"\b(?:Method|Field)ByName(?:Func)?\(")
_LISTED = 3


def warn_of_names(scope: Scope, pkg: str, decl: Decl, to: str) -> tuple[Finding, ...]:
    """The encoders that would call an exported field otherwise after it, or the type that it is
    named by, was renamed."""
    if not (decl.name[:1].isupper() or to[:1].isupper()):
        return ()
    if decl.kind == "field":
        return tuple(_warn(scope, pkg, decl, to, frozenset()))
    if decl.kind not in ("type", "alias"):
        return ()
    info = scope.find_object(pkg, decl.sym)
    passed = _FLATTENING if info is not None and "struct" in info.flags else frozenset()
    lent = [
        (field.pkg, scope.resolve_decl(field.pkg, field.sym))
        for field in scope.related(pkg, decl.sym, "embedded_fields")
        if field.sym.rpartition(".")[2] == decl.name
    ]
    return tuple(found for of, field in lent for found in _warn(scope, of, field, to, passed))


def _warn(
    scope: Scope, pkg: str, field: Decl, to: str, passed: frozenset[str]
) -> Iterator[Finding]:
    """The findings of one field, of encoders but for those that take its own fields instead."""
    for encoder, key in _ENCODERS.items():
        used = [] if encoder in passed else _files_with(scope, pkg, field, encoder)
        if used and not (key and _tag_name(scope, field, key)):
            said = f"{encoder} knows the field as {field.name}, then as {to} ({used[0]})"
            at = point_at(scope.source(field.path), field.path, field.name_span.start, said)
            yield replace(at, code="wire_name")


def list_by_name(scope: Scope, pkg: str, decl: Decl) -> list[str]:
    """Where a declaration may be found by its name, a sentence each."""
    if "." not in decl.sym:
        return [*_list_generators(scope, pkg, decl), *_list_type_names(scope, pkg, decl)]
    if decl.kind not in ("field", "method", "interface_method") or not decl.name[:1].isupper():
        return []
    found = []
    for package in _LOOKUPS:
        used = _files_with(scope, pkg, decl, package)
        if package == "net/rpc" and decl.kind == "field":
            used = []
        if package == "reflect":
            used = [path for path in used if _BY_NAME.search(scope.source(path))]
        found += [f"{path}: {package} may find {decl.name} by its name" for path in used[:_LISTED]]
    return found


def _list_generators(scope: Scope, pkg: str, decl: Decl) -> list[str]:
    """Where a go:generate line of the package has the name of a package-level declaration."""
    package = scope.find_package(pkg)
    line = re.compile(rb"^//go:generate .*\b%s\b" % decl.name.encode(), re.MULTILINE)
    files = package.files if package is not None else ()
    found = [path for path, _ in files if line.search(scope.source(path))]
    return [f"{path}: a go:generate line has the name {decl.name}" for path in found[:_LISTED]]


def _list_type_names(scope: Scope, pkg: str, decl: Decl) -> list[str]:
    """Where the name of a type may be that of what is written or called."""
    if decl.kind != "type":
        return []
    named = scope.declares(pkg, f"{decl.sym}.XMLName")
    return [
        f"{path}: {package} may call by the name of {decl.name} what it writes or serves"
        for package in _TYPE_NAMES
        if not (named and package == "encoding/xml")
        for path in _files_with(scope, pkg, decl, package)[:_LISTED]
    ]


def _files_with(scope: Scope, pkg: str, decl: Decl, imported: str) -> list[str]:
    """The files that import a package, in folders where the type of a member is used."""
    importers = {ref.path for ref in scope.refs(imported, "")}
    if not importers:
        return []
    owner = decl.sym.partition(".")[0]
    near = {_folder_of(ref.path) for ref in scope.refs(pkg, owner)} | {_folder_of(decl.path)}
    return sorted(path for path in importers if _folder_of(path) in near)


def _tag_name(scope: Scope, decl: Decl, key: str) -> str:
    """The name that a field's tag gives for a key, "" when it gives none."""
    tag = nodes.find_field(decl.node, "tag")
    text = nodes.text_of(scope.source(decl.path), tag) if tag is not None else ""
    match = re.search(rf'\b{key}:\\?"([^",\\]*)', text)
    return match[1] if match else ""


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]
