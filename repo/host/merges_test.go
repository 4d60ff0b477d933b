package host_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
)

// TestAHostSaysWhetherItConflicts reads what each host says of conflicts. Gitea says the same of a conflict,
// of a draft, and while it has not looked: then nothing is known.
func TestAHostSaysWhetherItConflicts(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		says := ""
		s, h := open(t, hosttest.Config{
			Kind:   kind,
			Merges: func(string, string) string { return says },
		}, token)
		ready := opening
		ready.Draft = false
		p, err := h.Open(t.Context(), ready)
		require.NoError(t, err)
		for _, c := range []struct {
			says          string
			want, atGitea host.Mergeability
		}{
			{"", host.MergeUnknown, host.MergeUnknown},
			{"clean", host.MergeClean, host.MergeClean},
			{"conflicts", host.MergeConflicts, host.MergeUnknown},
		} {
			says = c.says
			want := c.want
			if kind == host.Gitea {
				want = c.atGitea
			}
			p, err = h.Look(t.Context(), p.Number)
			require.NoError(t, err)
			require.Equal(t, want, p.Merges, "%s: %q", kind, c.says)
		}
		s.SetState(p.Number, "merged")
		p, err = h.Look(t.Context(), p.Number)
		require.NoError(t, err)
		require.Equal(t, host.MergeUnknown, p.Merges, "what is merged has no conflicts any more")
	})
}

// TestADraftIsNotTakenForAConflict reads a draft that merges.
func TestADraftIsNotTakenForAConflict(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		_, h := open(t, hosttest.Config{Kind: kind}, token)
		p, err := h.Open(t.Context(), opening)
		require.NoError(t, err)
		p, err = h.Look(t.Context(), p.Number)
		require.NoError(t, err)
		require.NotEqual(t, host.MergeConflicts, p.Merges)
	})
}
