package find

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// FuzzOutline checks that the lines of an outline exist in the file.
func FuzzOutline(f *testing.F) {
	for name, seed := range map[string]string{
		"a.go":  "package a\n\n// F is.\nfunc F[T any](x T) {}\ntype S struct{ A int }\n",
		"a.py":  "class A:\n    def f(self):\n",
		"a.ts":  "export function f() {\n",
		"a.md":  "# One\n## Two\n",
		"a.sql": "create table t (a int);\n",
		"b.go":  "package x\nfunc broken( {\n",
		"c.go":  "func (",
		"x":     "plain",
	} {
		f.Add(name, seed)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		if len(text) > 20000 {
			return
		}
		symbols := goSymbols(text)
		if l, ok := linePatterns[path.Ext(name)]; ok {
			symbols = append(symbols, lineSymbols(text, l)...)
		}
		lines := 1 + strings.Count(text, "\n")
		for _, s := range symbols {
			require.GreaterOrEqual(t, s.line, 1, s)
			require.LessOrEqual(t, s.line, lines, s)
		}
	})
}

func TestOutlineByLines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ src, want string }{
		"a.ts": {
			"import x from 'y'\nexport interface Item {\n  id: string\n}\nexport type Id = string\n" +
				"export const total = (items: Item[]) => {\n  if (items) " +
				"{\n    return 1\n  }\n}\nexport default class Cart extends Base {\n" +
				"  private async add(item: Item): Promise<void> {\n    foo(item)\n  }\n}\n" +
				"function helper() {\n}\ndescribe('cart', () => {\n  it('adds', () => {\n  })\n})\n",
			"2 export interface Item|5 export type Id = string|6 export const total = (items: Item[]) " +
				"=>|11 export default class Cart extends Base|12   private async add(item: Item): " +
				"Promise<void>|16 function helper()|18 describe('cart', () =>|19   it('adds', () =>",
		},
		"a.py": {
			"import os\nLIMIT = 3\nx == 4\nclass Cart(Base):\n    def add(self, item):\n        if item:\n" +
				"            return 1\n    async def go(self): pass\n",
			"2 LIMIT = 3|4 class Cart(Base)|5     def add(self, item)|8     async def go(self): pass",
		},
		"a.rs": {
			"use x;\npub struct Cart<T> {\n  items: Vec<T>,\n}\nimpl<T> Cart<T> {\n" +
				"    pub async fn add(&mut self, t: T) -> bool {\n        let x = 1;\n    }\n}\n" +
				"macro_rules! m {\n}\npub(crate) const N: u8 = 1;\n",
			"2 pub struct Cart<T>|5 impl<T> Cart<T>|6     pub async fn add(&mut self, t: T) " +
				"-> bool|10 macro_rules! m|12 pub(crate) const N: u8 = 1;",
		},
		"A.java": {
			"package a;\npublic class Cart {\n    private int n;\n    public Cart(int n) {\n        this.n " +
				"= n;\n    }\n    public List<Item> items() throws IOException {\n        if (n > 1) {\n" +
				"            return x(n);\n        }\n    }\n    interface Inner {\n    }\n}\n",
			"2 public class Cart|4     public Cart(int n)|7     public List<Item> items() " +
				"throws IOException|12     interface Inner",
		},
		"a.rb": {
			"class Cart\n  def add(x)\n    if x\n    end\n  end\nend\nmodule M\nend\n",
			"1 class Cart|2   def add(x)|7 module M",
		},
		"a.c": {
			"#include <x.h>\n#define MAX 3\nstruct cart {\n  int n;\n};\nstatic int add(struct cart *c, " +
				"int n)\n{\n  if (n) {\n    foo(n);\n  }\n}\nint decl(int);\nvoid go(void) {\n}\n",
			"2 #define MAX 3|3 struct cart|6 static int add(struct cart *c, int n)|13 void go(void)",
		},
		"a.md": {"# Title\ntext\n## Part\n#hashtag\n", "1 # Title|3 ## Part"},
		"a.php": {
			"<?php\nfinal class Cart {\n  public static function add($x) {\n",
			"2 final class Cart|3   public static function add($x)",
		},
		"a.sql": {
			"create table x (\n);\nselect 1;\nCREATE UNIQUE INDEX i on x(y);\n",
			"1 create table x (|4 CREATE UNIQUE INDEX i on x(y);",
		},
		"a.sh": {"go() {\n}\nfunction stop {\n}\necho hi\n", "1 go()|3 function stop"},
		"a.kt": {
			"data class Cart(val n: Int)\nfun add(x: Int): Int {\n",
			"1 data class Cart(val n: Int)|2 fun add(x: Int): Int",
		},
		"a.proto": {
			"message Cart {\n  int32 n = 1;\n}\nservice S {\n  rpc Get(Cart) returns (Cart);\n}\n",
			"1 message Cart|4 service S|5   rpc Get(Cart) returns (Cart);",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			symbols, ok := symbolsOf(workfile.Content{Path: name, Data: []byte(c.src)})
			require.True(t, ok)
			for _, s := range symbols {
				got = append(got, fmt.Sprintf("%d %s", s.line, s.text))
			}
			require.Equal(t, c.want, strings.Join(got, "|"))
		})
	}
}
