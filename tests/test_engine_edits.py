"""Edits through the whole engine, on real modules with the real checkers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from dirs import Dirs
from sessions import opened
from workspaces import copy_demo, write

pytestmark = pytest.mark.go

Json = dict[str, Any]


def op(name: str, **args: Any) -> Json:
    return {"op": name, **args}


def test_a_later_op_sees_what_an_earlier_one_did(tmp_path: Path, ago_dirs: Dirs):
    root = copy_demo(tmp_path)
    ops = [
        op("rename", sym="Tail", to="Rest"),
        op("set_body", sym="Store.Sum", body="return len(Rest(nil)) + s.sum"),
        op("rename", sym="Rest", to="Others"),
        op("rename", sym="Store", to="Shop"),
        op("rename", sym="Shop.Put", to="Add"),
    ]
    with opened(root, ago_dirs) as call:
        answer = call("patch", {"pkg": "demo/lib", "ops": ops})
    assert answer["status"] == "accepted", answer
    text = (root / "lib/lib.go").read_text()
    assert "return len(Others(nil)) + s.sum" in text and "func (s *Shop) Add(v int)" in text
    assert "store.Add(lib.Double(v))" in (root / "main.go").read_text()


def test_names_can_be_swapped_in_one_patch(tmp_path: Path, ago_dirs: Dirs):
    root = copy_demo(tmp_path)
    ops = [op("rename", sym="Small", to="Large"), op("rename", sym="Large", to="Small")]
    with opened(root, ago_dirs) as call:
        answer = call("patch", {"pkg": "demo/sig", "ops": ops})
    assert answer["status"] == "accepted", answer
    assert "\tLarge = 10\n\tSmall = 100\n" in (root / "sig/consts.go").read_text()


def test_handles_of_a_stale_view_follow_their_statements(tmp_path: Path, ago_dirs: Dirs):
    root = copy_demo(tmp_path)
    at = {"pkg": "demo/sig", "sym": "RunAll"}
    with opened(root, ago_dirs) as call:
        old = call("view", at)["generation"]
        ops = [
            op("add_if", at="n2", where="before", cond="len(jobs) == 0"),
            op("add_return", at="$1", where="first", exprs=["0"]),
        ]
        assert call("patch", {**at, "ops": ops})["status"] == "accepted"
        moved = [op("replace_expr", at="n3.rhs[0]", expr="job.Run(total + 0)")]
        answer = call("patch", {**at, "generation": old, "ops": moved})
        assert answer["handles_moved"] == {"n3": "n5"}
        said = {"where": "before", "expr": "println(total)"}
        gone = call("patch", {**at, "generation": old, "ops": [op("add_call", at="n3", **said)]})
        assert gone["reason"] == "stale_generation"
        assert gone["handles_moved"] == {"n2": "n4", "n3": "n5", "n4": "n6"}
        look, again = gone["possible_repairs"]
        assert look["call"] == {"tool": "view", "args": at}
        now = call("view", at)["generation"]
        meant = {"ops": [op("add_call", at="n5", **said)], "generation": now}
        assert again["call"] == {"tool": "patch", "args": {**at, **meant}}
        body = call("patch", {**at, "generation": old, "ops": [op("set_body", body="return 0")]})
        assert body["reason"] == "stale_generation"
        assert body["possible_repairs"][1]["call"]["args"]["generation"] == now
    assert "total = job.Run(total + 0)" in (root / "sig/job.go").read_text()


def test_a_rejection_and_a_dry_run_move_nothing(tmp_path: Path, ago_dirs: Dirs):
    root = copy_demo(tmp_path)
    before = (root / "lib/lib.go").read_bytes()
    at = {"pkg": "demo/lib", "sym": "Double"}
    with opened(root, ago_dirs) as call:
        generation = call("view", at)["generation"]
        broken = call("set_body", {**at, "body": 'return "two"'})
        assert broken["reason"] == "patch_does_not_typecheck"
        assert broken["diagnostics"][0]["pos"] == "lib/lib.go:29:9"
        dry = call("set_body", {**at, "body": "return v + v", "dry_run": True})
        assert (dry["status"], dry["would"]) == ("ok", "accepted")
        assert "+\treturn v + v\n" in dry["diff"] and "-\treturn v * 2\n" in dry["diff"]
        assert call("view", at)["generation"] == generation
        assert call("log", {}).get("count", 0) == 0
    assert (root / "lib/lib.go").read_bytes() == before


def test_imports_come_and_go_with_the_code_that_needs_them(tmp_path: Path, ago_dirs: Dirs):
    root = copy_demo(tmp_path)
    at = {"pkg": "demo/lib", "sym": "helper"}
    with opened(root, ago_dirs) as call:
        came = call("set_body", {**at, "body": 'return len(strings.Fields("a")) + v'})
        assert came["imports"] == {"added": ["lib/helper.go: strings"]}
        went = call("set_body", {**at, "body": "return v"})
        assert went["imports"] == {"removed": ["lib/helper.go: strings"]}
    assert "import" not in (root / "lib/helper.go").read_text()


def test_two_packages_that_fit_are_never_guessed_between(tmp_path: Path, ago_dirs: Dirs):
    root = copy_demo(tmp_path)
    call_args = {"pkg": "demo/sig", "sym": "Unused", "body": "return rand.Int()"}
    with opened(root, ago_dirs) as call:
        answer = call("set_body", call_args)
        assert answer["reason"] == "ambiguous_import"
        assert "math/rand" in answer["did_you_mean"]
        chosen = call("set_body", {**call_args, "prefer_imports": ["math/rand"]})
    assert chosen["imports"]["added"] == ["sig/scale.go: math/rand"]


def test_a_broken_tree_can_be_mended_one_error_at_a_time(tmp_path: Path, ago_dirs: Dirs):
    root = write(
        tmp_path / "m",
        {
            "go.mod": "module example.test/m\n\ngo 1.26\n",
            "a.go": "package m\n\nfunc A() int { return gone }\n\nfunc B() string { return 1 }\n",
        },
    )
    with opened(root, ago_dirs) as call:
        answer = call("set_body", {"pkg": "example.test/m", "sym": "A", "body": "return 1"})
        assert (answer["status"], answer["pre_existing"]) == ("accepted", 1)
        # The error below moved with the text above it, and still blocks nothing.
        taller = "x := 1\n\n\treturn x"
        answer = call("set_body", {"pkg": "example.test/m", "sym": "A", "body": taller})
        assert (answer["status"], answer["pre_existing"]) == ("accepted", 1)
        kept = call("set_body", {"pkg": "example.test/m", "sym": "B", "body": "return 2"})
        assert kept["status"] == "rejected"


CAPTURE = {
    "go.mod": "module example.test/m\n\ngo 1.26\n",
    "a.go": "package m\n\nfunc Size(v []int) int { return len(v) }\n",
}


def test_a_captured_builtin_is_refused_and_can_be_accepted_knowingly(
    tmp_path: Path, ago_dirs: Dirs
):
    root = write(tmp_path / "m", CAPTURE)
    args = {"pkg": "example.test/m", "text": "func len(v []int) int { return 0 }"}
    with opened(root, ago_dirs) as call:
        answer = call("upsert_decl", args)
        assert answer["reason"] == "meaning_changed"
        assert answer["diagnostics"][0]["pos"] == "a.go:3:33"
        (repair,) = answer["possible_repairs"]
        assert repair["checked"] and repair["call"]["args"] == {**args, "allow_rebind": True}
        accepted = call(repair["call"]["tool"], repair["call"]["args"])
    assert accepted["status"] == "accepted"
    assert accepted["rebinds"][0]["code"] == "rebind_ident"


def test_generated_files_are_no_target_unless_allowed(tmp_path: Path, ago_dirs: Dirs):
    generated = (
        "// Code generated by x. DO NOT EDIT.\n\npackage m\n\nfunc G() int { return Size(nil) }\n"
    )
    root = write(tmp_path / "m", {**CAPTURE, "g.go": generated})
    with opened(root, ago_dirs) as call:
        body = {"pkg": "example.test/m", "sym": "G", "body": "return 2"}
        answer = call("set_body", body)
        assert (answer["reason"], answer["detail"]) == ("generated_file", "g.go")
        followed = call("rename", {"pkg": "example.test/m", "sym": "Size", "to": "Count"})
        assert followed["generated"] == ["g.go"]
        assert call("set_body", {**body, "allow_generated": True})["status"] == "accepted"


def test_an_overlaid_file_is_answered_with_text_edits(tmp_path: Path, ago_dirs: Dirs):
    root = copy_demo(tmp_path)
    disk = (root / "lib/helper.go").read_text()
    buffer = disk.replace("// helper takes", "// unsaved\n\n// helper takes")
    args = {
        "pkg": "demo/lib",
        "sym": "helper",
        "to": "assist",
        "overlay": {"lib/helper.go": buffer},
    }
    with opened(root, ago_dirs) as call:
        answer = call("rename", args)
        assert answer["status"] == "accepted" and "edit" not in answer
        assert call("log", {}).get("count", 0) == 0
    text = buffer
    for edit in reversed(answer["edits"]["lib/helper.go"]):
        text = text[: edit["start"]] + edit["text"] + text[edit["end"] :]
    renamed = buffer.replace("helper", "assist").replace("calls assist,", "calls helper,")
    assert text == renamed, "prose stays"
    assert "lib/helper_test.go" in answer["edits"]
    assert (root / "lib/helper.go").read_text() == disk


def test_undo_takes_back_one_edit_and_keeps_later_ones(tmp_path: Path, ago_dirs: Dirs):
    root = copy_demo(tmp_path)
    before = (root / "lib/lib.go").read_text()
    with opened(root, ago_dirs) as call:
        renamed = call("rename", {"pkg": "demo/lib", "sym": "Double", "to": "Twice"})
        body = {"pkg": "demo/lib", "sym": "Store.Sum", "body": "return s.sum + 0"}
        assert call("set_body", body)["status"] == "accepted"
        undone = call("undo", {"edit": renamed["edit"]})
        assert (undone["status"], undone["undo_of"]) == ("accepted", renamed["edit"]), undone
        assert call("undo", {"edit": renamed["edit"]})["reason"] == "already_undone"
    assert (root / "lib/lib.go").read_text() == before.replace(
        "return s.sum\n", "return s.sum + 0\n"
    )


def test_undo_is_refused_where_a_later_edit_changed_the_same_lines(tmp_path: Path, ago_dirs: Dirs):
    root = copy_demo(tmp_path)
    at = {"pkg": "demo/lib", "sym": "Double"}
    with opened(root, ago_dirs) as call:
        first = call("set_body", {**at, "body": "return v + v"})
        assert call("set_body", {**at, "body": "return v << 1"})["status"] == "accepted"
        answer = call("undo", {"edit": first["edit"]})
    assert (answer["reason"], answer["detail"]) == ("undo_conflict", "lib/lib.go")


def test_every_refused_call_answers_with_calls_that_run(tmp_path: Path, ago_dirs: Dirs):
    root = copy_demo(tmp_path)
    refused = [
        ("set_body", {"pkg": "demo/lib", "sym": "Doubel", "body": "return v"}),
        ("set_body", {"pkg": "demo/libs", "sym": "Double", "body": "return v"}),
        ("view", {"pkg": "demo/lib", "sym": "Shop.Sum"}),
        ("patch", {"ops": [op("renam", pkg="demo/lib", sym="Limit", to="Max")]}),
        ("patch", {"pkg": "demo/lib", "sym": "Double", "ops": [op("delete_node", at="n9")]}),
        ("patch", {"pkg": "demo/lib", "ops": [op("set_body", sym="Double", bdy="return v")]}),
        ("rename", {"pkg": "demo/lib", "sym": "Double", "to": "Twice", "dryrun": True}),
    ]
    with opened(root, ago_dirs) as call:
        for tool, args in refused:
            answer = call(tool, args)
            assert answer["status"] == "rejected" and answer["possible_repairs"], json.dumps(answer)
            for repair in answer["possible_repairs"]:
                arguments = repair["call"]["args"]
                if repair["call"]["tool"] not in ("view", "search", "inspect", "help"):
                    arguments = {**arguments, "dry_run": True}
                assert call(repair["call"]["tool"], arguments)["status"] == "ok", repair


UNBUILT = "//go:build tools\n\n"
ELSEWHERE = {
    "go.mod": "module example.test/m\n\ngo 1.26\n",
    "lib/lib.go": "package lib\n\ntype Conf struct{ Name int }\n\nfunc Open() (c Conf) { return }",
    "lib/lib_tools.go": (
        f"{UNBUILT}package lib\n\nfunc win() Conf {{\n\tc := Open()\n\treturn c\n}}\n"
    ),
    "lib/shadow_tools.go": (
        f"{UNBUILT}package lib\n\nfunc o(Open func() Conf) Conf {{ return Open() }}\n"
    ),
    "app/app_tools.go": (
        f'{UNBUILT}package app\n\nimport l "example.test/m/lib"\n\n'
        "var C = l.Open()\n\nvar N = C.Name\n"
    ),
    "app/app.go": "package app\n",
}


def test_files_outside_the_build_follow_a_rename_where_syntax_is_certain(
    tmp_path: Path, ago_dirs: Dirs
):
    root = write(tmp_path / "m", ELSEWHERE)
    with opened(root, ago_dirs) as call:
        answer = call("rename", {"pkg": "example.test/m/lib", "sym": "Open", "to": "Start"})
        assert answer["status"] == "accepted", answer
        assert answer["proof"]["unproven"] == [
            "app/app_tools.go: outside the checked build; rewritten by name",
            "lib/lib_tools.go: outside the checked build; rewritten by name",
            "lib/shadow_tools.go: outside the checked build; mentions Open, left as it is",
        ]
        member = call("rename", {"pkg": "example.test/m/lib", "sym": "Conf.Name", "to": "Title"})
        (said,) = member["proof"]["unproven"]
        assert said == "app/app_tools.go: outside the checked build; mentions Name, left as it is"
    with opened(root, ago_dirs) as call:
        body = call("set_body", {"pkg": "example.test/m/lib", "sym": "Start", "body": "return c"})
        assert "unproven" not in body["proof"]
        more = {"pkg": "example.test/m/lib", "sym": "Start", "name": "n", "type": "int"}
        grown = call("add_param", {**more, "default": "1"})
        assert grown["status"] == "accepted" and len(grown["proof"]["unproven"]) == 2, grown
        gone = [op("delete_decl", pkg="example.test/m/lib", sym="Start")]
        assert call("patch", {"ops": gone})["reason"] == "still_referenced"
    assert "var C = l.Start(1)" in (root / "app/app_tools.go").read_text()
    assert "c := Start(1)" in (root / "lib/lib_tools.go").read_text()
    assert "o(Open func() Conf)" in (root / "lib/shadow_tools.go").read_text()


def test_the_old_name_of_a_renamed_declaration_leads_to_the_new_one(tmp_path: Path, ago_dirs: Dirs):
    root = copy_demo(tmp_path)
    with opened(root, ago_dirs) as call:
        for sym, to in (("Double", "Twice"), ("Twice", "TwoTimes"), ("Store", "Shop")):
            ops = [op("rename", sym=sym, to=to)]
            assert call("patch", {"pkg": "demo/lib", "ops": ops})["status"] == "accepted"
        missed = call("view", {"pkg": "demo/lib", "sym": "Double"})
        assert missed["did_you_mean"] == ["TwoTimes"]
        repair = missed["possible_repairs"][0]
        assert repair["call"]["args"] == {"pkg": "demo/lib", "sym": "TwoTimes"}
        assert call("view", {"sym": "demo/lib.Store.Put"})["did_you_mean"] == ["Shop"]
        assert call("undo", {"edit": 3})["status"] == "accepted"
        assert call("view", {"pkg": "demo/lib", "sym": "Shop"})["did_you_mean"] == ["Store"]


def test_what_is_found_by_its_name_is_unproven(tmp_path: Path, ago_dirs: Dirs):
    files = {
        "go.mod": "module example.test/m\n\ngo 1.26\n",
        "m.go": (
            "package m\n\n//go:generate stringer -type=K,T\n\n"
            "type T struct{}\n\nfunc (T) Full() {}\n"
        ),
        "by/by.go": (
            'package by\n\nimport (\n\t"reflect"\n\n\t"example.test/m"\n)\n\n'
            'var V = reflect.ValueOf(m.T{}).MethodByName("Full")\n'
        ),
        "far/far.go": 'package far\n\nimport _ "text/template"\n',
        # An element without XMLName has the name of its type, a service that of type and method.
        "on/on.go": (
            'package on\n\nimport (\n\t"encoding/xml"\n\t"net/rpc"\n)\n\n'
            "type Desk struct{}\n\nfunc (*Desk) Take(n int, to *int) error { return nil }\n\n"
            'type Tag struct{ XMLName xml.Name `xml:"tag"` }\n\n'
            "var E = rpc.Register(new(Desk))\n\nvar _, _ = xml.Marshal(Tag{})\n"
        ),
    }
    with opened(write(tmp_path / "m", files), ago_dirs) as call:
        answer = call("rename", {"pkg": "example.test/m", "sym": "T.Full", "to": "Whole"})
        said = "by/by.go: reflect may find Full by its name"
        assert answer["proof"]["unproven"] == [said], answer
        answer = call("rename", {"pkg": "example.test/m", "sym": "T", "to": "K2"})
        said = "m.go: a go:generate line has the name T"
        assert answer["proof"]["unproven"] == [said], answer
        answer = call("rename", {"pkg": "example.test/m/on", "sym": "Desk.Take", "to": "Get"})
        assert answer["proof"]["unproven"] == ["on/on.go: net/rpc may find Take by its name"]
        answer = call("rename", {"pkg": "example.test/m/on", "sym": "Desk", "to": "Table"})
        said = "on/on.go: {} may call by the name of Desk what it writes or serves"
        both = [said.format(name) for name in ("encoding/xml", "net/rpc")]
        assert answer["proof"]["unproven"] == both, answer
        answer = call("rename", {"pkg": "example.test/m/on", "sym": "Tag", "to": "Mark"})
        said = "on/on.go: net/rpc may call by the name of Tag what it writes or serves"
        assert answer["proof"]["unproven"] == [said], answer


def test_a_package_out_of_reach_is_named_with_the_rule(tmp_path: Path, ago_dirs: Dirs):
    """Spec, Import declarations: no cycles; cmd/go: commands and internal packages."""
    root = write(tmp_path / "demo", {
        "go.mod": "module demo\n\ngo 1.26\n",
        "app/app.go": "package app\n\nimport \"demo/mid\"\n\nfunc Run() int { return mid.One() }\n",
        "mid/mid.go": "package mid\n\nimport \"demo/lib\"\n\nfunc One() int { return lib.One() }\n",
        "lib/lib.go": "package lib\n\nfunc One() int { return 1 }\n",
        "cmd/main.go": "package main\n\nfunc main() {}\n\nfunc Tool() int { return 1 }\n",
        "cmd/internal/deep/deep.go": "package deep\n\nfunc Deep() int { return 1 }\n",
    })  # fmt: skip
    body = "return app.Run() + deep.Deep() + cmd.Tool() + nowhere.At()"
    with opened(root, ago_dirs) as call:
        answer = call("set_body", {"pkg": "demo/lib", "sym": "One", "body": body})
    assert answer["detail"] == (
        "4 new diagnostics"
        "; demo/app can't be imported in demo/lib: it imports demo/mid, which imports demo/lib"
        "; demo/cmd can't be imported in demo/lib: it is a command"
        "; demo/cmd/internal/deep can't be imported in demo/lib: it is internal to demo/cmd"
    )
