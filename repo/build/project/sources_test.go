package project

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatTestsAloneImport(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind, file string
		sources    Sources
		tests      bool
		code       bool
	}{
		"values of Go": {"go", "carttest/values.go", Sources{
			"go.mod":             "module example.com/shop\n",
			"carttest/values.go": "package carttest\n",
			"cart/cart_test.go":  "import \"example.com/shop/carttest\"\n",
		}, true, false},
		"values of Go behind a package": {"go", "want/values.go", Sources{
			"go.mod":             "module example.com/shop\n",
			"want/values.go":     "",
			"carttest/values.go": "import \"example.com/shop/want\"\n",
			"cart/cart_test.go":  "import \"example.com/shop/carttest\"\n",
		}, true, false},
		"a package that a program imports, too": {"go", "rates/rates.go", Sources{
			"go.mod":         "module example.com/shop\n",
			"rates/rates.go": "",
			"main.go":        "import \"example.com/shop/rates\"\n",
			"a_test.go":      "import \"example.com/shop/rates\"\n",
		}, false, true},
		"a library that imports another package": {"go", "cart/cart.go", Sources{
			"go.mod":            "module example.com/shop\n",
			"cart/cart.go":      "import \"example.com/shop/rates\"\n",
			"rates/rates.go":    "",
			"cart/cart_test.go": "import \"example.com/shop/cart\"\n",
		}, false, false},
		"a package that nothing imports": {
			"go",
			"main.go",
			Sources{"go.mod": "module a\n", "main.go": "package main\n", "main_test.go": "package main\n"},
			false,
			false,
		},
		"a circle": {
			"python", "a.py", Sources{"a.py": "import b\n", "b.py": "import a\n"}, false, true,
		},
		"values of Python": {"python", "shop/expected.py", Sources{
			"shop/expected.py": "A = 1\n",
			"tests/test_a.py":  "from shop import (\n    cart,\n    expected,\n)\n",
			"shop/cart.py":     "def a(): pass\n",
		}, true, false},
		"a module of Python that code imports": {"python", "shop/rates.py", Sources{
			"shop/rates.py":   "A = 1\n",
			"tests/test_a.py": "import shop.rates\n",
			"shop/cart.py":    "from .rates import A\n",
		}, false, true},
		"values of TypeScript": {
			"node",
			"src/values.ts",
			Sources{
				"src/values.ts": "",
				"src/a.test.ts": "import { want } from './values.js';\n",
				"src/b.ts":      "import x from './other/values';\n",
			},
			true,
			false,
		},
		"a mock of another language": {
			"node", "__mocks__/shop.js",
			Sources{"__mocks__/shop.js": "", "run.py": "import shop\n"},
			false,
			false,
		},
		"values of Perl": {
			"", "lib/Shop/Want.pm",
			Sources{"lib/Shop/Want.pm": "", "t/a.t": "use Shop::Want;\n"},
			true,
			false,
		},
	} {
		imports := c.sources.Imports(c.kind)
		require.Equal(t, c.tests, imports.TestsAlone(c.file), name)
		require.Equal(t, c.code, imports.Code(c.file), name)
	}
	require.True(t, HasValues("prices.py", "A = 1\n"))
	require.False(t, HasValues("shop.py", "def a():\n    pass\n"))
	require.True(t, HasValues("carttest/values.go", "func Want() int { return 1 }\n"))
}
