"""Tools and ops under the names that other programs give them.

Invariant: an entry names a tool, op or query of ours; arguments are renamed, never made up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ago.protocol.opshape import find_name
from ago.protocol.requests import READS, RUNS, WRITES, Mutation
from ago.protocol.synonyms import match_arguments
from ago.queries.catalog import QUERIES
from grammar_ops.catalog import CATALOG
from grammar_ops.reject import Call, Json


class Ours(NamedTuple):
    """What another program's tool is here: a tool or op, and arguments that it needs beside."""

    name: str
    args: Mapping[str, Json] = {}


_BY_NAME: dict[str, tuple[str, ...]] = {
    "view": (
        "find_symbol", "read_file", "read", "cat", "open", "open_file", "view_file", "show_symbol",
        "get_symbol", "go_file_context", "get_file", "get_code", "view_symbol", "file",
    ),
    "source": ("definition", "goto_definition", "go_to_definition", "get_source", "get_definition",
               "find_definition", "go_definition"),
    "inspect": ("hover", "describe", "get_symbol_info", "symbol_info", "info", "type_of"),
    "refs": (
        "references", "find_referencing_symbols", "find_references", "find_usages", "usages",
        "get_refs", "get_references", "go_symbol_references", "go_references", "who_uses",
    ),
    "search": ("go_search", "workspace_symbol", "workspace_symbols", "symbols", "find",
               "search_symbol", "search_symbols", "symbol_search"),
    "outline": ("get_symbols_overview", "document_symbols", "document_symbol", "go_package_api",
                "list_symbols", "overview", "symbols_overview", "ls", "list_dir", "api"),
    "callers": ("get_callers", "find_callers", "incoming_calls", "who_calls", "called_by"),
    "callees": ("get_callees", "find_callees", "outgoing_calls"),
    "callgraph": ("call_hierarchy", "call_graph", "analyze_calls"),
    "implementations": ("implementation", "go_to_implementation", "find_implementations",
                        "find_implementers", "implementers", "implements"),
    "diagnostics": ("go_diagnostics", "get_diagnostics", "get_diagnostics_for_file", "check",
                    "go_build", "build", "compile", "errors", "go_vet", "vet", "lint"),
    "doc": ("get_doc", "docs", "go_doc", "documentation"),
    "text": ("grep", "rg", "ripgrep", "search_for_pattern", "search_files", "code_search",
             "find_in_files", "search_text"),
    "status": ("go_workspace", "workspace", "ping", "health"),
    "test": ("run_tests", "go_test", "run_test", "tests"),
    "undo": ("revert", "rollback", "undo_edit", "restore"),
    "log": ("edits", "list_edits"),
    "rename": ("rename_symbol", "go_rename_symbol", "rename_refactoring", "rename_function"),
    "set_body": ("replace_symbol_body", "replace_body", "update_body", "set_function_body",
                 "change_body", "replace_function_body", "edit_body", "write_body"),
    "upsert_decl": (
        "insert_after_symbol", "insert_before_symbol", "add_function", "add_decl", "add_method",
        "add_type", "insert_decl", "create_function", "replace_decl", "replace_function",
        "update_decl", "upsert", "add_func", "insert_function", "replace_symbol", "add_symbol",
    ),
    "delete_decl": ("safe_delete_symbol", "delete_symbol", "delete_function", "remove_function",
                    "delete", "remove", "remove_decl", "remove_symbol", "delete_func"),
    "set_signature": ("change_signature", "update_signature", "modify_signature",
                      "replace_signature"),
    "add_param": ("add_parameter", "add_argument", "add_arg"),
    "remove_param": ("remove_parameter", "delete_param", "drop_param"),
    "move_decl": ("move", "move_symbol", "move_function"),
    "delete_node": ("delete_stmt", "delete_statement", "remove_node", "remove_stmt",
                    "remove_statement"),
    "replace_expr": ("replace_expression", "set_expr", "replace_node"),
    "add_call": ("call", "insert_call", "add_statement", "insert_statement"),
    "add_return": ("return", "insert_return"),
    "add_if": ("if", "insert_if"),
    "set_doc": ("add_comment", "add_doc", "set_comment", "document"),
    "add_dependency": ("go_get", "add_module", "add_require"),
    "mod_tidy": ("go_mod_tidy", "tidy"),
    "implement_interface": ("implement", "add_methods", "generate_stubs"),
    "wrap_error": ("wrap_err", "handle_error"),
}  # fmt: skip
TOOLS = {**READS, **WRITES, **RUNS}
_OURS = {other: name for name, others in _BY_NAME.items() for other in others}
_BESIDE: dict[str, Mapping[str, Json]] = {"text": {"regex": True}}


def find_ours(name: str) -> str:
    """Our name of another program's tool, "" when it is none that is known."""
    return _OURS.get(name) or _OURS.get(found := find_name(name, _OURS)) or found


def call_ours(name: str, given: Mapping[str, Json]) -> Call:
    """The call of one of our tools, ops or queries with another's arguments under our names."""
    tool, fixed = name, dict[str, Json](_BESIDE.get(name, {}))
    if name not in TOOLS and name in QUERIES:
        tool, fixed = "query", {"kind": name, **fixed}
        known = [*QUERIES[name].request.model_fields]
    else:
        known = arguments_of(name)
    return Call(tool, fixed | rename_arguments(given, known))


def arguments_of(name: str) -> list[str]:
    """The arguments of a tool, or of an op as a tool; none for other names."""
    if name in CATALOG:
        own = CATALOG[name].model_fields
        names = [info.alias or key for key, info in own.items() if key != "op"]
        return [*dict.fromkeys([*names, *Mutation.model_fields])]
    return [*TOOLS[name].model_fields] if name in TOOLS else []


def rename_arguments(given: Mapping[str, Json], known: list[str]) -> dict[str, Json]:
    """The arguments under known names, file and line as one address; others are left out."""
    args, rest = _joined(given, known)
    unknown = [name for name in rest if name not in known]
    meant = match_arguments(unknown, [name for name in known if name not in rest | args])
    for name, value in rest.items():
        if target := name if name in known else meant.get(name):
            args[target] = value
    return args


def _joined(given: Mapping[str, Json], known: list[str]) -> tuple[dict[str, Json], dict[str, Json]]:
    """An address made of file and line, or of file and symbol, and the arguments that are left."""
    rest = dict(given)
    files = [
        key for key in ("file", "path", "file_path", "relative_path", "filename") if key in rest
    ]
    if not files or "sym" not in known or files[0] in known:
        return {}, rest
    lines = [key for key in ("line", "line_number", "start_line") if key in rest]
    named = [key for key in rest if key in ("sym", "symbol", "name_path", "symbol_name")]
    if lines:
        col = rest.pop("col", rest.pop("column", None))
        place = f"{rest.pop(files[0])}:{rest.pop(lines[0])}"
        return {"sym": f"{place}:{col}" if col else place}, rest
    if named and "pkg" in known and "pkg" not in rest:
        return {"pkg": rest.pop(files[0]), "sym": rest.pop(named[0])}, rest
    return {}, rest
