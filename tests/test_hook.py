"""`ago hook` on the calls that Claude Code and Codex send: what is denied, told and let through."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from dirs import Dirs
from sessions import AGO
from workspaces import copy_demo, write

from ago.daemon import hooked
from ago.daemon.terminal import Terminal
from ago.fronts.hook.payload import inner_texts, read_texts
from ago.main import Host
from ago.patch.propose import surviving

Json = dict[str, Any]
Hook = Callable[..., Json]

HELPER = "return v + 1"


def claude(root: Path, tool: str, **given: object) -> Json:
    """A call of PreToolUse as Claude Code sends it."""
    return {
        "session_id": "5f2c", "transcript_path": "/home/u/.claude/projects/demo/5f2c.jsonl",
        "cwd": str(root), "permission_mode": "default", "hook_event_name": "PreToolUse",
        "tool_name": tool, "tool_input": given, "tool_use_id": "toolu_01",
    }  # fmt: skip


def edit(root: Path, path: str, old: str, new: str, **given: object) -> Json:
    """A call of Claude Code's Edit."""
    place = str(root / path)
    return claude(root, "Edit", file_path=place, old_string=old, new_string=new, **given)


def codex(root: Path, patch: str) -> Json:
    """A call of PreToolUse as Codex sends it."""
    return {
        "session_id": "0199", "turn_id": "1", "transcript_path": None, "cwd": str(root),
        "hook_event_name": "PreToolUse", "model": "gpt-5-codex", "permission_mode": "default",
        "tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_use_id": "call_1",
    }  # fmt: skip


# -- what a call is about to write -----------------------------------------------------------------


def texts(root: Path, call: Json) -> dict[str, bytes | None]:
    return dict(inner_texts(read_texts(call), root.resolve()))


def test_edits_as_their_tool_makes_them(tmp_path: Path) -> None:
    write(tmp_path, {"a.go": "package a\n\nvar x, y = 1, 1\n"})
    assert texts(tmp_path, edit(tmp_path, "a.go", "x, y", "y, x")) == {
        "a.go": b"package a\n\nvar y, x = 1, 1\n"
    }
    assert texts(tmp_path, edit(tmp_path, "a.go", "1", "2")) == {}, "the tool wants one place"
    everywhere = edit(tmp_path, "a.go", "1", "2", replace_all=True)
    assert texts(tmp_path, everywhere) == {"a.go": b"package a\n\nvar x, y = 2, 2\n"}
    assert texts(tmp_path, edit(tmp_path, "a.go", "z", "2")) == {}, "the tool finds nothing"
    assert texts(tmp_path, edit(tmp_path, "b.go", "", "package a\n")) == {"b.go": b"package a\n"}
    assert texts(tmp_path, edit(tmp_path, "a.go", "", "package a\n")) == {}


def test_several_edits_follow_one_another(tmp_path: Path) -> None:
    write(tmp_path, {"a.go": "package a\n"})
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": " b", "new_string": " c"}]
    once = claude(tmp_path, "MultiEdit", file_path=str(tmp_path / "a.go"), edits=edits[1:])
    assert texts(tmp_path, once) == {}
    edits[0]["old_string"] = "e a"
    edits[0]["new_string"] = "e b"
    both = claude(tmp_path, "MultiEdit", file_path=str(tmp_path / "a.go"), edits=edits)
    assert texts(tmp_path, both) == {"a.go": b"package c\n"}


def test_line_ends_and_quotes_are_the_files(tmp_path: Path) -> None:
    (tmp_path / "a.go").write_bytes("package a\r\n\r\n// it\u2019s\r\n".encode())
    call = edit(tmp_path, "a.go", "\n\n// it's", "\n\n// is")
    assert texts(tmp_path, call) == {"a.go": b"package a\r\n\r\n// is\r\n"}


def test_patches_as_codex_applies_them(tmp_path: Path) -> None:
    write(tmp_path, {"a.go": "package a\n\nvar x = 1\n\nvar y = 1\n", "b.go": "package a\n"})
    patch = (
        "*** Begin Patch\n*** Update File: a.go\n*** Move to: c.go\n@@\n-var x = 1\n+var x = 2\n"
        "*** Delete File: b.go\n*** Add File: d.go\n+package a\n*** End Patch\n"
    )
    assert texts(tmp_path, codex(tmp_path, patch)) == {
        "a.go": None, "b.go": None, "c.go": b"package a\n\nvar x = 2\n\nvar y = 1\n",
        "d.go": b"package a\n",
    }  # fmt: skip
    assert texts(tmp_path, codex(tmp_path, patch.replace("x = 1", "z = 1"))) == {}
    shell = codex(tmp_path, f"apply_patch <<'EOF'\n{patch}EOF\n") | {"tool_name": "Bash"}
    assert "c.go" in texts(tmp_path, shell)


@pytest.mark.parametrize(
    "call",
    [
        {}, {"tool_name": "Bash", "tool_input": {"command": "ls a.go"}}, {"tool_input": "x"},
        {"tool_name": "Edit", "tool_input": {"file_path": 1}},
        {"tool_name": "MultiEdit", "tool_input": {"file_path": "a.go", "edits": "x"}},
        {"tool_name": "Write", "tool_input": {"file_path": "a.go"}},
        {"tool_name": "apply_patch", "tool_input": {"command": "*** Begin Patch\nx\n"}},
    ],
)  # fmt: skip
def test_what_is_no_edit_is_left_alone(call: Json) -> None:
    assert read_texts(call) == {}


def test_lines_that_survive_a_proposed_text() -> None:
    assert surviving(b"a\nb\nc\n", b"a\nx\nc\n") == ((0, 0, 2), (4, 4, 2))
    assert surviving(b"a\n", b"a\n") == ((0, 0, 2),)
    assert surviving(b"", b"a\n") == ()
    assert surviving(b"a\nk\nb\n", b"x\nk\ny\n") == ((2, 2, 2),)


# -- decisions -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    demo = copy_demo(tmp_path_factory.mktemp("hook")).resolve()
    return write(demo, {"lib/w_windows.go": "package lib\n\nvar w = helper(1)\n"})


@pytest.fixture(scope="module")
def hook(root: Path, ago_dirs: Dirs) -> Iterator[Hook]:
    """`ago hook` in this process, on one workspace."""
    host = Host(root, ago_dirs.env())

    def ask(call: Json | bytes, *argv: str) -> Json:
        out: list[bytes] = []
        stdin = call if isinstance(call, bytes) else json.dumps(call).encode()
        terminal = Terminal(
            cwd=str(root), env={}, out=out.append, err=out.append, read_stdin=lambda: stdin
        )
        assert host.run(["hook", *(argv or ("pre-edit",))], terminal) == 0
        return json.loads(b"".join(out)) if out else {}

    try:
        yield ask
    finally:
        host.close()


def denied(answer: Json) -> str:
    """Why an edit is denied."""
    decision = answer["hookSpecificOutput"]
    assert decision["hookEventName"] == "PreToolUse"
    assert decision["permissionDecision"] == "deny"
    return str(decision["permissionDecisionReason"])


def told(answer: Json) -> str:
    """What an edit that is let through is told."""
    decision = answer["hookSpecificOutput"]
    assert set(decision) == {"hookEventName", "additionalContext"}
    return str(decision["additionalContext"])


@pytest.mark.go
def test_nothing_is_said_of_what_compiles(root: Path, hook: Hook) -> None:
    assert hook(edit(root, "lib/helper.go", HELPER, "return v + Limit")) == {}
    whole = claude(root, "Write", file_path=str(root / "lib/new.go"), content="package lib\n")
    assert hook(whole) == {}


@pytest.mark.go
def test_text_that_does_not_parse_is_denied(root: Path, hook: Hook) -> None:
    reason = denied(hook(edit(root, "lib/helper.go", HELPER, "return v + (")))
    assert "would not parse" in reason and "lib/helper.go:6:1" in reason


@pytest.mark.go
def test_new_errors_in_the_edited_declaration_are_denied(root: Path, hook: Hook) -> None:
    patch = "*** Begin Patch\n*** Update File: lib/helper.go\n@@\n-\treturn v + 1\n+\treturn x\n"
    assert "lib/helper.go:5:9: undefined: x" in denied(hook(codex(root, patch)))


@pytest.mark.go
def test_a_missing_import_may_come_first(root: Path, hook: Hook) -> None:
    use = edit(root, "lib/helper.go", HELPER, "return v + len(strings.ToUpper(``))")
    assert "in one before it" in denied(hook(use))
    assert "in one before it" not in denied(hook(use, "pre-edit", "--strict"))
    first = edit(root, "lib/helper.go", "package lib\n", 'package lib\n\nimport "strings"\n')
    assert "imported and not used" in told(hook(first))


@pytest.mark.go
def test_errors_elsewhere_are_told_or_denied(root: Path, hook: Hook) -> None:
    call = edit(root, "lib/lib.go", "func Double(v int) int {", "func Double(v, _ int) int {")
    assert "main.go:14:25" in told(hook(call))
    assert "main.go:14:25" in denied(hook(call, "pre-edit", "--strict"))


@pytest.mark.go
def test_an_edit_that_lowers_the_number_of_errors_goes_through(root: Path, hook: Hook) -> None:
    bad = root / "sig" / "bad.go"
    bad.write_text("package sig\n\nfunc bad() (int, int) {\n\treturn one, two\n}\n")
    try:
        assert hook({}, "post-edit") == {}
        better = edit(root, "sig/bad.go", "one, two", "1, x")
        assert hook(edit(root, "sig/bad.go", "one, two", "1, 2")) == {}
        assert "undefined: x" in told(hook(better))
        assert "undefined: x" in denied(hook(edit(root, "sig/bad.go", "two", "x + y")))
    finally:
        bad.unlink()


@pytest.mark.go
def test_a_file_of_another_system_is_judged_in_its_own(root: Path, hook: Hook) -> None:
    assert "w_windows.go:3:" in denied(hook(edit(root, "lib/w_windows.go", "(1)", "(`1`)")))


@pytest.mark.go
def test_what_can_not_be_judged_passes_with_a_word(root: Path, hook: Hook, tmp_path: Path) -> None:
    for call in (b"{", b"", b"[]"):
        assert "not judged" in hook(call)["systemMessage"]
    nul = claude(root, "Write", file_path="lib/\0.go", content="package lib\n")
    assert "null byte" in hook(nul)["systemMessage"]
    outside = claude(root, "Write", file_path=str(tmp_path / "x.go"), content="package x\n")
    assert hook(outside) == {}, "a file of another workspace is none of this daemon's"
    prose = claude(root, "Write", file_path=str(root / "README.md"), content="x.go")
    assert hook(prose) == {}


# -- the thin client -------------------------------------------------------------------------------


def files_of(call: Json) -> list[str]:
    return hooked._list_files(json.dumps(call), ".")


def test_the_client_finds_the_files_of_a_call(tmp_path: Path) -> None:
    odd = 'func f() { "file_path": "no.go" }'
    assert files_of(edit(tmp_path, "a\u00e9.go", odd, odd)) == [f"{tmp_path}/a\u00e9.go"]
    patch = "*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n*** Add File: c.go\n+x\n"
    names = [f"{tmp_path}/{name}.go" for name in "abc"]
    assert files_of(codex(tmp_path, patch)) == names
    assert hooked._list_files('{"cwd": "/x", "tool_input": {"file_path": "a', ".") == []


@pytest.mark.daemon
@pytest.mark.go
def test_the_real_command(tmp_path: Path, ago_dirs: Dirs) -> None:
    """Where no daemon can be had, for another folder than the current one, and with a daemon."""
    root = copy_demo(tmp_path).resolve()
    wrong = edit(root, "lib/helper.go", HELPER, "return x")

    def run(call: Json, **env: str) -> Json:
        done = subprocess.run(
            [AGO, "hook", "pre-edit"], input=json.dumps(call), capture_output=True, text=True,
            cwd="/", env=ago_dirs.env() | env, timeout=60, check=True,
        )  # fmt: skip
        return json.loads(done.stdout) if done.stdout else {}

    assert "there is no daemon" in run(wrong, AGO_NO_DAEMON="1")["systemMessage"]
    nowhere = claude(root, "Write", file_path="/no_such_module/x.go", content="package x\n")
    assert "in no Go module" in run(nowhere)["systemMessage"]
    assert run(claude(root, "Write", file_path="/x.md", content="package x\n")) == {}
    try:
        # A daemon that has loaded the module answers within the hook's limit.
        subprocess.run([AGO, "-C", root, "status"], env=ago_dirs.env(), check=True)
        assert "undefined: x" in denied(run(wrong))
    finally:
        subprocess.run([AGO, "-C", root, "daemon", "stop"], env=ago_dirs.env(), check=False)
    shutil.rmtree(root)
