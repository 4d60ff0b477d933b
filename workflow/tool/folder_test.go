package tool

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAFolderIsExploredAndChangedAlone(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{
		"README.md":              "total\n",
		"lib/money.go":           "package lib // total\n",
		"services/shop/cart.go":  "package shop // total\n",
		"services/shop/sub/a.go": "package sub\n",
		"services/shopping/b.go": "package shopping // total\n",
	})
	b.Folder = "services/shop"
	for _, p := range []string{"", ".", "services/shop"} {
		listed := b.ok(t, "list_files", args{"path": p})
		require.Contains(t, listed, "cart.go")
		require.NotContains(t, listed, "README.md")
		require.NotContains(t, listed, "shopping")
	}
	found := b.ok(t, "search", args{"pattern": "total"})
	require.Contains(t, found, "services/shop/cart.go")
	require.NotContains(t, found, "lib/")
	require.NotContains(t, b.ok(t, "outline", args{"path": "."}), "lib")
	for _, name := range []string{"list_files", "outline"} {
		require.Contains(t, b.refused(t, name, args{"path": "lib"}), "the folder services/shop")
		require.Contains(t, b.refused(t, name, args{"path": "services"}), "not explored here")
	}
	require.Contains(t, b.refused(t, "search", args{"pattern": "x", "path": "services/shopping"}),
		"not explored here")
	require.Contains(t, b.ok(t, "read_file", args{"path": "lib/money.go"}), "package lib")

	b.ok(t, "read_file", args{"path": "services/shop/cart.go"})
	b.ok(t, "edit_file", args{"path": "services/shop/cart.go", "old": "total", "new": "sum"})
	b.ok(t, "write_file", args{"path": "services/shop/new.go", "content": "package shop\n"})
	require.Contains(t, b.refused(t, "edit_file", args{"path": "lib/money.go", "old": "total", "new": "sum"}),
		"may not be changed")
	require.Contains(t, b.refused(t, "write_file", args{
		"path":    "services/shopping/c.go",
		"content": "package shopping\n",
	}), "may not be changed")
	require.Contains(t, b.refused(t, "write_file", args{
		"path":    "services/shop/../../x.go",
		"content": "package x\n",
	}), "may not be changed")
	moved := "*** Begin Patch\n*** Update File: services/shop/sub/a.go\n*** Move to: lib/a.go\n@@\n" +
		"-package sub\n+package lib\n*** End Patch"
	require.Contains(t, b.refused(t, "apply_patch", args{"patch": moved}), "lib/a.go may not be changed")
	require.Equal(t, "package lib // total\n", b.get(t, "lib/money.go"))

	b.Folder = "" // the control: without a folder, the same is allowed
	b.ok(t, "write_file", args{"path": "services/shopping/c.go", "content": "package shopping\n"})
	b.ok(t, "apply_patch", args{"patch": moved})
}
