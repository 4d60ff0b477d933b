package pullrequests

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/workflow/store/merges"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// A conflictDesk is a desk with a real remote, at which a change of cart.go was pushed.
type conflictDesk struct {
	*desk
	origin *remotetest.Origin
	mirror *git.Mirror
	says   string // what the host knows of conflicts
}

// openConflict pushes a change. kind is empty for a repository without a host.
func openConflict(t *testing.T, kind string) *conflictDesk {
	t.Helper()
	d := &conflictDesk{origin: remotetest.NewShop(t), says: "clean"}
	hosted := kind
	if kind == "" {
		hosted = host.GitHub
	}
	d.desk = openAtHost(t, hosttest.Config{
		Kind:   hosted,
		Merges: func(string, string) string { return d.says },
		Branch: func(string) (string, error) { return d.origin.BranchHead(branch), nil },
	}, "tok_of_the_shop")
	d.Mirrors = &git.Mirrors{Dir: t.TempDir(), Log: storetest.Silent}
	d.Pace = time.Millisecond
	d.Repositories[0].Remote = remote.Remote{Name: "shop", URL: d.origin.Dir}
	var err error
	d.mirror, err = d.Mirrors.Open(t.Context(), d.Repositories[0].Remote)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Mirrors.Close()) })
	head := d.pushChange(t, "", "fixed", "")
	if kind != "" {
		d.push(t, head)
		d.look(t)
		return d
	}
	d.Repositories[0].Pulls.Host = nil
	_, err = d.Rows.Store.Pool.Exec(t.Context(), `delete from pull_requests`)
	require.NoError(t, err)
	require.NoError(t, d.turn.Record(t.Context(), merges.Watch{
		Repository: "shop",
		Branch:     branch,
		Base:       "main",
		Head:       head,
	}))
	return d
}

// pushChange pushes a change of cart.go on top of parent, with a further parent, and returns the commit.
func (d *conflictDesk) pushChange(t *testing.T, parent, content, merged string) string {
	t.Helper()
	require.NoError(t, d.mirror.Fetch(t.Context()))
	w, err := d.mirror.Workspace(t.Context(), t.TempDir(), "main")
	require.NoError(t, err)
	defer w.Close()
	require.NoError(t, w.Root().WriteFile("cart.go", []byte("package shop\n\n// "+content+"\n"), 0o644))
	spec := git.CommitSpec{Parent: parent, Message: content, When: time.Now()}
	if merged != "" {
		spec.Parents = []string{merged}
	}
	made, err := w.Commit(t.Context(), spec)
	require.NoError(t, err)
	_, err = w.Push(t.Context(), git.PushSpec{Commit: made, Branch: branch})
	require.NoError(t, err)
	return made
}

// told returns the lines about conflicts.
func (d *conflictDesk) told(t *testing.T) (lines []string) {
	t.Helper()
	for _, line := range d.said(t) {
		if strings.Contains(line, "conflicts with") {
			lines = append(lines, line)
		}
	}
	return lines
}

// TestConflictsAreToldOnce checks at each host, and without one, that conflicts are told once with their
// files, whatever the host knows, and again only after they were gone. The control tells them at each move of
// main.
func TestConflictsAreToldOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, says string
		control    bool
	}{
		{kind: host.GitHub, says: "conflicts"},
		{kind: host.GitHub, says: ""},
		{kind: host.GitLab, says: "conflicts"},
		{kind: host.Gitea, says: "conflicts"},
		{kind: ""},
		{kind: host.GitHub, says: "conflicts", control: true},
		{kind: "", control: true},
	} {
		d := openConflict(t, c.kind)
		d.saysAgain = c.control
		d.origin.Commit("elsewhere", map[string]string{"other.go": "package shop\n"})
		d.look(t)
		require.Empty(t, d.told(t), "%+v: main moved elsewhere", c)
		tip := d.origin.Commit("clash", map[string]string{"cart.go": "package shop\n\n// theirs\n"})
		d.says = c.says
		for range 3 {
			require.Positive(t, d.look(t))
		}
		require.Len(t, d.told(t), 1, "%+v", c)
		require.Contains(t, d.told(t)[0], "conflicts with `main` ("+tip[:7]+"): `cart.go`. \"Merge main\"")
		tip = d.origin.Commit("clash on", map[string]string{"cart.go": "package shop\n\n// theirs again\n"})
		d.look(t)
		if c.control {
			require.Len(t, d.told(t), 2)
			continue
		}
		require.Len(t, d.told(t), 1, "%+v: main moved on, and nothing was resolved", c)

		head := d.pushChange(t, d.origin.BranchHead(branch), "resolved", tip)
		d.says = "clean"
		if c.kind != "" {
			d.push(t, head)
		} else {
			require.NoError(t, d.turn.Record(t.Context(), merges.Watch{
				Repository: "shop", Branch: branch, Base: "main", Head: head,
			}))
		}
		d.look(t)
		require.Len(t, d.told(t), 1)
		d.says = c.says
		d.origin.Commit("clash anew", map[string]string{"cart.go": "package shop\n\n// anew\n"})
		d.look(t)
		require.Len(t, d.told(t), 2, "%+v: it clashes anew", c)
	}
}

// TestABranchWithoutAHostIsFollowedToItsEnd follows a branch until main has it, or it is gone, or somebody
// else pushes to it.
func TestABranchWithoutAHostIsFollowedToItsEnd(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(d *conflictDesk){
		"merged": func(d *conflictDesk) { d.origin.Branch("main", d.origin.BranchHead(branch)) },
		"deleted": func(d *conflictDesk) {
			require.NoError(t, exec.Command("git", "-C", d.origin.Dir, "branch", "-D", branch).Run())
		},
	} {
		d := openConflict(t, "")
		require.Positive(t, d.look(t))
		change(d)
		require.Zero(t, d.look(t), name)
		known, err := d.merges().Branches(t.Context(), d.session)
		require.NoError(t, err)
		require.Equal(t, merges.Ended, known[0].State, name)
		require.Empty(t, d.told(t))
	}
	d := openConflict(t, "")
	d.pushChange(t, d.origin.BranchHead(branch), "somebody else", "")
	d.origin.Commit("clash", map[string]string{"cart.go": "package shop\n\n// theirs\n"})
	require.Positive(t, d.look(t))
	require.Empty(t, d.told(t), "what somebody else pushed is not Bobbin's to merge")
}

// TestOnlyAPersonMayMergeABinaryFile offers no button where a person has to merge.
func TestOnlyAPersonMayMergeABinaryFile(t *testing.T) {
	t.Parallel()
	d := openConflict(t, host.GitHub)
	d.origin.Commit("clash", map[string]string{"cart.go": "\x00\x01"})
	d.says = "conflicts"
	d.look(t)
	require.Len(t, d.told(t), 1)
	require.Contains(t, d.told(t)[0], "I cannot merge `cart.go` (binary: both added it, with different "+
		"content): somebody has to merge `main` by hand.")
	require.NotContains(t, d.told(t)[0], "Merge main")

	// What the host alone takes for a conflict is said as that, and can be merged.
	d = openConflict(t, host.GitLab)
	d.says = "conflicts"
	d.origin.Commit("elsewhere", map[string]string{"other.go": "package shop\n"})
	d.look(t)
	require.Contains(t, d.told(t)[0], "conflicts with `main`, as the host says; a merge that I tried finds")
	require.Contains(t, d.told(t)[0], "\"Merge main\"")
}

// TestARetargetedPullRequestIsComparedWithItsNewBase changes the base at the host: the thread is told once,
// conflicts are those with the new base, and its merge is not offered. With the old base again it is.
func TestARetargetedPullRequestIsComparedWithItsNewBase(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{host.GitHub, host.GitLab, host.Gitea} {
		d := openConflict(t, kind)
		first := d.origin.BranchHead("main")
		d.origin.Commit("clash", map[string]string{"cart.go": "package shop\n\n// theirs\n"})
		d.says = "conflicts"
		if kind == host.Gitea { // a draft is never mergeable there
			d.says = ""
		}
		d.look(t)
		require.Len(t, d.told(t), 1)
		d.origin.Branch("release/1.4", first)
		d.says = "clean"
		d.host.SetBase(1, "release/1.4")
		for range 3 {
			d.look(t)
		}
		require.Len(t, d.told(t), 1, "%s: nothing clashes there", kind)
		said := d.said(t)
		require.Contains(t, said[len(said)-1], " goes into `release/1.4` now, as the host says, and not "+
			"into `main` any more. I look for conflicts there. It was made and proven on top of `main`, so "+
			"I merge neither into it.", kind)

		d.origin.Branch("release/1.4", d.origin.BranchHead("main"))
		d.says = "conflicts"
		for range 3 {
			d.look(t)
		}
		require.Len(t, d.told(t), 2, kind)
		require.Contains(t, d.told(t)[1], "conflicts with `release/1.4` (")
		require.Contains(t, d.told(t)[1], "somebody has to merge `release/1.4` into it by hand")
		require.NotContains(t, d.told(t)[1], "makes a merge commit")

		d.host.SetBase(1, "main")
		for range 3 {
			d.look(t)
		}
		require.Len(t, d.told(t), 3, kind)
		require.Contains(t, d.told(t)[2], "\"Merge main\" makes a merge commit")
		d.host.SetBase(1, "release/1.4")
		d.host.SetState(1, "merged")
		d.look(t)
		said = d.said(t)
		require.Contains(t, said[len(said)-1], "was merged into release/1.4.", kind)
	}
}

// Conflicts of a branch that was pushed to a fork are told, too: it is looked for there.
func TestConflictsOfABranchInTheForkAreTold(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	d := openConflict(t, "")
	fork := filepath.Join(t.TempDir(), "fork")
	remotetest.RunGit(t, t.TempDir(), "clone", "-q", "--bare", d.origin.Dir, fork)
	remotetest.RunGit(t, d.origin.Dir, "branch", "-D", branch)
	d.Repositories[0].PushTo = &remote.Remote{Name: "fork", URL: fork}
	d.origin.Commit("theirs", map[string]string{"cart.go": "package shop\n\n// theirs\n"})
	d.look(t)
	require.Len(t, d.told(t), 1)
}
