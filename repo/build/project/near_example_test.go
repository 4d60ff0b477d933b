package project

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestAnExampleOfNearTests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		project Project
		files   []string
		want    string
		near    string
	}{
		{
			Project{Kind: "go", Test: "go test -json ./..."},
			[]string{"main.go", "examples/a.go", "examples/a_test.go", "cart/cart_test.go", "cart/cart.go"},
			"cart/cart.go", `grep -xF -e "$(go list -e './cart' 2>/dev/null)"`,
		},
		{
			Project{Kind: "python", Test: "python3 -m pytest -q"},
			[]string{
				"cart.py", "tax.py", "docs/cart.py", "tests/test_cart.py", "tests/test_b.py",
				"tests/test_c.py",
			},
			"cart.py", "python3 -m pytest -q -x 'tests/test_cart.py'",
		},
		{Project{Kind: "python", Test: "make"}, []string{"cart.py", "test_cart.py", "test_b.py"}, "", ""},
		{Project{Kind: "python", Test: "python3 -m pytest"}, []string{"cart.py", "test_b.py"}, "", ""},
		{Project{Kind: "make", Test: "make test"}, []string{"cart.c", "test_cart.c"}, "", ""},
		{Project{}, nil, "", ""},
		{
			Project{Kind: "php", Test: "make test"}, []string{"src/Cart.php", "tests/CartTest.php"}, "", "",
		},
		{
			Project{Kind: "java", Test: "mvn -o -B -fae test"},
			[]string{
				"src/main/java/shop/Cart.java", "src/test/java/shop/CartTest.java",
				"src/test/java/shop/BTest.java", "src/test/java/shop/CTest.java",
			},
			"src/main/java/shop/Cart.java", "CartTest",
		},
	} {
		root := fstest.MapFS{}
		for _, file := range c.files {
			root[file] = &fstest.MapFile{}
		}
		file, parts, ok := c.project.NearExample(root, c.files)
		require.Equal(t, c.want, file)
		require.Equal(t, c.want != "", ok)
		require.Contains(t, parts.Near, c.near)
	}
}

func TestAfreshRunsWhatTheRunnerRemembers(t *testing.T) {
	t.Parallel()
	for test, want := range map[string]string{
		"go test -json ./...":                "go test -count=1 -json ./...",
		"go test -count=2 ./...":             "go test -count=2 ./...",
		"cd api && go test ./a && go test b": "cd api && go test -count=1 ./a && go test -count=1 b",
		"cargo test":                         "cargo test",
	} {
		require.Equal(t, want, Project{Test: test}.Afresh().Test)
	}
	require.Empty(t, Project{Kind: "go", Build: "go build ./..."}.Afresh().Build)
	require.Equal(t, "make", Project{Kind: "make", Build: "make"}.Afresh().Build)
}
