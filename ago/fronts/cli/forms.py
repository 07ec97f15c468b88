"""The commands of `ago`: how each is typed, in the groups that the root help shows.

Invariant: this is the only list of commands; what they take comes from their tools, and a kind of
question that is no tool has a command of its name.
"""

from __future__ import annotations

import shlex

from ago.catalog.schema import Tool, tools
from ago.fronts.cli.sugar import Form
from ago.queries.catalog import QUERIES, Query


def _question(query: Query) -> Form:
    """The command of a kind of question: what its example says first may stand without a flag."""
    command = query.kind.replace("_", "-")
    first, *_ = query.example
    words = ["ago", command, str(query.example[first])]
    for name, value in list(query.example.items())[1:]:
        words += [f"--{name.replace('_', '-')}", str(value)]
    return Form(command, "query", (first,), examples=(shlex.join(words),), kind=query.kind)


def tool_of(form: Form) -> Tool:
    """The tool of a command; a kind of question is taken as one of its own."""
    if not form.kind:
        return tools()[form.tool]
    query = QUERIES[form.kind]
    return Tool(query.kind, query.summary, query.request.model_fields, "read")


_QUESTIONS = tuple(_question(query) for query in QUERIES.values() if query.kind not in tools())

FORMS = (
    *_QUESTIONS,
    Form("help", "help", ("name",), examples=("ago help", "ago help add_param")),
    Form(
        "inspect", "inspect", ("sym",),
        examples=("ago inspect lib.Store", "ago inspect -p example.com/m/lib -s Store.Put"),
    ),
    Form("log", "log", examples=("ago log", "ago log --all", "ago log --html > page.html")),
    Form(
        "query", "query", ("kind", "sym"), ("kind",),
        examples=("ago query refs lib.Double", "ago query -k search -q doub"),
    ),
    Form(
        "refs", "refs", ("sym",),
        examples=("ago refs lib.Double", "ago refs -p ./lib -s Double -o 50"),
    ),
    Form(
        "search", "search", ("q",), aliases=(("--sym/-s", "q"),),
        examples=("ago search doub", "ago search -q Store"),
    ),
    Form("show", "show", ("edit",), ("edit",), examples=("ago show 3",)),
    Form("status", "status", examples=("ago status", "ago -C ~/src/project status")),
    Form(
        "view", "view", ("sym",),
        examples=("ago view lib.Double", "ago view ./lib Double --slots", "ago view lib/lib.go:12"),
    ),
    Form(
        "add-param", "add_param", ("sym", "name", "type"), ("name", "type"),
        examples=("ago add-param lib.Fetch ctx context.Context --default 'context.TODO()'",),
    ),
    Form(
        "apply", "apply", (), ("text",), text="text",
        examples=("ago apply -f edit.diff", "ago apply --path lib/lib.go -f - --dry-run"),
    ),
    Form(
        "patch", "patch", text="ops",
        examples=(
            "ago patch -f edit.json",
            """ago patch lib.Double --body '[{"op":"add_return","at":"n0",…}]'""",
        ),
        positional=("sym",),
    ),
    Form(
        "rename", "rename", ("sym", "to"), ("to",),
        examples=("ago rename lib.Double Twice", "ago rename -p ./lib -s Store.Put -t Set"),
    ),
    Form(
        "set-body", "set_body", ("sym",), ("body",), text="body",
        examples=("ago set-body lib.Double -f body.go", "ago set-body lib.Double --body return"),
    ),
    Form(
        "test", "test", ("pkg",),
        examples=("ago test", "ago test ./lib --run 'TestDouble$'"),
    ),
    Form("undo", "undo", ("edit",), examples=("ago undo", "ago undo 3 --dry-run")),
    Form(
        "upsert", "upsert_decl", ("pkg",), ("text",), text="text",
        examples=("ago upsert ./lib -f decl.go", "ago upsert -p ./lib --body 'var Limit = 10'"),
    ),
)  # fmt: skip

GROUPS = (
    (
        "Reads and setup",
        (
            "doctor",
            "help",
            "init",
            "inspect",
            "log",
            "query",
            "refs",
            "search",
            "show",
            "stats",
            "status",
            "view",
        ),
    ),
    ("Questions (each is also `ago query KIND`)", tuple(form.command for form in _QUESTIONS)),
    (
        "Mutations (judged by the Go compiler before the disk is touched)",
        ("add-param", "apply", "patch", "rename", "set-body", "test", "undo", "upsert"),
    ),
    ("Lifecycle", ("daemon", "lsp", "mcp", "skill")),
    ("Additional commands", ("completion", "hook")),
)
"""(title, commands) of the root help; what is in no group is not shown."""
