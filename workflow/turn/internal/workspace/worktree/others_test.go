package worktree

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// newTreesOf opens trees of a shop, beside which there are an api and, for another channel alone, a vault.
func newTreesOf(t *testing.T) (trees *Trees, api string) {
	shop, _ := repotest.NewOrigin(t, repotest.Files{"go.mod": "module shop\n", "a.go": "package shop\n"})
	api, _ = repotest.NewOrigin(t, repotest.Files{
		"pkg/split.go": "package pkg\n\nfunc Split() {}\n", ".env": "API_KEY=moss-covered-bucket\n",
	})
	vault, _ := repotest.NewOrigin(t, repotest.Files{"keys.go": "package keys\n"})
	trees = newTrees(t, shop)
	trees.Catalog.Repositories[0].CodeURL = "https://git.example/shop/{path}"
	trees.Catalog.Repositories[0].Channels = []string{trees.Session().Thread.Channel}
	trees.Catalog.Repositories = append(trees.Catalog.Repositories,
		repository.Repository{
			Remote:  remote.Remote{Name: "api", URL: api},
			Display: repository.Display{CodeURL: "https://git.example/api/{path}"},
		},
		repository.Repository{
			Remote: remote.Remote{Name: "vault", URL: vault}, Private: true, Channels: []string{"CELSE"},
		})
	opened, err := trees.Open(t.Context())
	require.NoError(t, err)
	require.True(t, opened)
	t.Cleanup(func() { trees.Close() })
	return trees, api
}

// linesOf returns the lines of the trees' thread that begin so.
func linesOf(t *testing.T, trees *Trees, beginning string) (count int) {
	require.NoError(t, trees.Store.Pool.QueryRow(t.Context(),
		`select count(*) from lines where starts_with(text, $1)`, beginning).Scan(&count))
	return count
}

// Another repository is read at the commit that was its newest when it was named first, however many agents
// open it at once, and also after a restart. The thread is told once, and the secrets in it are masked.
func TestAnotherRepositoryIsReadAtOneCommit(t *testing.T) {
	t.Parallel()
	trees, api := newTreesOf(t)
	const secret = "moss-covered-bucket"
	require.Equal(t, secret, trees.SecretFinder().Mask(secret), "the control: it is not known yet")
	var agents sync.WaitGroup
	for range 4 {
		agents.Go(func() {
			if _, err := trees.OpenOther(t.Context(), "API"); err != nil {
				t.Error(err)
			}
		})
	}
	agents.Wait()
	first := trees.Current().Others["api"]
	require.NotContains(t, trees.SecretFinder().Mask("it is "+secret), secret)
	require.Contains(t, trees.Session().Before, "api", "guests are shown no code of it")
	require.NoError(t, repotest.CommitAt(api, time.Now(), "newer",
		repotest.Files{"pkg/split.go": "package pkg\n"}))

	trees.Close()
	require.Equal(t, secret, trees.SecretFinder().Mask(secret), "the control: it is closed")
	opened, err := trees.Open(t.Context())
	require.NoError(t, err)
	require.True(t, opened)
	again := trees.Current().Others["api"]
	require.Equal(t, first.Read, again.Read)
	require.Equal(t, "func Split() {}", trees.Current().Line("api:pkg/split.go", 3))
	require.NotContains(t, trees.SecretFinder().Mask("it is "+secret), secret)
	require.Equal(t, 1, linesOf(t, trees, "Also reading api (main at "+first.Read.Commit[:7]+")."))

	require.NoError(t, again.Mirror.Fetch(t.Context()))
	newest, err := again.Mirror.Commits().Resolve("main")
	require.NoError(t, err)
	require.NotEqual(t, first.Read.Commit, newest, "the control: there is a newer commit")
}

// A repository that the thread may not be about is as unknown as one that there is not, to the model and to
// people.
func TestARepositoryThatTheThreadMayNotKnow(t *testing.T) {
	t.Parallel()
	trees, _ := newTreesOf(t)
	for _, name := range []string{"vault", "nosuch"} {
		_, err := trees.OpenOther(t.Context(), name)
		require.Equal(t, model.Mistakef("There is no repository %s here (these can be read: api), and no "+
			"such file. Paths of the own repository have no name before them.", name), err)
	}
	m := workflow.Message{IncomingEvent: workflow.IncomingEvent{
		Kind: workflow.MessageReply, User: "ann", TS: "2.0", Text: "also: vault\nalso: nosuch",
	}}
	require.Equal(t, []string{"vault", "nosuch"}, trees.Catalog.AlsoNamed(m.Text).Unknown)
	rows, err := trees.Store.RepositoriesRead(t.Context(), trees.Session().ID)
	require.NoError(t, err)
	require.Empty(t, rows)
	require.Zero(t, linesOf(t, trees, "Also reading"))
	require.NotContains(t, trees.RepositoryFacts(t.Context()), "vault")
	require.Contains(t, trees.RepositoryFacts(t.Context()), "take NAME:PATH of: api.")
	trees.Catalog.Repositories[2].Private = false
	_, err = trees.OpenOther(t.Context(), "vault")
	require.NoError(t, err, "the control: it is there")
}

// Places of another repository are looked up and linked there, and a word before a path is no repository.
func TestPlacesInAnotherRepository(t *testing.T) {
	t.Parallel()
	trees, _ := newTreesOf(t)
	o, err := trees.OpenOther(t.Context(), "api")
	require.NoError(t, err)
	code := trees.locateCode("cause:a.go:1, api:pkg/split.go:3, api:a.go:1, a.go:1, nosuch:pkg/split.go:3")
	require.Equal(t, &workflow.Code{
		Repository: "shop", Commit: trees.Session().BaseCommit, Places: []string{"a.go:1"},
		Others: []workflow.OtherCode{{
			Repository: "api", Commit: o.Read.Commit, Places: []string{"api:pkg/split.go:3"},
		}},
	}, code)
	p := trees.Current()
	for cause, want := range map[string]bool{
		"It is lost (api:pkg/split.go:3).":    true,
		"It is lost in a.go:1.":               false,
		"api:pkg/split.go:3 called by a.go:1": false,
		"nothing is named":                    false,
		"nosuch:pkg/split.go:3":               false,
	} {
		require.Equal(t, want, p.CauseIn(cause) != nil, cause)
	}
	require.Equal(t, "The cause lies in api (main at "+o.Read.Commit[:7]+"). A fix here changes shop alone: "+
		"reply `repo: api` to begin there.", o.Begins("shop"))
}
