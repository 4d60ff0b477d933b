package stage_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/revlist"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// history makes a repository with three commits of one file, and a tag on the second.
func history(t *testing.T) (dir string, commits []string) {
	t.Helper()
	dir = t.TempDir()
	r, err := gogit.PlainInit(dir, false)
	require.NoError(t, err)
	for i := range 3 {
		commits = append(commits, grow(t, dir, i+1))
	}
	_, err = r.CreateTag("v2", plumbing.NewHash(commits[1]), nil)
	require.NoError(t, err)
	return dir, commits
}

// grow makes a commit with that version of the file.
func grow(t *testing.T, dir string, version int) (commit string) {
	t.Helper()
	r, err := gogit.PlainOpen(dir)
	require.NoError(t, err)
	tree, err := r.Worktree()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "version"), fmt.Appendln(nil, version), 0o644))
	_, err = tree.Add("version")
	require.NoError(t, err)
	who := &object.Signature{Name: "Uma Upstream", Email: "uma@example.com", When: stage.Authored}
	c, err := tree.Commit(fmt.Sprintf("version %d", version), &gogit.CommitOptions{Author: who})
	require.NoError(t, err)
	return c.String()
}

// bundle writes all of a repository into a file: header and a pack, as git bundle does, or only a pack if
// header is empty.
func bundle(t *testing.T, dir string, commits []string, header string) string {
	t.Helper()
	r, err := gogit.PlainOpen(dir)
	require.NoError(t, err)
	all, err := revlist.Objects(r.Storer, []plumbing.Hash{plumbing.NewHash(commits[2])}, nil)
	require.NoError(t, err)
	var b bytes.Buffer
	b.WriteString(header)
	_, err = packfile.NewEncoder(&b, r.Storer, false).Encode(all, 0)
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "history.bundle")
	require.NoError(t, os.WriteFile(name, b.Bytes(), 0o644))
	return name
}

func TestARemoteEndsAtItsBase(t *testing.T) {
	t.Parallel()
	source, commits := history(t)
	asBundle := bundle(t, source, commits,
		"# v2 git bundle\n"+commits[1]+" refs/tags/v2\n"+commits[2]+" refs/heads/trunk\n\n")
	asPack := bundle(t, source, commits, "")
	for _, s := range []stage.Source{
		{From: source, Base: commits[1]},
		{From: source, Base: "v2"},
		{From: asBundle, Base: "v2"},
		{From: asBundle, Base: commits[1]},
		{From: asPack, Base: commits[1]},
	} {
		dir := filepath.Join(t.TempDir(), "remote.git")
		require.NoError(t, stage.CloneRemote(t.Context(), dir, s, slog.New(slog.DiscardHandler)), s)
		branches, err := stage.RemoteBranches(dir)
		require.NoError(t, err)
		require.Equal(t, map[string]string{"main": commits[1]}, branches, s)

		// A bot that clones this remote has the commits up to the base, and none after it.
		mirrors := &git.Mirrors{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
		m, err := mirrors.Open(t.Context(), remote.Remote{Name: "shop", URL: dir})
		require.NoError(t, err)
		text, err := m.Commits().ReadFile(commits[1], "version")
		require.NoError(t, err)
		require.Equal(t, "2\n", string(text))
		require.True(t, m.Commits().Has(commits[0]))
		require.False(t, m.Commits().Has(commits[2]))
		_, err = m.Commits().Resolve("v2")
		require.Error(t, err, "tags are left out: one may name what came after")
		require.NoError(t, mirrors.Close())
	}
}

// TestALastingStageGoesOn shows that a reopened stage has the same people and branches, that its main follows
// the source, and that a source that cannot be reached leaves the remote as it was.
func TestALastingStageGoesOn(t *testing.T) {
	t.Parallel()
	source, commits := history(t)
	dir := t.TempDir()
	goOn := func(base string) (people map[string]string, branches map[string]string) {
		st, err := stage.Open(t.Context(), stage.Config{
			Dir:     dir,
			Lasting: true,
			Source:  stage.Source{From: source, Base: base},
			Models:  &server.ModelSettings{},
			Log:     slog.New(slog.DiscardHandler),
		})
		require.NoError(t, err)
		people = st.People
		require.NoError(t, st.Close())
		branches, err = stage.RemoteBranches(st.Remote)
		require.NoError(t, err)
		return people, branches
	}
	people, branches := goOn(commits[0])
	require.Equal(t, map[string]string{"main": commits[0]}, branches)
	r, err := gogit.PlainOpen(filepath.Join(dir, "remote.git"))
	require.NoError(t, err)
	require.NoError(t, r.Storer.SetReference(plumbing.NewHashReference("refs/heads/bobbin/fix",
		plumbing.NewHash(commits[0]))))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "remote.git.new"), 0o755),
		"as a start that was cut off leaves it")

	again, branches := goOn(commits[2])
	require.Equal(t, people, again)
	require.Equal(t, map[string]string{"main": commits[2], "bobbin/fix": commits[0]}, branches)
	mirrors := &git.Mirrors{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	m, err := mirrors.Open(t.Context(), remote.Remote{Name: "shop", URL: filepath.Join(dir, "remote.git")})
	require.NoError(t, err)
	text, err := m.Commits().ReadFile(commits[2], "version")
	require.NoError(t, err)
	require.Equal(t, "3\n", string(text))
	require.NoError(t, mirrors.Close())

	require.NoError(t, os.RemoveAll(source))
	_, branches = goOn(commits[0])
	require.Equal(t, commits[2], branches["main"])
}

// TestTheRemoteNamesItsBranchAsTheSource shows that without a base the remote has the source's default branch
// under its own name, also when that changes between two starts.
func TestTheRemoteNamesItsBranchAsTheSource(t *testing.T) {
	t.Parallel()
	source, commits := history(t) // on master
	dir := t.TempDir()
	opened := func() (base string, branches map[string]string) {
		st, err := stage.Open(t.Context(), stage.Config{
			Dir:     dir,
			Lasting: true,
			Source:  stage.Source{From: source},
			Models:  &server.ModelSettings{},
			Log:     slog.New(slog.DiscardHandler),
		})
		require.NoError(t, err)
		base = st.Settings().Repositories[0].Base
		require.NoError(t, st.Close())
		branches, err = stage.RemoteBranches(st.Remote)
		require.NoError(t, err)
		return base, branches
	}
	base, branches := opened()
	require.Empty(t, base, "the default branch is used")
	require.Equal(t, map[string]string{"master": commits[2]}, branches)

	r, err := gogit.PlainOpen(source)
	require.NoError(t, err)
	require.NoError(t, r.Storer.SetReference(plumbing.NewHashReference("refs/heads/trunk",
		plumbing.NewHash(commits[2]))))
	require.NoError(t, r.Storer.SetReference(
		plumbing.NewSymbolicReference(plumbing.HEAD, "refs/heads/trunk")))
	newest := grow(t, source, 4)
	_, branches = opened()
	require.Equal(t, newest, branches["trunk"])
	head, err := os.ReadFile(filepath.Join(dir, "remote.git", "HEAD"))
	require.NoError(t, err)
	require.Equal(t, "ref: refs/heads/trunk\n", string(head))
}

// TestAShallowSource shows that the bot can clone what a stage cloned from a shallow clone, also
// after another start, and after the source got further commits: on top of those that it has, or
// without what lies between them.
func TestAShallowSource(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	whole, commits := history(t)
	source := filepath.Join(t.TempDir(), "shallow.git")
	dir := t.TempDir()
	remotetest.RunGit(t, "", "init", "-q", "--bare", "-b", "main", source)
	starts := func(newest string) {
		t.Helper()
		st, err := stage.Open(t.Context(), stage.Config{
			Dir:     dir,
			Lasting: true,
			Source:  stage.Source{From: source, Base: "main"},
			Models:  &server.ModelSettings{},
			Log:     slog.New(slog.DiscardHandler),
		})
		require.NoError(t, err)
		require.NoError(t, st.Close())
		mirrors := &git.Mirrors{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
		m, err := mirrors.Open(t.Context(), remote.Remote{Name: "shop", URL: st.Remote})
		require.NoError(t, err)
		text, err := m.Commits().ReadFile("main", "version")
		require.NoError(t, err)
		require.Equal(t, newest, string(text))
		require.False(t, m.Commits().Has(commits[1]))
		require.NoError(t, mirrors.Close())
		remotetest.RunGit(t, st.Remote, "fsck", "--connectivity-only")
	}
	remotetest.RunGit(t, source, "fetch", "-q", "--depth=1", "file://"+whole, "HEAD:main")
	starts("3\n")
	starts("3\n")
	grow(t, whole, 4)
	remotetest.RunGit(t, source, "fetch", "-q", "file://"+whole, "HEAD:main")
	starts("4\n")
	grow(t, whole, 5)
	grow(t, whole, 6)
	remotetest.RunGit(t, source, "fetch", "-q", "--depth=1", "file://"+whole, "+HEAD:main")
	starts("6\n")
}

func TestASourceThatIsNone(t *testing.T) {
	t.Parallel()
	source, commits := history(t)
	text := filepath.Join(t.TempDir(), "notes")
	require.NoError(t, os.WriteFile(text, []byte("not a bundle\n"), 0o644))
	asPack := bundle(t, source, commits, "")
	for want, s := range map[string]stage.Source{
		`source has no branch, tag or commit "v9"`: {From: source, Base: "v9"},
		`has no commit "v9"`:                       {From: asPack, Base: "v9"},
		"it is no git bundle (of version 2)":       {From: text, Base: "main"},
		"the bundle lacks what came before": {
			From: bundle(t, source, commits, "# v2 git bundle\n-"+commits[0]+" version 1\n"), Base: "main",
		},
		"the bundle ends before its pack": {From: truncated(t), Base: "main"},
		"clone": {
			From: filepath.Join(t.TempDir(), "nothing"), Base: "main",
		},
	} {
		err := stage.CloneRemote(t.Context(), filepath.Join(t.TempDir(), "remote.git"), s,
			slog.New(slog.DiscardHandler))
		require.ErrorContains(t, err, want)
	}
}

func truncated(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "cut.bundle")
	require.NoError(t, os.WriteFile(name, []byte("# v2 git bundle\n"), 0o644))
	return name
}
