"""`ago lsp`: an editor and agents on one workspace, through a real server and a real daemon."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from dirs import Dirs
from editor_double import Editor, editor_on
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from workspaces import write

from ago.fronts.lsp.features import TRIED_NAME

pytestmark = [pytest.mark.go, pytest.mark.daemon]

GREET = """package greet

import "errors"

// Greeting says hello to a name: žluť, 𝛼.
func Greeting(name string) (string, error) {
	if name == "" {
		return "", errors.New("no name")
	}
	switch name {
	case "you":
		return "hi", nil
	}
	return "hello " + name, nil
}

// Both greets two.
func Both(a, b string) (string, error) {
	first, err := Greeting(a)
	if err != nil {
		return "", err
	}
	second, _ := Greeting(b)
	return first + second, nil
}

type Box struct{ n int }
"""
USE = """package main

import "example.test/m/greet"

func main() {
	s, _ := greet.Greeting("x")
	println(s)
}
"""
FILES = {"go.mod": "module example.test/m\n\ngo 1.24\n", "greet/greet.go": GREET, "main.go": USE}


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory, ago_dirs: Dirs) -> Iterator[Editor]:
    folder = tmp_path_factory.mktemp("lsp")
    with editor_on(write(folder / "m", FILES).resolve(), ago_dirs, folder) as found:
        yield found


@pytest.fixture(autouse=True)
def fresh(editor: Editor) -> None:
    """Every test begins with the same files and none of them open."""
    editor.close_all()
    for path in editor.root.rglob("*.go"):
        if path.relative_to(editor.root).as_posix() not in FILES:
            path.unlink()
    write(editor.root, FILES)
    editor.diagnostics.clear()
    editor.messages.clear()


def disk(editor: Editor, path: str) -> str:
    return (editor.root / path).read_text()


def test_a_rename_is_committed_and_open_files_follow(editor: Editor):
    editor.open("greet/greet.go")
    editor.open("main.go")
    position = editor.at("greet/greet.go", "Greeting(name", 3)
    params = types.PrepareRenameParams(editor.doc("greet/greet.go"), position)
    ready = editor.wait(editor.client.text_document_prepare_rename_async(params))
    assert ready.placeholder == "Greeting"
    assert TRIED_NAME not in disk(editor, "greet/greet.go"), "it was only tried"
    edit = editor.rename("greet/greet.go", "Greeting(name", "Hello")
    assert not edit.document_changes, "the files are written: there is nothing to do"
    editor.until(lambda: "greet.Hello" in editor.buffers["main.go"].text)
    assert "// Hello says hello to a name: žluť, 𝛼." in disk(editor, "greet/greet.go")
    assert editor.buffers["greet/greet.go"].text == disk(editor, "greet/greet.go")
    log = editor.command("ago.call", {"uri": editor.uri("main.go"), "tool": "log"})
    newest = log["edits"][0]
    assert newest["title"] == "rename example.test/m/greet.Greeting to Hello"
    undo = {"uri": editor.uri("main.go"), "tool": "undo", "args": {"edit": newest["edit"]}}
    assert editor.command("ago.call", undo)["status"] == "accepted"
    editor.until(lambda: editor.buffers["main.go"].text == USE)


def test_a_local_is_renamed_where_it_is_used(editor: Editor):
    editor.rename("greet/greet.go", "first, err", "one")
    assert "return one + second" in disk(editor, "greet/greet.go")


def test_unsaved_text_is_judged_and_kept(editor: Editor):
    typed = GREET.replace("func Both", 'func New() string {\n\treturn ""\n}\n\nfunc Both')
    typed = typed.replace("// Both greets two.\n", "// Unsaved.\n\n// Both greets two.\n")
    editor.type("greet/greet.go", typed)
    edit = editor.rename("greet/greet.go", "Greeting(name", "Hello")
    assert edit.document_changes, "the edit is the editor's: the buffer is not written over"
    text = editor.buffers["greet/greet.go"].text
    assert "// Unsaved." in text and "func Hello(name" in text and "first, err := Hello(a)" in text
    assert disk(editor, "greet/greet.go") == GREET
    assert "greet.Hello" in disk(editor, "main.go"), "a file that is not open goes with the edit"
    editor.save("greet/greet.go")
    assert editor.cli("status").returncode == 0
    with pytest.raises(JsonRpcException, match="New"):
        editor.rename("greet/greet.go", "Both(a", "New")


def test_a_declaration_that_is_not_saved_yet_can_be_renamed_and_extended(editor: Editor):
    typed = GREET + '\nfunc Late() string { s, _ := Greeting("x"); return s }\n'
    editor.type("greet/greet.go", typed)
    editor.rename("greet/greet.go", "Late()", "Later")
    assert "func Later() string" in editor.buffers["greet/greet.go"].text
    offers = editor.actions("greet/greet.go", "Later()", 2)
    answer = editor.choose(offers["Add a parameter to Later (ago)"], name="n", type="int")
    assert answer["status"] == "accepted", answer
    assert "func Later(n int) string" in editor.buffers["greet/greet.go"].text
    assert disk(editor, "greet/greet.go") == GREET


def test_an_agents_edit_goes_between_what_was_typed(editor: Editor):
    typed = GREET.replace("type Box struct{ n int }", "type Box struct{ n, m int }")
    editor.type("greet/greet.go", typed)
    done = editor.cli("rename", "greet.Greeting", "Hello")
    assert done.returncode == 0, done.stdout
    editor.until(lambda: "func Hello" in editor.buffers["greet/greet.go"].text)
    want = disk(editor, "greet/greet.go").replace("{ n int }", "{ n, m int }")
    assert editor.buffers["greet/greet.go"].text == want
    editor.save("greet/greet.go")
    assert editor.cli("status").returncode == 0


def test_lines_that_both_changed_are_shown_and_left(editor: Editor):
    typed = GREET.replace("func Both(a, b string)", "func Both(a, b string, mine int)")
    editor.type("greet/greet.go", typed)
    assert editor.cli("rename", "greet.Both", "Two").returncode == 0
    editor.until(lambda: editor.diagnostics.get("greet/greet.go"))
    (found,) = {d.code for d in editor.diagnostics["greet/greet.go"]}
    assert found == "buffer_conflict"
    assert editor.buffers["greet/greet.go"].text == typed


def test_files_that_others_write_are_told(editor: Editor):
    editor.open("main.go")
    seen = len(editor.refreshes)
    (editor.root / "main.go").write_text(USE.replace('"x"', '"y"'))
    editor.until(lambda: any("main.go" in files for _, files in editor.refreshes[seen:]))
    editor.until(lambda: '"y"' in editor.buffers["main.go"].text)


def test_a_refused_rename_is_shown_at_its_place_until_something_is_typed(editor: Editor):
    editor.open("greet/greet.go")
    with pytest.raises(JsonRpcException, match="Both"):
        editor.rename("greet/greet.go", "Greeting(name", "Both")
    editor.until(lambda: any(editor.diagnostics.values()))
    (shown,) = editor.diagnostics["greet/greet.go"]
    assert shown.source == "ago"
    editor.type("greet/greet.go", GREET + "\n")
    editor.until(lambda: not any(editor.diagnostics.values()))


def test_only_a_name_is_renamed(editor: Editor):
    for needle in ("func Both", '"you"', "// Both greets two"):
        with pytest.raises(JsonRpcException, match="no name here"):
            editor.rename("greet/greet.go", needle, "Other")


def test_a_refusal_offers_its_repairs(editor: Editor):
    offers = editor.actions("greet/greet.go", "Greeting(name", 1)
    refused = editor.choose(
        offers["Add a parameter to Greeting (ago)"], name="n", type="tme.Time", default="0"
    )
    assert refused["status"] == "rejected"
    assert editor.messages
    repairs = refused.get("possible_repairs", [])
    editor.until(lambda: any(editor.diagnostics.values()))
    path, (shown, *_) = next((p, d) for p, d in editor.diagnostics.items() if d)
    params = types.CodeActionParams(editor.doc(path), shown.range, types.CodeActionContext([shown]))
    found = editor.wait(editor.client.text_document_code_action_async(params))
    assert sum(action.kind == "quickfix" for action in found) == len(repairs)


def test_code_actions_fit_the_cursor(editor: Editor):
    at_call = editor.actions("greet/greet.go", "second, _", 1)
    wrap = at_call["Return the error of Greeting, wrapped (ago)"]
    assert editor.choose(wrap, message="second")["status"] == "accepted"
    assert 'fmt.Errorf("second: %w", err)' in disk(editor, "greet/greet.go")
    editor.until(lambda: "%w" in editor.buffers["greet/greet.go"].text)
    switch = editor.actions("greet/greet.go", "switch name", 1)["Add a case to the switch (ago)"]
    assert editor.choose(switch, exprs='"me", f("a, b")')["reason"] == "patch_does_not_typecheck"
    assert editor.choose(switch, exprs='"me", "us"')["status"] == "accepted"
    assert 'case "me", "us":' in disk(editor, "greet/greet.go")
    test = editor.actions("greet/greet.go", "func Both")["Add a test of Both (ago)"]
    assert editor.choose(test)["status"] == "accepted"
    row = editor.actions("greet/greet_test.go", "func TestBoth")["Add a case to TestBoth (ago)"]
    answer = editor.choose(row, name="two", args='"a", "b"', want='"hello ahello b", false')
    assert answer["status"] == "accepted", answer
    box = editor.actions("greet/greet.go", "type Box", 6)
    stub = editor.choose(box["Implement an interface with Box (ago)"], interface="fmt.Stringer")
    assert stub["status"] == "accepted"
    moved = editor.choose(box["Move Box to another file (ago)"], to_file="box.go")
    assert moved["status"] == "accepted", moved
    assert "type Box struct" in disk(editor, "greet/box.go")
    standing = editor.command("ago.call", {"uri": editor.uri("main.go"), "tool": "status"})
    assert "diagnostics" not in standing, standing


def test_references_and_symbols_have_the_buffers_positions(editor: Editor):
    editor.type("main.go", "// typed\n" + USE)
    position = editor.at("greet/greet.go", "Greeting(name", 2)
    for declaration, count in ((True, 5), (False, 4)):
        context = types.ReferenceContext(declaration)
        params = types.ReferenceParams(context, editor.doc("greet/greet.go"), position)
        found = editor.wait(editor.client.text_document_references_async(params))
        assert len(found) == count
    (main,) = [ref for ref in found if ref.uri.endswith("main.go")]
    assert main.range.start == editor.at("main.go", "Greeting"), "one line further down"
    symbols = types.WorkspaceSymbolParams("greeti")
    (hit,) = editor.wait(editor.client.workspace_symbol_async(symbols))
    assert (hit.name, hit.location.range.start.line) == ("Greeting", 5)
