"""readdress: the same call with the missed part of its address replaced by what is near."""

from __future__ import annotations

from collections.abc import Iterator

from ago.repair.calls import Refused, search_call, unchecked, view_call
from grammar_ops.reject import Call, Json, Repair

REASONS = (
    "package_not_found",
    "symbol_not_found",
    "receiver_type_not_found",
    "member_not_found",
    "ambiguous_address",
    "file_not_found",
    "no_declaration_there",
    "address_required",
)


def build(refused: Refused) -> Iterator[Repair]:
    """One repair for each near name, then the owner's members, then a search."""
    facts = refused.reject.facts
    if refused.reject.reason == "address_required":
        if ".go:" in (at := str((refused.op or {}).get("at") or "")):
            yield unchecked("a position is an address, too", refused.with_op("at", sym=at))
        # Which of a file's declarations is meant, nothing says.
        if path := str(facts.get("file") or ""):
            yield unchecked(f"shows what {path} declares", view_call("", path))
        if pkg := str(facts.get("package") or ""):
            yield unchecked(f"shows what {pkg} declares", Call("view", {"pkg": pkg}))
        return
    for near in refused.reject.did_you_mean:
        yield unchecked(f"{near} resolves", _readdressed(refused, near))
    pkg, sym = str(facts.get("pkg") or ""), str(facts.get("sym") or "")
    if refused.reject.reason == "member_not_found":
        owner = {"pkg": pkg, "sym": str(facts.get("owner") or "")}
        yield unchecked(f"lists the members of {owner['sym']}", Call("inspect", {**owner}))
    fragment = sym.rpartition(".")[2] or pkg.rpartition("/")[2]
    if fragment:
        yield unchecked(f"finds names with {fragment}", search_call(fragment))


def fall_back(refused: Refused) -> Iterator[Repair]:
    """Where nothing is near: lines with the name, and the packages that there are."""
    if refused.tool == "query" and refused.args.get("kind") != "refs":
        # What dependencies declare has references alone.
        yield unchecked("kind: refs", refused.with_args(kind="refs"))
    facts = refused.reject.facts
    pkg, sym = str(facts.get("pkg") or ""), str(facts.get("sym") or "")
    if fragment := sym.rpartition(".")[2] or pkg.rpartition("/")[2]:
        args: dict[str, Json] = {"kind": "text", "q": fragment}
        yield unchecked(f"lists the lines with {fragment}", Call("query", args))
    yield unchecked("lists the packages", Call("query", {"kind": "outline"}))


def _readdressed(refused: Refused, near: str) -> Call:
    """The call with `near` for what missed: a package, a name, a member, or a whole address."""
    facts = refused.reject.facts
    missed, sym = str(facts.get("missed") or ""), str(facts.get("sym") or "")
    if missed == "pkg":
        return _with_address(refused, near, sym)
    pkg = str(facts.get("pkg") or "")
    if missed == "receiver" and "/" not in near:
        return _with_address(refused, pkg, f"{near}.{sym.rpartition('.')[2]}")
    if "/" in near or not missed:
        # A whole address: the resolver takes it as the symbol alone.
        return _with_address(refused, "", near)
    return _with_address(refused, pkg, near)


def _with_address(refused: Refused, pkg: str, sym: str) -> Call:
    """Put the address where the call had it: in the refused op, else in the call itself."""
    if refused.tool == "patch" and refused.names_target:
        return refused.with_op(pkg=pkg, sym=sym) if pkg else refused.with_op("pkg", sym=sym)
    if pkg:
        return refused.with_args(pkg=pkg, sym=sym)
    return Call(refused.tool, {**refused.without("pkg").args, "sym": sym})
