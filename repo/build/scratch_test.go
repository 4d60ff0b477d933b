package build

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// TestALibraryPackageThatIsNotInTheCacheYet has a test that imports a package of Go's standard library that
// the repository's cache does not hold yet. The control uses that cache itself, read-only and with Go's
// index: there Go reports that the package does not exist.
func TestALibraryPackageThatIsNotInTheCacheYet(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "go version")
	tree := repotest.Files{"go.mod": "module x\n\ngo 1.24\n", "x.go": "package x\n"}
	m, commits := repotest.NewMirror(t, tree)
	c := checker(t)
	p := project.Project{Build: "go build ./..."}
	r, err := c.For(m).Baseline(t.Context(), commits[0], p)
	require.NoError(t, err)
	require.True(t, r.OK(), r.BuildOutput)

	more := tree.With(repotest.Files{"x.go": "package x\n\nimport _ \"unicode/utf16\"\n"})
	r = runIn(t, c.For(m), more, p)
	require.True(t, r.OK(), r.BuildOutput)

	mounts, env := c.For(m).Cache.Mounts("")
	cmd := c.Caches.Sandbox.Command(repotest.WriteTree(t, more), "go", "build", "./...")
	cmd.Mounts = mounts
	cmd.Env = append(env, "GODEBUG=")
	require.Error(t, cmd.Run(t.Context()), "Go can do with a read-only cache by itself now")
}

// writesEntry is a command line that writes an entry to Go's build cache, and entryContents is
// the file with its contents.
const (
	writesEntry = "id=$(printf %064d 0); printf 'v1 %s %s %20d %20d\\n' $id $id 5 1 > $GOCACHE/00/$id-a " +
		"&& echo base > $GOCACHE/00/$id-d"
	entryContents = "$GOCACHE/00/0000000000000000000000000000000000000000000000000000000000000000-d"
)

// TestACacheThatIsLinkedWhileTheBaseWritesIt has a baseline that is writing entries: their lines are there,
// and their contents are not. Go then writes the entries anew. In the control all files of the cache are
// links, and Go says that a package does not exist, since it can write no line through a link.
func TestACacheThatIsLinkedWhileTheBaseWritesIt(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "go version")
	tree := repotest.Files{"go.mod": "module x\n\ngo 1.24\n", "x.go": "package x\n\nimport _ \"errors\"\n"}
	m, commits := repotest.NewMirror(t, tree)
	c := checker(t).For(m)
	list := "go list -deps ./..."
	half := project.Project{
		Build: list,
		Test: `(cd $GOCACHE; for f in $(grep -l '^go index' */*-d); do mv $f $f.away; done)
touch mark; while [ ! -e go-on ]; do sleep 0.01; done; cd $GOCACHE; for f in */*.away; do mv $f ${f%.away}; done`,
	}
	based := make(chan result.Result, 1)
	go func() {
		r, _ := c.Baseline(t.Context(), commits[0], half)
		based <- r
	}()
	own := repotest.GoCacheDir(c.Cache.Mounts(""))
	var mark []string
	require.Eventually(t, func() bool {
		mark, _ = filepath.Glob(filepath.Dir(own) + "/work-*/files/mark")
		return len(mark) == 1
	}, 4*time.Minute, 10*time.Millisecond)

	in := func(scratch string) string {
		var out strings.Builder
		cmd := c.Caches.Sandbox.Command(repotest.WriteTree(t, tree), "sh", "-c", list)
		var err error
		cmd.Mounts, cmd.Env, err = c.Cache.ScratchMounts("", scratch)
		require.NoError(t, err)
		cmd.Stdout = &out
		cmd.Stderr = &out
		_ = cmd.Run(t.Context())
		return out.String()
	}
	scratch := filepath.Join(t.TempDir(), "scratch")
	whole := filepath.Join(t.TempDir(), "whole")
	links := filepath.Join(t.TempDir(), "links")
	require.Contains(t, in(scratch), "\nx\n")
	require.NoError(t, linkEverything(own, links))
	require.NoError(t, c.Caches.Sandbox.Own(links))
	require.Contains(t, in(links), "is not in std")

	// The contents of an index are not needed any more once the cache is linked.
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(mark[0]), "go-on"), nil, 0o644))
	require.True(t, (<-based).OK())
	require.Contains(t, in(whole), "\nx\n")
	indexes, err := filepath.Glob(own + "/*/*-d")
	require.NoError(t, err)
	for _, file := range indexes {
		require.NoError(t, os.Remove(file))
	}
	require.Contains(t, in(whole), "\nx\n")
	require.NotEmpty(t, indexes)
}

// linkEverything makes a cache of links to all files of the cache base.
func linkEverything(base, dir string) error {
	files, err := filepath.Glob(base + "/*/*-[ad]")
	for _, file := range files {
		folder := filepath.Base(filepath.Dir(file))
		err = errors.Join(err, os.MkdirAll(filepath.Join(dir, folder), 0o755),
			os.Symlink(filepath.Join("/cache/gobase", folder, filepath.Base(file)),
				filepath.Join(dir, folder, filepath.Base(file))))
	}
	return err
}

func TestWhatOneSessionLeavesInItsCacheNoOtherSees(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t, repotest.Files{"a": "b"})
	c := checker(t)
	r, err := c.For(m).Baseline(t.Context(), commits[0], project.Project{Test: writesEntry})
	require.NoError(t, err)
	require.True(t, r.OK(), r.Output)
	in := func(scratch, line string) error {
		cmd := c.Caches.Sandbox.Command(repotest.WriteTree(t, nil), "sh", "-c", line)
		cmd.Mounts, cmd.Env, err = c.For(m).Cache.ScratchMounts("", scratch)
		require.NoError(t, err)
		return cmd.Run(t.Context())
	}
	one := filepath.Join(t.TempDir(), "one")
	other := filepath.Join(t.TempDir(), "other")
	require.NoError(t, in(one, "echo poison > $GOCACHE/00/poison"))
	require.NoError(t, in(one, "cat $GOCACHE/00/poison"), "the session itself finds it again")
	require.Error(t, in(other, "cat $GOCACHE/00/poison"))
	require.False(t, runIn(t, c.For(m), nil, project.Project{Test: "cat $GOCACHE/00/poison"}).OK())

	inJest := func(scratch, line string) error { return in(scratch, "cd /tmp/jest_* && "+line+" kept") }
	require.NoError(t, inJest(one, "touch"))
	require.NoError(t, inJest(one, "ls"), "what jest transformed is kept for the session")
	require.Error(t, inJest(other, "ls"))

	// The baseline's entries are visible, and cannot be changed through their links.
	require.NoError(t, in(one, "grep -q base "+entryContents))
	require.Error(t, in(one, "echo poison > "+entryContents))
	require.Equal(t, "base\n", runIn(t, c.For(m), nil, project.Project{Test: "cat " + entryContents}).Output)
}

// TestAgentsSideBySideShareAScratchCache has agents of one session whose first commands begin at once.
func TestAgentsSideBySideShareAScratchCache(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t, repotest.Files{"a": "b"})
	c := checker(t).For(m)
	r, err := c.Baseline(t.Context(), commits[0], project.Project{Test: writesEntry})
	require.NoError(t, err)
	require.True(t, r.OK(), r.Output)
	session := t.TempDir()
	scratch := filepath.Join(session, "build-cache")
	failed := make([]error, 8)
	var agents sync.WaitGroup
	for i := range failed {
		agents.Go(func() { _, _, failed[i] = c.Cache.ScratchMounts("", scratch) })
	}
	agents.Wait()
	for _, err := range failed {
		require.NoError(t, err)
	}
	links, err := os.ReadDir(filepath.Join(scratch, "00"))
	require.NoError(t, err)
	require.Len(t, links, 2)
	left, err := os.ReadDir(session)
	require.NoError(t, err)
	require.Len(t, left, 2, "nothing is left of what the others made: build-cache and that of jest")
}
