package worktree

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/ledgertest"
)

// The base branch got a file that its own .gitignore matches. The merge brings it, and nothing
// afterwards takes it for deleted.
func TestAMergedBaseKeepsItsIgnoredFiles(t *testing.T) {
	t.Parallel()
	old := repotest.Files{"a": "b\n", ".gitignore": "*.lock\n"}
	origin, made := repotest.NewOrigin(t, old, old.With(repotest.Files{"deps.lock": "one\n"}))
	base := made[0]
	tip := made[1]
	mirrors := repotest.OpenMirrors(t)
	m, err := mirrors.Open(t.Context(), remote.Remote{Name: "shop", URL: origin})
	require.NoError(t, err)
	work := repotest.NewWorkspace(t, m, base, repotest.Files{"a": "fixed\n"})
	pushed, err := work.Commit(t.Context(), git.CommitSpec{Message: "Fix a", When: time.Now()})
	require.NoError(t, err)
	ledger := ledgertest.Open(t, nil)
	require.NoError(t, ledger.Record(t.Context(), store.Update{Change: func(s *workflow.Session) {
		s.BaseCommit = base
		s.Head = pushed
		s.Branch = "bobbin/a"
	}}))
	checkout := &Checkout{Mirror: m, Work: work}
	now, err := checkout.fetchTip(t.Context())
	require.NoError(t, err)
	require.NoError(t, baseMerger{&Snapshots{Ledger: ledger}}.mergeBase(t.Context(), checkout, now))

	s := ledger.Session()
	require.Equal(t, tip, s.BaseCommit)
	require.Equal(t, tip, work.Base())
	changes, err := work.Changes(t.Context())
	require.NoError(t, err)
	require.Len(t, changes, 1)
	require.Equal(t, "a", changes[0].Path)
	now, err = work.Tree(t.Context())
	require.NoError(t, err)
	merged, err := work.TreeOf(s.Head)
	require.NoError(t, err)
	require.Equal(t, now, merged)
	row, err := ledger.Store.Snapshot(t.Context(), s.ID, 0)
	require.NoError(t, err)
	require.Equal(t, now, row.Tree)
}

// The base branch was renamed in the remote since the push. A person has to act, so the error is
// one that the thread is told.
func TestABaseBranchThatIsGoneIsTold(t *testing.T) {
	t.Parallel()
	m, _ := repotest.NewMirror(t, repotest.Files{"a": "b\n"})
	_, err := (&Checkout{Mirror: m, Repository: repository.Repository{Base: "develop"}}).fetchTip(t.Context())
	var gone *remote.Error
	require.ErrorAs(t, err, &gone)
	require.Equal(t,
		`shop has no branch, tag or commit "develop": its branches are main. My operator can correct `+
			"`base` of that repository.", RemoteWords(gone))
}
