"""Addresses: every form that callers write, to the one declaration it means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from dirs import Dirs
from workspaces import opened, write

from ago.workspace.address import resolve, resolve_package
from ago.workspace.near import near_packages
from ago.workspace.snapshot import Snapshot
from grammar_ops.near import near_names
from grammar_ops.reject import Reject

pytestmark = pytest.mark.go

MODULE = {
    "go.mod": "module example.com/m\n\ngo 1.26\n",
    "main.go": "package main\n\nfunc main() {}\n",
    "store/store.go": """package store

import "fmt"

// Base is embedded below.
type Base struct{ ID, Dup int }

func (b *Base) Save() error { return nil }

type Other struct{ Dup int }

// Store embeds twice.
type Store[K comparable] struct {
	Base
	*Other
	Items map[K]string
}

func (s *Store[K]) Put(k K) { fmt.Println(k) }

type Saver interface{ Save() error }

type LoudSaver interface {
	Saver
	Shout()
}

const (
	// One is first.
	One = iota
	Two
)

func New() *Store[int] { return nil }
""",
    "store/store_linux.go": "package store\n\nfunc onLinux() {}\n",
    "store/store_windows.go": "package store\n\nfunc onWindows() {}\n",
    "store/by_hand.go": "//go:build ignore\n\npackage store\n",
    "store/store_test.go": "package store\n\nfunc helper() {}\n",
    "store/ext_test.go": "package store_test\n\nfunc outside() {}\n",
    "a/util/util.go": "package util\n\nfunc Twice() {}\n\nfunc OnlyA() {}\n",
    "client/v3/client.go": "package clientv3\n\nfunc Dial() {}\n",
    "it/clientv3/it.go": "package clientv3\n\nfunc Check() {}\n",
    "b/util/util.go": "package util\n\nfunc Twice() {}\n\ntype New struct{}\n",
    "yaml.v3/yaml.go": "package yaml\n\ntype Node struct{ Kind int }\n",
}


@pytest.fixture(scope="module")
def snapshot(ago_dirs: Dirs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    root = write(tmp_path_factory.mktemp("address") / "m", MODULE)
    with opened(root, ago_dirs) as workspace, workspace.snapshot() as taken:
        yield taken


M = "example.com/m"
STORE = f"{M}/store"
TESTS = ["store/store_test.go", "store/store_linux.go"]


@pytest.mark.parametrize(
    ("pkg", "sym", "means"),
    [
        # Packages: import path, suffix, folder, file's package.
        (STORE, "New", f"{STORE}.New"),
        ("store", "New", f"{STORE}.New"),
        ("m/store", "New", f"{STORE}.New"),
        ("./store", "New", f"{STORE}.New"),
        ("store/", "New", f"{STORE}.New"),
        ("a/util", "Twice", f"{M}/a/util.Twice"),
        (".", "main", f"{M}.main"),
        ("yaml", "Node", f"{M}/yaml.v3.Node"),
        # Several packages fit, one declares the name.
        ("util", "OnlyA", f"{M}/a/util.OnlyA"),
        ("clientv3", "Dial", f"{M}/client/v3.Dial"),
        ("", "clientv3.Check", f"{M}/it/clientv3.Check"),
        # Symbols.
        (STORE, "(*Store).Put", f"{STORE}.Store.Put"),
        (STORE, "(*Store[K]).Put", f"{STORE}.Store.Put"),
        (STORE, "Store[int].Put", f"{STORE}.Store.Put"),
        (STORE, "*Store.Put", f"{STORE}.Store.Put"),
        (STORE, "Store.Put()", f"{STORE}.Store.Put"),
        (STORE, "func (s *Store[K]) Put(k K)", f"{STORE}.Store.Put"),
        (STORE, "func New() *Store[int]", f"{STORE}.New"),
        (STORE, "Store.Items", f"{STORE}.Store.Items"),
        (STORE, "Two", f"{STORE}.Two"),
        (STORE, "store.New", f"{STORE}.New"),
        ("", "store.New", f"{STORE}.New"),
        ("", f"{STORE}.New", f"{STORE}.New"),
        ("", f"{STORE}.Store.Put", f"{STORE}.Store.Put"),
        ("", f"{STORE}.(*Store).Put", f"{STORE}.Store.Put"),
        (f"{STORE}.New", "", f"{STORE}.New"),
        ("", f"{M}/yaml.v3.Node.Kind", f"{M}/yaml.v3.Node.Kind"),
        ("", "OnlyA", f"{M}/a/util.OnlyA"),
        # Promoted: the address of what is declared.
        (STORE, "Store.Save", f"{STORE}.Base.Save"),
        (STORE, "Store.ID", f"{STORE}.Base.ID"),
        (STORE, "LoudSaver.Save", f"{STORE}.Saver.Save"),
        ("", "Store.ID", f"{STORE}.Base.ID"),
        # A method alone, where nothing else has its name.
        (STORE, "Put", f"{STORE}.Store.Put"),
        # Tests.
        (STORE, "helper", f"{STORE}.helper"),
        (STORE, "outside", f"{STORE}_test.outside"),
        (f"{STORE}_test", "outside", f"{STORE}_test.outside"),
        # Outside the build.
        (STORE, "onWindows", f"{STORE}.onWindows"),
        # Positions.
        ("", "store/store.go:8", f"{STORE}.Base.Save"),
        ("", "store.go:8:10", f"{STORE}.Base.Save"),
        (STORE, "store.go:29", f"{STORE}.One"),
        (STORE, "store.go:31", f"{STORE}.Two"),
        ("", "store_windows.go:3", f"{STORE}.onWindows"),
        ("", "ext_test.go:3", f"{STORE}_test.outside"),
    ],
)
def test_one_meaning_is_used(snapshot: Snapshot, pkg: str, sym: str, means: str) -> None:
    address = resolve(snapshot, pkg, sym)
    assert address.symbol == means
    canonical = pkg == address.pkg and sym == address.sym
    assert address.resolved == (None if canonical else means)


@pytest.mark.parametrize(
    ("pkg", "sym", "reason", "near"),
    [
        (f"{M}/stoer", "New", "package_not_found", [STORE]),
        ("example.com.m.store", "New", "package_not_found", [STORE]),
        (STORE, "Nwe", "symbol_not_found", ["New"]),
        (STORE, "new", "symbol_not_found", ["New"]),
        (STORE, "Twice", "symbol_not_found", [f"{M}/a/util.Twice", f"{M}/b/util.Twice"]),
        (STORE, "Store.Pot", "member_not_found", ["Store.Put"]),
        (STORE, "Stroe.Put", "receiver_type_not_found", ["Store"]),
        # Two embedded fields at one depth: the selector is ambiguous in Go, so it means nothing.
        (STORE, "Store.Dup", "member_not_found", ["Base.Dup", "Other.Dup"]),
        ("", "Noo", "symbol_not_found", []),
        ("", "OnlyB", "symbol_not_found", [f"{M}/a/util.OnlyA"]),
        ("util", "Twice", "ambiguous_address", [f"{M}/a/util.Twice", f"{M}/b/util.Twice"]),
        ("", "Twice", "ambiguous_address", [f"{M}/a/util.Twice", f"{M}/b/util.Twice"]),
        ("", "util.go:3", "ambiguous_address", ["a/util/util.go:3", "b/util/util.go:3"]),
        ("", "stor.go:3", "file_not_found", [f"{path}:3" for path in ("store/store.go", *TESTS)]),
        ("", "store_linux.go:99", "no_declaration_there", [f"{STORE}.onLinux"]),
        ("", "store_linux.go", "address_required", [f"{STORE}.onLinux"]),
        ("", "", "address_required", []),
        ("fmt", "Println", "package_not_found", []),
    ],
)
def test_no_meaning_or_several_are_refused_with_names(
    snapshot: Snapshot, pkg: str, sym: str, reason: str, near: list[str]
) -> None:
    with pytest.raises(Reject) as caught:
        resolve(snapshot, pkg, sym)
    assert (caught.value.reason, list(caught.value.did_you_mean)) == (reason, near)


@pytest.mark.parametrize(
    ("pkg", "sym", "want", "kind", "path"),
    [
        ("", "store_linux.go", "view", "file", "store/store_linux.go"),
        ("store", "", "view", "package", "store"),
        ("", "store", "view", "package", "store"),
        ("fmt", "Println", "any", "", ""),
        ("", "fmt.Println", "any", "", ""),
    ],
)
def test_some_calls_take_more_than_declarations(
    snapshot: Snapshot, pkg: str, sym: str, want: Literal["view", "any"], kind: str, path: str
) -> None:
    address = resolve(snapshot, pkg, sym, want)
    assert (address.kind, address.path) == (kind, path)


def test_a_package_is_meant_alone(snapshot: Snapshot) -> None:
    assert resolve_package(snapshot, "store") == STORE
    assert resolve_package(snapshot, "./b/util") == f"{M}/b/util"
    with pytest.raises(Reject, match="ambiguous_address"):
        resolve_package(snapshot, "util")
    with pytest.raises(Reject, match="package_not_found"):
        resolve_package(snapshot, "nowhere")


def test_files_that_no_context_compiles_are_named(snapshot: Snapshot) -> None:
    assert "store/by_hand.go" in snapshot.uncovered()


@pytest.mark.parametrize(
    ("query", "names", "best"),
    [
        ("normalize", ["Normalise", "Normalize", "Normal"], ["Normalize", "Normalise", "Normal"]),
        ("UserStore", ["Store", "NewUserStore", "U"], ["NewUserStore", "Store"]),
        ("GetUserByName", ["GetByName", "Other"], ["GetByName"]),
        ("abc", ["a", "xyz"], []),
        ("undefinedThing", ["uint"], []),
    ],
)
def test_near_names_come_best_first(query: str, names: list[str], best: list[str]) -> None:
    assert list(near_names(query, names)) == best


def test_near_packages_read_dots_as_slashes() -> None:
    paths = ["a.com/x/y", "a.com/x/why", "b.org/y"]
    assert near_packages("a.com.x.y", paths) == ["a.com/x/y", "b.org/y"]
