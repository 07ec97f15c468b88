"""Names: what may be called what, and which names the go command finds and runs.

Invariant: the rules are those of the spec and of go test; nothing here looks at types.
"""

from __future__ import annotations

import re

from grammar_ops.reject import Reject, register
from grammar_ops.syntax.fragment import KEYWORDS, is_identifier

register("grammar", {"bad_new_name": "the new name is no Go identifier, or can't be referred to"})

_TEST_PREFIXES = ("Test", "Benchmark", "Fuzz", "Example")


def resolve_new_name(pkg: str, sym: str, to: str) -> str:
    """The bare new name; a qualifier is taken off when it says what the old address says."""
    qualifier, _, name = to.strip().removesuffix("()").rpartition(".")
    owner, last = sym.rpartition(".")[0], pkg.rpartition("/")[2]
    same = {owner} if owner else {pkg, last}
    same |= {f"{package}.{owner}".rstrip(".") for package in (pkg, last)}
    if qualifier and re.sub(r"[(*&)]", "", qualifier) not in same:
        raise Reject("bad_new_name", f"{to}: pass the last part alone", did_you_mean=(name,))
    if not is_identifier(name):
        raise Reject("bad_new_name", f"{to} is no Go identifier")
    if name == "_" or (name == "init" and not owner):
        raise Reject("bad_new_name", f"nothing can refer to {name}")
    return name


def run_kind(name: str, is_test: bool, in_main: bool) -> str:
    """What the go command runs a package-level function of this name as, "" when it does not."""
    if name == "init" or (name == "main" and in_main):
        return name
    if not is_test:
        return ""
    if name == "TestMain":
        return name
    for prefix in _TEST_PREFIXES:
        if name.startswith(prefix) and not name[len(prefix) : len(prefix) + 1].islower():
            return prefix
    return ""


def unrun_prefix(name: str) -> str:
    """`Test`, `Benchmark` or `Fuzz` for a name that begins so and that go test takes for no test,
    since a small letter follows."""
    found = next((p for p in _TEST_PREFIXES[:3] if name.startswith(p)), "")
    return found if name[len(found) : len(found) + 1].islower() else ""


def package_name(path: str) -> str:
    """A legal package name for an import path: its last element, a version or dashes left out."""
    parts = [part for part in path.split("/") if part]
    if len(parts) > 1 and re.fullmatch(r"v\d+", parts[-1]):
        parts.pop()
    last = re.sub(r"\.v\d+$", "", parts[-1].lower()).removeprefix("go-").removesuffix("-go")
    name = re.sub(r"[^a-z0-9_]", "", last).removesuffix("_test").lstrip("0123456789_")
    if not name:
        return "pkg"
    return f"{name}pkg" if name in KEYWORDS else name


def embedded_field_name(type_: str) -> str:
    """What a field is called that embeds a type, "" when the type can't be embedded."""
    text = re.sub(r"\[.*\]$", "", type_.strip().removeprefix("*").strip(), flags=re.DOTALL)
    qualifier, _, name = text.rpartition(".")
    fits = is_identifier(name) and (not qualifier or is_identifier(qualifier))
    return name if fits else ""
