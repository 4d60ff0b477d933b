package turntest_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// Where somebody goes on from a pushed commit before its push is recorded, it counts as pushed. The control
// is somebody who sets the branch back.
func TestAPushFromWhereSomebodyWentOnIsNotDenied(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	for name, c := range map[string]struct{ moves, want string }{
		"went on": {
			`git -c user.name=c -c user.email=c@c commit-tree -p $new -m More $new^{tree}`, "and pushed",
		},
		"set back": {`git rev-parse $new^`, "could not be pushed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := openPull(t, "== gpt-5"+reportsTotal+worksUnproven+worksOn)
			hook := "#!/bin/sh\nwhile read old new ref; do git update-ref $ref $(" + c.moves + "); done\n"
			dir := filepath.Join(p.origin, ".git", "hooks")
			require.NoError(t, os.MkdirAll(dir, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "post-receive"), []byte(hook), 0o755))
			p.Say("ann", "@bobbin the total is wrong")
			p.Say("bea", "fix it")
			p.Say("bea", "push it unproven")
			require.Contains(t, p.Text(), c.want)
		})
	}
}

// A session that is given up after a push that was not recorded does not deny it: the remote decides.
func TestGivingUpDeniesNoPush(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile func(p pullThread)
		want      string
	}{
		"it arrived": {func(pullThread) {}, "` was pushed before that, at "},
		"it did not": {func(p pullThread) {
			p.move(p.Session().Branch, "")
		}, " Nothing was pushed since. "},
		"the remote is gone": {func(p pullThread) {
			require.NoError(p.t, os.RemoveAll(p.origin))
		}, "` was pushed is not known. "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := openPull(t, "== gpt-5"+reportsTotal+worksUnproven+worksOn)
			p.Say("ann", "@bobbin the total is wrong")
			p.Say("bea", "fix it")
			p.Say("bea", "push it unproven")
			p.exec(`update pushes set state = 'intended'`)
			c.meanwhile(p)
			require.NoError(t, p.Runner.GiveUp(t.Context(), p.Session().ID, errors.New("boom")))
			var said string
			require.NoError(t, p.Runner.Store.Pool.QueryRow(t.Context(),
				`select text from lines order by id desc limit 1`).Scan(&said))
			require.Contains(t, said, "Something failed on my side (boom). ")
			require.Contains(t, said, c.want)
		})
	}
}
