"""What agents are told of ago: the block of AGENTS.md, the pointers to it, the skill.

Invariant: tools, ops and queries come from the catalog; the same catalog gives the same text.
"""

from __future__ import annotations

from itertools import groupby

from ago.catalog.schema import Tool, tools
from ago.queries.catalog import QUERIES
from grammar_ops.catalog import CATALOG

SHOWN = (
    "status", "help", "query", "view", "patch", "test", "rename", "set_body", "add_param",
    "upsert_decl", "apply", "undo",
)  # fmt: skip
"""The tools of the table, in the order in which a client lists them."""

# Arguments of the table: those that a first call may want. `help` has the others.
_SAID = frozenset(
    {"pkg", "sym", "kind", "q", "ops", "generation", "dry_run", "run", "to", "body", "name", "type",
     "default", "text", "path", "edit"}
)  # fmt: skip

POINTER = "Instructions for this workspace are in AGENTS.md.\n\n@{path}\n"

_WORKFLOW = """\
1. `ago_status` says whether the workspace is loaded and what errors stand in it already.
2. `ago_query` finds: `search`, `refs`, `callers`, `impact`, …; each answer has exact addresses.
3. `ago_view` shows a declaration; every statement has a handle (`n1`, `n2`, …).
4. One change is one call: `ago_rename`, `ago_set_body`, `ago_add_param`, `ago_upsert_decl`, or
   several ops in one `ago_patch`, accepted or refused together. `dry_run: true` only tries.
5. A refusal is data, and nothing on the disk has changed. `possible_repairs` holds whole calls that
   were tried: the first one can be sent as it is. `stale_generation` means: view again.
6. `ago_test` runs the tests that matter and answers per test; `ago_undo` takes an edit back."""

_PATCH = """\
```json
{"pkg": "example.com/m/lib", "sym": "Double", "ops": [
  {"op": "add_if", "at": "n1", "where": "before", "cond": "v < 0"},
  {"op": "add_return", "at": "$1", "where": "first", "exprs": ["0"]}
]}
```

`$1` is what op 1 made. Ops on declarations, statements, tests and the module mix freely in one
patch. An address is `Name`, `Type.Method`, `pkg.Name` or `file.go:line`."""

_SKILL_HEAD = """\
---
name: ago
description: Questions about Go code and compiler-checked edits of it with the `ago` command or the
  ago_* tools. Use in Go repositories for renames, signature changes, moves, new declarations, tests
  and other edits, above all those that reach over several files or packages.
---

# Changing Go code with ago
"""

_SKILL_LOOP = """\
## The loop

```sh
ago status                                   # once: counts, standing errors
ago search doub                              # exact addresses for a piece of a name
ago view lib.Double                          # text with statement handles
ago refs lib.Double                          # who uses it
ago rename lib.Double Twice                  # one change, all packages and tests
ago set-body lib.Twice --body 'return v + v'
ago patch -f edit.json                       # several ops, all or none
ago test ./lib                               # per test
```

Every command prints JSON where its output is no terminal. `ago help` lists the ops and queries,
`ago help add_param` shows one with its arguments and an example. The tools of the MCP server and
the commands are the same operations.

## Reading a refusal

Exit code 2, `"status": "rejected"`: nothing on the disk has changed. `reason` is a stable key,
`diagnostics` say what would break and where, `did_you_mean` has near names, `possible_repairs` has
whole calls that were tried: send the first one as it stands before you think of another. The same
call sent again unchanged is refused again. `stale_generation`: view the declaration again.

## Rules

- Handles (`n3`, `$1`) belong to one generation of one declaration; an accepted edit answers with
  the new view, which saves a call.
- An edit of Go code that ago refuses would also fail as a text edit: mend the request.
- `--dry-run` tries an edit and shows the diff; `ago undo` takes an accepted one back.
- A diff, search/replace blocks or a whole file go through `ago apply -f FILE`, judged alike.
"""


def agents_block() -> str:
    """The block of AGENTS.md."""
    return "\n\n".join(
        (
            "## Go code: ask and edit through ago",
            "`ago` answers typed questions about this Go workspace and makes edits that the Go "
            "compiler has accepted\nbefore they reach the disk. What would break the build or "
            "change the meaning of other code is\nrefused, with the reason, the places and calls "
            "that work. Edits of Go files go through it.",
            _tool_table(),
            f"A patch with two ops:\n\n{_PATCH}",
            f"{_op_list()}\n\n{_query_list()}\n\n`ago_help` with the name of one shows its "
            "arguments and an example.",
            f"How it goes:\n\n{_WORKFLOW}",
            "Without these tools the same calls are commands: `ago status`, "
            "`ago query refs lib.Double`,\n`ago view lib.Double`, `ago patch -f edit.json`, "
            "`ago rename lib.Double Twice`, `ago apply -f change.diff`, `ago test`,\n`ago undo`.",
        )
    )


def skill_text() -> str:
    """SKILL.md: front matter and body."""
    parts = (_SKILL_HEAD, _SKILL_LOOP, f"## A patch\n\n{_PATCH}\n", f"{_op_list()}\n")
    return "\n".join([*parts, f"{_query_list()}\n"])


def _tool_table() -> str:
    rows = [f"| `ago_{name}` | {_arguments(tools()[name])} | {tools()[name].summary} |"
            for name in SHOWN]  # fmt: skip
    rows.append("| `ago_dry_run` | as `ago_patch` | The same, only tried: nothing is written. |")
    return "\n".join(["| tool | arguments | |", "|---|---|---|", *rows])


def _arguments(tool: Tool) -> str:
    names = (info.alias or key for key, info in tool.fields.items() if key in _SAID)
    return " ".join(f"`{name}`" for name in names)


def _op_list() -> str:
    """The ops by family, as a list."""
    families = groupby(sorted(CATALOG, key=_family), key=_family)
    lines = [f"- {_FAMILIES.get(key, key)}: {', '.join(f'`{op}`' for op in sorted(ops))}"
             for key, ops in families]  # fmt: skip
    return "Ops:\n\n" + "\n".join(lines)


_FAMILIES = {
    "decl": "declarations", "project": "module and files", "stmt": "statements", "test": "tests",
}  # fmt: skip


def _family(op: str) -> str:
    return CATALOG[op].__module__.split(".")[2]


def _query_list() -> str:
    return "Queries: " + ", ".join(f"`{kind}`" for kind in sorted(QUERIES)) + "."
