package worktree

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/ledgertest"
)

// Agents that only read look at the repository while the orchestrator opens the session's own workspace in
// it, and brings its files into the copy. What they were given does not change under them (the race
// detector watches that), and what they are given next has the workspace.
func TestReadersWhileTheWorkIsOpened(t *testing.T) {
	t.Parallel()
	origin, _ := repotest.NewOrigin(t, repotest.Files{"go.mod": "module shop\n", "a.go": "package shop\n"})
	trees := newTrees(t, origin)
	opened, err := trees.Open(t.Context())
	require.NoError(t, err)
	require.True(t, opened)
	defer trees.Close()

	before := trees.Current()
	begun := make(chan struct{})
	ended := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for look := sync.OnceFunc(func() { begun <- struct{}{} }); ; look() {
				_ = trees.RepositoryFacts(t.Context())
				now := trees.Current()
				work := now.Work
				tree := now.CopyTree
				for range 1000 {
					if now.Work != work || now.CopyTree != tree {
						t.Error("what an agent was given changed under it")
					}
					runtime.Gosched()
				}
				select {
				case <-ended:
					return
				default:
				}
			}
		})
	}
	for range 4 {
		<-begun
	}
	require.NoError(t, trees.OpenWork(t.Context()))
	require.NoError(t, trees.RefreshCopy(t.Context(), trees.Current()))
	close(ended)
	readers.Wait()
	require.Nil(t, before.Work, "what was given before stays as it was")
	require.Empty(t, before.CopyTree)
	require.NotNil(t, trees.Current().Work)
	require.NotEmpty(t, trees.Current().CopyTree)
}

// Whoever sees an opened repository knows the secrets of its private files already: a message that is
// judged at that moment is recorded without them.
func TestASecretIsKnownBeforeTheRepositoryIsSeen(t *testing.T) {
	t.Parallel()
	const secret = "moss-covered-bucket"
	trees := &Trees{Ledger: ledgertest.Open(t, nil)}
	ended := make(chan struct{})
	var busy sync.WaitGroup
	for range 4 { // others record lines meanwhile, so that learning the secrets takes a moment
		busy.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
					trees.SecretFinder()
				}
			}
		})
	}
	for range 500 {
		masked := make(chan bool)
		go func() {
			for trees.Current() == nil {
				runtime.Gosched()
			}
			masked <- trees.SecretFinder().MaskGiven(secret) != secret
		}()
		trees.publish(&Checkout{Secrets: redact.New(secret)})
		if !<-masked {
			t.Error("the repository was seen before its secrets were known")
			break
		}
		trees.change(func(*Checkout) { trees.checkout = nil })
		trees.SetRepository(nil, nil)
	}
	close(ended)
	busy.Wait()
}
