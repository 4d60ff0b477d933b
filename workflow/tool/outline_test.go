package tool

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOutlineOfGo(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"shop/cart.go": `// Package shop sells.
package shop

import "context"

const Limit, other = 1, 2

var (
	a, b, c, d = 1, 2, 3, 4
	e, f, g, h, i = 1, 2, 3, 4, 5
)

// Cart holds items.
type Cart[T any] struct {
	items []T
}

type (
	Name string
	Store interface {
		Get(ctx context.Context, id string) (*Cart[int], error)
		error
	}
)

// Add adds.
func (c *Cart[T]) Add(
	item T,
) error {
	return nil
}

func helper() {}
`})
	require.Equal(t, `shop/cart.go
2	package shop
6	const Limit, other
8-11	var a, b, c, d, e, f, g, h, … 1 more
14-16	type Cart[…] struct
19	type Name string
20-23	type Store interface
21		Get(ctx context.Context, id string) (*Cart[int], error)
22		error
27-31	func (c *Cart[T]) Add( item T, ) error
33	func helper()
`, b.ok(t, "outline", args{"path": "shop/cart.go"}))
	require.Contains(t, b.ok(t, "outline", args{"path": "shop"}), "shop/cart.go\n2\tpackage shop\n")
	require.Contains(t, b.ok(t, "outline", args{"path": "."}), "holds no source files")
	b.put(t, "broken.go", "package x\n\nfunc ok() {}\n\nfunc broken( {\n")
	require.Contains(t, b.ok(t, "outline", args{"path": "broken.go"}), "3\tfunc ok()")
}

func TestOutlineIsBoundedAndSaysWhatItCannot(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{
		"many.py":  strings.Repeat("def a_function_with_a_long_name(argument):\n", 2000),
		"x.zzz":    "?",
		"plain.py": "x\n",
		"bin.py":   "a\x00",
	})
	text := b.ok(t, "outline", args{"path": "many.py"})
	require.LessOrEqual(t, len(text), 20_000+50)
	require.Contains(t, text, "more lines: name a file]")
	require.Contains(t, b.refused(t, "outline", args{"path": "x.zzz"}), "no outline for .zzz files")
	require.Contains(t, b.refused(t, "outline", args{"path": "bin.py"}), "binary")
	require.Contains(t, b.ok(t, "outline", args{"path": "plain.py"}), "No symbols found")
	require.Contains(t, b.refused(t, "outline", args{"path": "many.p"}), "Near names: many.py")
}
