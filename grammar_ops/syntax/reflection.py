"""Reflection: which packages find a field or method by its name at run time, which no proof sees.

Invariant: a package counts where it is imported beside code that uses the type; whether a value of
the type gets to it is not known, so nothing is refused.
"""

from __future__ import annotations

import re
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
_LOOKUPS = ("html/template", "reflect", "text/template")
_BY_NAME = re.compile(rb"\b(?:Method|Field)ByName(?:Func)?\(")
_LISTED = 3


def warn_of_names(scope: Scope, pkg: str, decl: Decl, to: str) -> tuple[Finding, ...]:
    """The encoders that would call an exported field otherwise after it was renamed."""
    if decl.kind != "field" or not (decl.name[:1].isupper() or to[:1].isupper()):
        return ()
    found = []
    for encoder, key in _ENCODERS.items():
        used = _files_with(scope, pkg, decl, encoder)
        if used and not (key and _tag_name(scope, decl, key)):
            said = f"{encoder} knows the field as {decl.name}, then as {to} ({used[0]})"
            at = point_at(scope.source(decl.path), decl.path, decl.name_span.start, said)
            found.append(replace(at, code="wire_name"))
    return tuple(found)


def list_lookups(scope: Scope, pkg: str, decl: Decl) -> list[str]:
    """Where a field or method may be found by its name, a sentence each."""
    if decl.kind not in ("field", "method", "interface_method") or not decl.name[:1].isupper():
        return []
    found = []
    for package in _LOOKUPS:
        used = _files_with(scope, pkg, decl, package)
        if package == "reflect":
            used = [path for path in used if _BY_NAME.search(scope.source(path))]
        found += [f"{path}: {package} may find {decl.name} by its name" for path in used[:_LISTED]]
    return found


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
