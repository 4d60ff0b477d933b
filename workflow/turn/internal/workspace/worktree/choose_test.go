package worktree

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// The repository is chosen by all that was written. While that cannot be read, no repository is chosen, and the
// turn ends with the error: by the first message alone it would be the channel's.
func TestARequestThatCannotBeReadChoosesNoRepository(t *testing.T) {
	t.Parallel()
	trees := newTrees(t, filepath.Join(t.TempDir(), "gone"))
	trees.Catalog.Repositories[0].Channels = []string{trees.Session().Thread.Channel}
	trees.Catalog.Repositories = append(
		trees.Catalog.Repositories, repository.Repository{Remote: remote.Remote{Name: "api"}},
	)
	pool := trees.Store.Pool
	do := func(sql string) {
		_, err := pool.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	chosen := func() string {
		r, ok, err := trees.Catalog.Current(t.Context())
		require.NoError(t, err)
		require.True(t, ok)
		return r.Name
	}
	require.Equal(t, "shop", chosen(), "the first message names none")
	do(`insert into inbox (session_id, event_id, kind, message_ts, user_id, text, handled_at, for_agents)
		select id, 'Ev3', 'reply', '2.0', 'ann', 'sorry, in api', now(), true from sessions`)
	require.Equal(t, "api", chosen(), "the control: with a database it is the one that was named last")

	ended, end := context.WithCancel(t.Context())
	end()
	for name, c := range map[string]struct {
		ctx          context.Context
		fails, mends string
	}{
		"the query fails": {
			t.Context(), `alter table inbox rename to elsewhere`, `alter table elsewhere rename to inbox`,
		},
		"the query is ended": {ended, `select`, `select`},
	} {
		do(c.fails)
		opened, err := trees.Open(c.ctx)
		require.ErrorContains(t, err, "choose the repository", name)
		require.False(t, opened, name)
		require.Nil(t, trees.Current(), name)
		do(c.mends)
		require.Empty(t, trees.Session().Repository, name)
		require.Equal(t, "api", chosen(), name)
	}
	pool.Close()
	_, err := trees.Open(t.Context())
	require.ErrorContains(t, err, "choose the repository")
}
