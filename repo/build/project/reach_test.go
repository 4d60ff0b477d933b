package project

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The tests that a change can reach come first: those that import what was changed, also through others.
// Where these are most of the tests, the tests near the change come first, as before.
func TestWhatTheChangeCanReachComesFirst(t *testing.T) {
	t.Parallel()
	goTree := map[string]string{
		"go.mod":               "module example.com/shop\n",
		"money/money.go":       "package money\n",
		"money/money_test.go":  "package money\n",
		"cart/cart.go":         "package cart\n\nimport \"example.com/shop/money\"\n",
		"cart/cart_test.go":    "package cart_test\n",
		"order/order.go":       "package order\n\nimport \"example.com/shop/cart\"\n",
		"order/order_test.go":  "package order\n",
		"names/names_test.go":  "package names\n\nimport \"example.com/shop/order\"\n",
		"rates/rates_test.go":  "package rates\n",
		"a/a_test.go":          "package a\n",
		"b/b_test.go":          "package b\n",
		"c/c_test.go":          "package c\n",
		"users/users.go":       "package users\n\nimport \"example.com/shop/names\"\n",
		"users/users_test.go":  "package users\n",
		"cart/testdata/x/x.go": "package x\n\nimport \"example.com/shop/rates\"\n",
	}
	python := map[string]string{
		"shop/__init__.py": "", "shop/money.py": "", "shop/cart.py": "from shop.money import half\n",
		"tests/test_money.py": "from shop.money import half\n",
		"tests/test_cart.py":  "from shop import cart\n",
		"tests/test_rates.py": "import shop.rates\n", "tests/test_d.py": "", "shop/rates.py": "",
		"tests/web/conftest.py": "from shop.rates import rate\n", "tests/web/test_page.py": "",
	}
	node := map[string]string{
		"src/money.ts": "", "src/cart.ts": "import { half } from './money';\n",
		"src/cart.test.ts": "import { cart } from './cart';\n", "src/rates.test.ts": "", "src/a.test.ts": "",
		"src/names.test.ts": "const { names } = require('@/names');\n", "src/names.ts": "",
	}
	for _, c := range []struct {
		kind, test string
		tree       map[string]string
		changed    string
		near       []string // what the near command names; none: it names nothing that is reached
		not        []string
	}{
		{
			"go", "go test ./...", goTree, "money/money.go",
			[]string{"'./money'", "'./cart'", "'./order'", "'./names'"},
			[]string{"rates", "users", "'./a'"},
		},
		{
			"go", "go test ./...", goTree, "order/order_test.go",
			[]string{"'./order'"},
			[]string{"names", "cart"},
		},
		{
			"python", "pytest -v", python, "shop/money.py",
			[]string{"-x 'tests/test_cart.py' 'tests/test_money.py'"},
			[]string{"rates", "page"},
		},
		{
			"python", "pytest -v", python, "shop/rates.py",
			[]string{"'tests/test_rates.py' 'tests/web/test_page.py'"},
			[]string{"money"},
		},
		{
			"node", "npx vitest run --reporter=verbose", node, "src/money.ts",
			nil,
			[]string{"src/rates"}, // npx is no call that is known
		},
		{
			"node", "vitest run --reporter=verbose", node, "src/money.ts",
			[]string{"--bail=1 'src/cart.test.ts'"},
			[]string{"rates", "names"},
		},
		{
			"node", "jest --verbose", node, "src/names.ts",
			[]string{"--bail 'src/names.test.ts'"},
			[]string{"cart"},
		},
	} {
		p := Project{Kind: c.kind, Test: c.test}
		parts, ok := p.ReachFirst(treeOf(c.tree), []string{c.changed})
		require.Equal(t, c.near != nil, ok && parts.Reach, "%s %s", c.test, c.changed)
		for _, name := range c.near {
			require.Contains(t, parts.Near, name)
		}
		for _, name := range c.not {
			near, _, _ := strings.Cut(parts.Near, " | grep")
			require.NotContains(t, near, name, "%s %s", c.test, c.changed)
		}
	}
	// Most tests reach it: the packages with changed files come first.
	for name := range goTree {
		if strings.HasPrefix(name, "a/") || strings.HasPrefix(name, "b/") || strings.HasPrefix(name, "c/") {
			delete(goTree, name)
		}
	}
	p := Project{Kind: "go", Test: "go test ./..."}
	parts, ok := p.ReachFirst(treeOf(goTree), []string{"money/money.go"})
	require.True(t, ok)
	require.False(t, parts.Reach)
	require.Contains(t, parts.Near, "'./money'")
	require.NotContains(t, parts.Near, "cart")
}
