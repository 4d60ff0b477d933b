package bare

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
	"github.com/stretchr/testify/require"
)

// TestLockFilesAreNoReferences has a repository into which git is pushing two branches: one lock file is still empty.
func TestLockFilesAreNoReferences(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain, err := git.PlainInit(dir, true)
	require.NoError(t, err)
	hash := strings.Repeat("1", 40)
	heads := filepath.Join(dir, "refs", "heads")
	for name, text := range map[string]string{"main": hash, "next.lock": "", "other.lock": hash} {
		require.NoError(t, os.WriteFile(filepath.Join(heads, name), []byte(text), 0o644))
	}
	opened, err := git.Open(Dir(dir).Storage(), nil)
	require.NoError(t, err)
	branches, err := opened.Branches()
	require.NoError(t, err)
	var names []string
	require.NoError(t, branches.ForEach(func(r *plumbing.Reference) error {
		names = append(names, r.Name().Short())
		return nil
	}))
	require.Equal(t, []string{"main"}, names)

	_, err = plain.Branches()
	require.ErrorIs(t, err, dotgit.ErrEmptyRefFile, "go-git can do with lock files by itself now")
}
