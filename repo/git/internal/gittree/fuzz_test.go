package gittree

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/stretchr/testify/require"
)

// FuzzTree checks that a parsed tree is encoded to the same entries, and that no accepted name leaves
// its folder or is .git to some file system.
func FuzzTree(f *testing.F) {
	hash := strings.Repeat("h", 20)
	for _, seed := range []string{
		"", "100644 a\x00" + hash, "40000 dir\x00" + hash + "100755 run\x00" + hash, "120000 ..\x00" + hash, "160000 .GIT\x00" + hash, "0 a\x00" + hash,
		"100644 a\x00short", "100644 git~1\x00" + hash, "100644 a\\..\\b\x00" + hash, "100644 \u200c.git\x00" + hash, "77777777777 x\x00" + hash, "100644 .git::$INDEX_ALLOCATION\x00" + hash,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		nodes, err := Parse(raw)
		if err != nil {
			return
		}
		again, err := Parse(encode(nodes))
		require.NoError(t, err)
		require.ElementsMatch(t, nodes, again)
		for _, n := range nodes {
			if CheckNode(n) != nil {
				continue
			}
			require.True(t, filepath.IsLocal(n.Name) && filepath.Base(n.Name) == n.Name, "%q", n.Name)
			for _, part := range strings.FieldsFunc(n.Name, func(r rune) bool { return r == '\\' || r == '/' }) {
				require.False(t, strings.EqualFold(strings.TrimRight(part, " ."), ".git"), "%q", n.Name)
				require.NotEqual(t, "..", part)
			}
			require.Contains(t, []filemode.FileMode{filemode.Dir, filemode.Regular, filemode.Deprecated, filemode.Executable, filemode.Symlink, filemode.Submodule}, n.Mode)
		}
	})
}
