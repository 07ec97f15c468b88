"""Go text as agents send it: freed of fences, handles, escapes and what stands around it.

Invariant: a text that is Go as it stands keeps every byte, but for a package clause, imports and
braces that can't be meant; a mending that could be doubted is made only where it makes Go of what
was none.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from typing import Literal, NamedTuple

from grammar_ops.syntax import nodes
from grammar_ops.syntax.imports import list_imports, parse_head
from grammar_ops.syntax.parse import parse

Kind = Literal["stmts", "decl", "expr", "file"]


class Cleaned(NamedTuple):
    """A Go text, what was taken off it, and the imports that stood before it."""

    text: str
    said: tuple[str, ...] = ()
    imports: tuple[tuple[str, str], ...] = ()
    """(path, alias)."""


_BLOCK = "block"
_HEADS = {"stmts": "package p\nfunc _() {\n", "decl": "package p\n", "expr": "package p\nvar _ = "}
_FENCE = re.compile(r"```[ \t]*(?:go|golang|diff|text)?[ \t]*\r?\n(.*?)\r?\n?[ \t]*```", re.DOTALL)
_HANDLES = re.compile(r"^(n\d+(?:,n\d+)*): ", re.MULTILINE)
_NUMBERED = re.compile(r"^ *\d+(?:\t|\s*[|→:] ?)", re.MULTILINE)
_QUOTES = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "\u00a0": " "})
_CLAUSE = re.compile(r"\s*(?://[^\n]*\n\s*)*package\s+\w+[ \t]*;?[ \t]*(?://[^\n]*)?(?:\n|$)")


def clean(text: str, kind: Kind, around: str = "") -> Cleaned:
    """The text as Go of its kind, as far as its meaning is sure.

    `around` is a pattern of what the op itself writes before an expression, such as `return`.
    """
    said: list[str] = []
    for mend, word in _CERTAIN:
        mended = mend(text)
        if mended != text:
            said.append(word)
            text = mended
    for mend, word in _DOUBTFUL:
        if not is_go(text, kind) and (mended := mend(text)) != text and is_go(mended, kind):
            said.append(word)
            text = mended
            break
    imports: tuple[tuple[str, str], ...] = ()
    if kind in ("stmts", "decl"):
        text, imports, words = _without_head(text)
        said += words
    if kind == "stmts":
        text, words = _without_braces(text)
        said += words
    if kind == "expr":
        text, words = _bare_expr(text, around)
        said += words
    return Cleaned(text, tuple(said), imports)


def is_go(text: str, kind: Kind) -> bool:
    """Whether a text parses as Go of its kind."""
    if kind == "file" or (kind == "stmts" and _starts_function(text)):
        head, tail = ("" if kind == "file" or _CLAUSE.match(text) else "package p\n"), "\n"
    else:
        head, tail = _HEADS[kind], "\n}\n" if kind == "stmts" else "\n"
    if kind == "decl" and _CLAUSE.match(text):
        head = ""
    return not parse((head + text + tail).encode()).root_node.has_error


def _starts_function(text: str) -> bool:
    return (
        re.match(r"\s*(?://[^\n]*\n\s*)*(?:package|import|func\s*(?:\(|\w+\s*[\[(]))", text)
        is not None
    )


def _unfenced(text: str) -> str:
    found = _FENCE.findall(text)
    return str(found[0]) if len(found) == 1 else text


def _without_handles(text: str) -> str:
    """Without the `n3: ` of a view; a label that something jumps to is one of the program's."""
    names = [name for group in _HANDLES.findall(text) for name in group.split(",")]
    used = any(re.search(rf"\b(?:goto|break|continue)\s+{name}\b", text) for name in names)
    return text if used else _HANDLES.sub("", text)


def _unescaped(text: str) -> str:
    """`\\n` and `\\t` that were escaped once too often."""
    if "\n" in text.strip() or "\\" not in text:
        return text
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        pass
    try:
        return str(json.loads('"' + re.sub(r'(?<!\\)"', r"\"", text) + '"'))
    except ValueError:
        return text


def _unnumbered(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    numbered = lines and all(_NUMBERED.match(line) for line in lines)
    return _NUMBERED.sub("", text) if numbered else text


def _closed(text: str) -> str:
    """With the closing braces that are missing at the end, or without those left over."""
    short = text.count("{") - text.count("}")
    if 0 < short <= 3:
        return text.rstrip() + "\n" + "}" * short
    if short == -1 and text.rstrip().endswith("}"):
        return text.rstrip()[:-1].rstrip()
    return text


_CERTAIN: tuple[tuple[Callable[[str], str], str], ...] = (
    (_unfenced, "text taken out of its code fence"),
    (_without_handles, "handles of the view taken off the lines"),
)
_DOUBTFUL: tuple[tuple[Callable[[str], str], str], ...] = (
    (_unescaped, "escapes in the text read once more"),
    (_unnumbered, "line numbers taken off the lines"),
    (lambda text: text.translate(_QUOTES), "typographic quotes taken as plain ones"),
    (html.unescape, "HTML entities taken as what they stand for"),
    (_closed, "closing brace put in or taken off at the end"),
)


def _without_head(text: str) -> tuple[str, tuple[tuple[str, str], ...], list[str]]:
    """The text without its package clause and its imports."""
    said: list[str] = []
    clause = _CLAUSE.match(text)
    rest = text[clause.end() :] if clause else text
    if clause:
        said.append("package clause left out")
    if not re.match(r"\s*import\b", rest):
        return rest if clause else text, (), said
    src = ("package p\n" + rest).encode()
    tree = parse_head(src)
    found = list_imports(tree, src)
    block = [n for n in tree.root_node.children if n.type == nodes.IMPORT_DECL]
    if not found or not block:
        return rest if clause else text, (), said
    left = src[block[-1].end_byte :].decode().lstrip("\r\n;")
    if not left.strip():
        return rest if clause else text, (), said
    said.append("imports taken out of the text: they are managed")
    return left, tuple((known.path, known.name) for known in found), said


def _without_braces(text: str) -> tuple[str, list[str]]:
    """The statements of a text that is one block and nothing else."""
    stripped = text.strip()
    if not (stripped.startswith("{") and stripped.endswith("}")) or not is_go(stripped, "stmts"):
        return text, []
    root = parse((_HEADS["stmts"] + stripped + "\n}\n").encode()).root_node
    body = nodes.find_field(root.named_children[-1], "body")
    found = nodes.statements(body) if body else []
    if len(found) != 1 or found[0].type != _BLOCK:
        return text, []
    return stripped[1:-1].strip("\r\n"), ["braces around the body left out"]


def _bare_expr(text: str, around: str) -> tuple[str, list[str]]:
    """An expression without the keyword, the brace or the semicolon of a statement around it."""
    said: list[str] = []
    bare = text.strip()
    if around and (found := re.match(rf"(?:{around})(?!\w)\s*", bare)):
        said.append(f"{found[0].strip()} before the expression left out")
        bare = bare[found.end() :]
        for end in ("{", "{}", ":"):
            if not is_go(bare, "expr"):
                bare = bare.removesuffix(end).rstrip()
    if bare.endswith(";"):
        said.append("semicolon after the expression left out")
        bare = bare.rstrip("; \t")
    return (bare, said) if said else (text, said)
