"""Generate a Go module of N packages with a realistic import graph, tests and dependencies.

The graph is layered: a package imports a few packages of lower layers, most of them of its own
domain, and everything reaches a small core. The same seed gives the same bytes.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

MODULE = "example.test/synth"
LAYERS = 8
DOMAIN = 25
"""Packages of one domain: neighbours import each other more than strangers."""
STD = (
    "bytes", "context", "encoding/json", "errors", "fmt", "io", "net/http", "os", "sort", "strconv",
    "strings", "sync", "time",
)  # fmt: skip


def generate(out: Path, packages: int, seed: int = 1) -> None:
    """Write a module of `packages` packages below `out`, which must not exist or be empty."""
    rng = random.Random(seed)
    out.mkdir(parents=True, exist_ok=True)
    (out / "go.mod").write_text(f"module {MODULE}\n\ngo 1.25\n")
    imports = [_pick_imports(rng, i, packages) for i in range(packages)]
    for i in range(packages):
        folder = out / _folder(i, packages)
        folder.mkdir(parents=True)
        name = _name(i)
        (folder / f"{name}.go").write_text(_types_file(rng, i, packages, imports[i]))
        (folder / "helpers.go").write_text(_helpers_file(rng, i))
        if i % 3 == 0:
            (folder / f"{name}_test.go").write_text(_inner_test(i))
        if i % 5 == 0:
            (folder / "x_test.go").write_text(_outer_test(i, packages))
    _write_main(out, packages)


def _layer(i: int, packages: int) -> int:
    return i * LAYERS // packages


def _name(i: int) -> str:
    return f"p{i:05d}"


def _folder(i: int, packages: int) -> str:
    return f"internal/l{_layer(i, packages)}/d{i // DOMAIN}/{_name(i)}"


def _path(i: int, packages: int) -> str:
    return f"{MODULE}/{_folder(i, packages)}"


def _pick_imports(rng: random.Random, i: int, packages: int) -> list[int]:
    """Up to six packages of lower layers: the domain's neighbours, and one of the core."""
    below = [j for j in range(i) if _layer(j, packages) < _layer(i, packages)]
    if not below:
        return []
    near = below[-4 * DOMAIN :]
    core = below[: max(2, packages // 50)]
    chosen = set(rng.sample(near, min(len(near), rng.randint(1, 5))))
    chosen.add(rng.choice(core))
    return sorted(chosen)


def _types_file(rng: random.Random, i: int, packages: int, imports: list[int]) -> str:
    std = sorted({*rng.sample(STD, 3), "context"})
    lines = [f"// Package {_name(i)} is part {i} of a generated module.", f"package {_name(i)}", ""]
    lines += ["import (", *[f'\t"{s}"' for s in std]]
    lines += ["", *[f'\t"{_path(j, packages)}"' for j in imports]] if imports else []
    lines += [")", "", "var (", *[f"\t_ = {_STD_USE[s]}" for s in std], ")"]
    lines += _MODEL.replace("NAME", f"Node{i}").splitlines()
    for j in imports:
        lines += (
            _USE.replace("NAME", f"Node{i}")
            .replace("DEP", _name(j))
            .replace("OTHER", f"Node{j}")
            .splitlines()
        )
    return "\n".join(lines) + "\n"


_STD_USE = {
    "bytes": "bytes.NewReader", "context": "context.Background", "encoding/json": "json.Marshal",
    "errors": "errors.New", "fmt": "fmt.Sprint", "io": "io.EOF", "net/http": "http.StatusOK",
    "os": "os.Getenv", "sort": "sort.Strings", "strconv": "strconv.Itoa",
    "strings": "strings.ToUpper", "sync": "sync.OnceFunc", "time": "time.Second",
}  # fmt: skip

_MODEL = """
// NAME is a value with a name, a weight and children.
type NAME struct {
	Name     string
	Weight   int
	Children []*NAME
	labels   map[string]string
}

// Walker visits a NAME.
type Walker interface {
	Visit(ctx context.Context, n *NAME) error
	Depth() int
}

// Limit bounds the depth of a walk.
const Limit = 64

// New makes a NAME.
func New(name string, weight int) *NAME {
	return &NAME{Name: name, Weight: weight, labels: map[string]string{}}
}

// Total sums the weights.
func (n *NAME) Total() int {
	total := n.Weight
	for _, c := range n.Children {
		total += c.Total()
	}
	return total
}

// Label reads a label, with a default.
func (n *NAME) Label(key, def string) string {
	if v, ok := n.labels[key]; ok {
		return v
	}
	return def
}

// Walk visits the tree below n.
func (n *NAME) Walk(ctx context.Context, w Walker) error {
	if w.Depth() > Limit {
		return nil
	}
	if err := w.Visit(ctx, n); err != nil {
		return err
	}
	for _, c := range n.Children {
		if err := c.Walk(ctx, w); err != nil {
			return err
		}
	}
	return nil
}
"""

_USE = """
// FromDEP converts from the package below.
func FromDEP(o *DEP.OTHER) *NAME {
	n := New(o.Name, o.Total())
	for _, c := range o.Children {
		n.Children = append(n.Children, FromDEP(c))
	}
	return n
}
"""


def _helpers_file(rng: random.Random, i: int) -> str:
    lines = [f"package {_name(i)}", ""]
    lines += [
        "// Pair is two values.",
        "type Pair[K comparable, V any] struct {",
        "\tKey K",
        "\tVal V",
        "}",
        "",
    ]
    for k in range(rng.randint(6, 14)):
        lines += [
            f"// step{k} is one step of a computation.",
            f"func step{k}(a, b int) int {{",
            f'\tp := Pair[string, int]{{Key: "k{k}", Val: a}}',
            "\tfor i := range b {",
            "\t\tif i%3 == 0 {",
            f"\t\t\tp.Val += i * {k + 1}",
            "\t\t} else {",
            "\t\t\tp.Val -= b",
            "\t\t}",
            "\t}",
            f"\treturn p.Val + {f'step{k - 1}(b, a%2)' if k else 'b'}",
            "}",
            "",
        ]
    return "\n".join(lines)


def _inner_test(i: int) -> str:
    return f"""package {_name(i)}

import "testing"

func TestTotal(t *testing.T) {{
	n := New("a", 1)
	n.Children = append(n.Children, New("b", 2))
	if got := n.Total(); got != 3 {{
		t.Fatal(got)
	}}
	_ = step0(1, 2)
}}
"""


def _outer_test(i: int, packages: int) -> str:
    name = _name(i)
    return f"""package {name}_test

import (
	"testing"

	"{_path(i, packages)}"
)

func TestLabel(t *testing.T) {{
	if got := {name}.New("a", 1).Label("k", "d"); got != "d" {{
		t.Fatal(got)
	}}
}}
"""


def _write_main(out: Path, packages: int) -> None:
    top = packages - 1
    (out / "main.go").write_text(f"""// Command synth is the root of the generated module.
package main

import (
	"fmt"

	"{_path(top, packages)}"
)

func main() {{
	fmt.Println({_name(top)}.New("root", 1).Total())
}}
""")


def main() -> None:
    """Command line: `python -m bench.synth --packages N --out DIR [--seed S]`."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--packages", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    generate(args.out, args.packages, args.seed)


if __name__ == "__main__":
    main()
