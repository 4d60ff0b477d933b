package tool

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOutlineOfGo(t *testing.T) {
	t.Parallel()
	b := newBench(t, files{"shop/cart.go": `// Package shop sells.
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

func TestOutlineByLines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ src, want string }{
		"a.ts": {
			"import x from 'y'\nexport interface Item {\n  id: string\n}\nexport type Id = string\nexport const total = (items: Item[]) => {\n  if (items) {\n    return 1\n  }\n}\nexport default class Cart extends Base {\n  private async add(item: Item): Promise<void> {\n    foo(item)\n  }\n}\nfunction helper() {\n}\ndescribe('cart', () => {\n  it('adds', () => {\n  })\n})\n",
			"2 export interface Item|5 export type Id = string|6 export const total = (items: Item[]) =>|11 export default class Cart extends Base|12   private async add(item: Item): Promise<void>|16 function helper()|18 describe('cart', () =>|19   it('adds', () =>",
		},
		"a.py": {
			"import os\nLIMIT = 3\nx == 4\nclass Cart(Base):\n    def add(self, item):\n        if item:\n            return 1\n    async def go(self): pass\n",
			"2 LIMIT = 3|4 class Cart(Base)|5     def add(self, item)|8     async def go(self): pass",
		},
		"a.rs": {
			"use x;\npub struct Cart<T> {\n  items: Vec<T>,\n}\nimpl<T> Cart<T> {\n    pub async fn add(&mut self, t: T) -> bool {\n        let x = 1;\n    }\n}\nmacro_rules! m {\n}\npub(crate) const N: u8 = 1;\n",
			"2 pub struct Cart<T>|5 impl<T> Cart<T>|6     pub async fn add(&mut self, t: T) -> bool|10 macro_rules! m|12 pub(crate) const N: u8 = 1;",
		},
		"A.java": {
			"package a;\npublic class Cart {\n    private int n;\n    public Cart(int n) {\n        this.n = n;\n    }\n    public List<Item> items() throws IOException {\n        if (n > 1) {\n            return x(n);\n        }\n    }\n    interface Inner {\n    }\n}\n",
			"2 public class Cart|4     public Cart(int n)|7     public List<Item> items() throws IOException|12     interface Inner",
		},
		"a.rb": {"class Cart\n  def add(x)\n    if x\n    end\n  end\nend\nmodule M\nend\n", "1 class Cart|2   def add(x)|7 module M"},
		"a.c": {
			"#include <x.h>\n#define MAX 3\nstruct cart {\n  int n;\n};\nstatic int add(struct cart *c, int n)\n{\n  if (n) {\n    foo(n);\n  }\n}\nint decl(int);\nvoid go(void) {\n}\n",
			"2 #define MAX 3|3 struct cart|6 static int add(struct cart *c, int n)|13 void go(void)",
		},
		"a.md":    {"# Title\ntext\n## Part\n#hashtag\n", "1 # Title|3 ## Part"},
		"a.php":   {"<?php\nfinal class Cart {\n  public static function add($x) {\n", "2 final class Cart|3   public static function add($x)"},
		"a.sql":   {"create table x (\n);\nselect 1;\nCREATE UNIQUE INDEX i on x(y);\n", "1 create table x (|4 CREATE UNIQUE INDEX i on x(y);"},
		"a.sh":    {"go() {\n}\nfunction stop {\n}\necho hi\n", "1 go()|3 function stop"},
		"a.kt":    {"data class Cart(val n: Int)\nfun add(x: Int): Int {\n", "1 data class Cart(val n: Int)|2 fun add(x: Int): Int"},
		"a.proto": {"message Cart {\n  int32 n = 1;\n}\nservice S {\n  rpc Get(Cart) returns (Cart);\n}\n", "1 message Cart|4 service S|5   rpc Get(Cart) returns (Cart);"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			symbols, ok := symbolsOf(content{path: name, data: []byte(c.src)})
			require.True(t, ok)
			for _, s := range symbols {
				got = append(got, fmt.Sprintf("%d %s", s.line, s.text))
			}
			require.Equal(t, c.want, strings.Join(got, "|"))
		})
	}
}

func TestOutlineIsBoundedAndSaysWhatItCannot(t *testing.T) {
	t.Parallel()
	b := newBench(t, files{"many.py": strings.Repeat("def a_function_with_a_long_name(argument):\n", 2000), "x.zzz": "?", "plain.py": "x\n", "bin.py": "a\x00"})
	text := b.ok(t, "outline", args{"path": "many.py"})
	require.LessOrEqual(t, len(text), maxOutline+50)
	require.Contains(t, text, "more lines: name a file]")
	require.Contains(t, b.refused(t, "outline", args{"path": "x.zzz"}), "no outline for .zzz files")
	require.Contains(t, b.refused(t, "outline", args{"path": "bin.py"}), "binary")
	require.Contains(t, b.ok(t, "outline", args{"path": "plain.py"}), "No symbols found")
	require.Contains(t, b.refused(t, "outline", args{"path": "many.p"}), "Near names: many.py")
}
