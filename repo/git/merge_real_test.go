package git

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/merge"
	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// TestMergesOfARealRepository merges again what people merged in a repository with a long history, and
// compares with git: what conflicts, and the tree of what does not. Merges with several merge bases are
// left out: git merges these bases first. BOBBIN_MERGES is the git directory, packed.
func TestMergesOfARealRepository(t *testing.T) {
	dir := os.Getenv("BOBBIN_MERGES")
	if dir == "" { // no test brings thousands of merges of its own; merge_commits_test.go has each kind
		t.Skip("it needs a git directory with a long history; BOBBIN_MERGES names it")
	}
	packs, err := objects.OpenPacks(filepath.Join(dir, "objects", "pack"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, packs.Close()) })
	store := objects.NewStore(packs, t.TempDir())
	head := remotetest.RunGit(t, dir, "rev-parse", "HEAD")
	commits := Commits{
		Repository: "real",
		Store:      store,
		Refs: transfer.Refs{Head: "main", Hashes: map[string]plumbing.Hash{
			"refs/heads/main": plumbing.NewHash(head),
		}},
	}
	n := 0
	for line := range strings.Lines(remotetest.RunGit(t, dir, "rev-list", "--all", "--merges", "--parents")) {
		hashes := strings.Fields(line)
		if len(hashes) != 3 {
			continue
		}
		ours := hashes[1]
		theirs := hashes[2]
		bases, err := exec.Command("git", "-C", dir, "merge-base", "--all", ours, theirs).Output()
		if err != nil || len(strings.Fields(string(bases))) != 1 {
			t.Logf("%.10s: %d merge bases", hashes[0], len(strings.Fields(string(bases))))
			continue
		}
		n++
		want, wantTree := gitMerge(t, dir, store.Dir(), ours, theirs)
		got, tree := ourMerge(t, commits, ours, theirs)
		switch {
		case (len(want) == 0) != (len(got) == 0):
			t.Errorf("%.10s: git: %q, here: %q", hashes[0], want, got)
		case len(want) == 0 && tree != wantTree:
			t.Errorf("%.10s: another tree: %s", hashes[0],
				remotetest.RunGit(t, dir, "diff-tree", "-r", "--name-status", wantTree, hashes[0]))
		}
	}
	t.Logf("%d merges", n)
}

// gitMerge returns the paths that conflict according to git, and the merged tree. The objects are those of
// a git directory and a folder of loose ones.
func gitMerge(t *testing.T, dir, loose, ours, theirs string) (conflicts []string, tree string) {
	t.Helper()
	cmd := exec.Command("git", "-C", dir, "-c", "safe.directory=*", "merge-tree", "--write-tree",
		"--name-only", ours, theirs)
	cmd.Env = append(os.Environ(), "GIT_OBJECT_DIRECTORY="+t.TempDir(),
		"GIT_ALTERNATE_OBJECT_DIRECTORIES="+filepath.Join(dir, "objects")+":"+loose)
	out, err := cmd.Output()
	var failed *exec.ExitError
	if err != nil && !(errors.As(err, &failed) && failed.ExitCode() == 1) {
		require.NoError(t, err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err == nil {
		return nil, lines[0]
	}
	end := slices.Index(lines, "")
	if end < 0 {
		end = len(lines)
	}
	return lines[1:end], lines[0]
}

func ourMerge(t *testing.T, commits Commits, ours, theirs string) (conflicts []string, tree string) {
	t.Helper()
	tried, err := commits.TryMerge(t.Context(), ours, theirs)
	require.NoError(t, err)
	for _, c := range tried.Conflicts {
		conflicts = append(conflicts, c.String())
	}
	var trees [3]plumbing.Hash
	for i, name := range []string{tried.Base, ours, theirs} {
		trees[i], err = gittree.FindTree(commits.Store, name)
		require.NoError(t, err)
	}
	if tried.Done {
		return nil, trees[1].String()
	}
	made, _, err := merge.Marked(t.Context(), commits.Store, trees[0], trees[1], trees[2], merge.Labels{})
	require.NoError(t, err)
	return conflicts, made.String()
}
