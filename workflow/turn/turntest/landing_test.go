package turntest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// A push to cleo's branch that was done can be asked for again only if somebody set the branch back since.
func TestALandingCanBeAskedForAgainAfterAReset(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after func(p pullThread, base, pushed string)
		again bool
	}{
		"where it was": {func(pullThread, string, string) {}, false},
		"moved on since": {func(p pullThread, _, _ string) {
			p.commit(hers, repotest.Files{"b": "b"})
		}, false},
		"set back": {func(p pullThread, base, _ string) { p.moveHers(base) }, true},
		"set back, moved on": {func(p pullThread, base, _ string) {
			p.moveHers(base)
			p.commit(hers, repotest.Files{"b": "b"})
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := openPull(t, "== gpt-5"+reportsTotal+worksUnproven+worksOn)
			p.Say("ann", asksForFix)
			p.Say("bea", "fix it")
			p.Say("bea", "push it unproven")
			base := p.head(hers)
			pushed := p.head(p.Session().Branch)
			p.exec(`update pushes set unproven = ''`) // as if it were proven
			p.Say("bea", "push it to cleo/split")
			require.Contains(t, p.Text(), "Pushing it to `cleo/split`, as bea asked.")
			p.Say("ann", "push it to cleo/split")
			require.Contains(t, p.Text(), "The push to `cleo/split` was asked for already.")
			p.exec(`update backports set state = 'pushed', commit_hash = pushed`)
			p.moveHers(pushed)
			c.after(p, base, pushed)
			p.Say("bea", "push it to cleo/split, please")
			n := count(t, p.Thread, "backports where state = 'asked'")
			require.Equal(t, map[bool]int{true: 1}[c.again], n, p.Text())
		})
	}
}

// exec changes rows.
func (p pullThread) exec(sql string) {
	p.t.Helper()
	_, err := p.Runner.Store.Pool.Exec(p.t.Context(), sql)
	require.NoError(p.t, err)
}
