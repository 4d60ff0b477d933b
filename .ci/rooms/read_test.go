package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSupport(t *testing.T) {
	for path, want := range map[string]bool{
		"bot/slacktest": true, "internal/testutil/x": true, "fakes": true, "testing": true,
		"repo/build": false, "testament": false, "latest/x": true, "repo": false,
	} {
		require.Equal(t, want, isSupport(path), path)
	}
}

// TestExportedNames checks that a group of constants or variables counts as one exported name.
func TestExportedNames(t *testing.T) {
	dir := t.TempDir()
	source := "package p\n\nconst (\n\tA = 1\n\tB = 2\n\tc = 3\n)\n\nvar d, E int\n\nvar f int\n\ntype (\n" +
		"\tG int\n\tH int\n)\n\nfunc I() {}\n\nfunc (G) J() {}\n\nfunc k() {}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "p.go"), []byte(source), 0o644))
	tree, err := readTree(dir)
	require.NoError(t, err)
	require.Equal(t, 5, tree.rooms[0].exported, "A and B, E, G, H, I")
	require.Equal(t, 1, tree.rooms[0].exportedMethods)
	require.Equal(t, 3, tree.rooms[0].functions)
}
