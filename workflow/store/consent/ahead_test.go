package consent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// While another repository of the thread is pushed, no push begins, and none before the thread was told that
// the other one was refused. The control: a session of another thread, in the same state, keeps none back.
func TestPushesOfAThreadGoOneAfterAnother(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	ctx := t.Context()
	turn := storetest.BeginTurn(t, s)
	r := storetest.RecordReport(t, turn, 1, "first")
	require.NoError(t, turn.Record(ctx, storetest.Approval(r, "a")...))
	require.NoError(t, turn.Record(ctx, inbox.NewPart{Repository: "site"}))
	parts, err := turn.Inbox().Parts(ctx)
	require.NoError(t, err)
	other := parts[1].Session
	exec := func(sql string, args ...any) {
		_, err := s.Pool.Exec(ctx, sql, args...)
		require.NoError(t, err)
	}
	push := func(commit string) error {
		return turn.Record(ctx, consent.Push{
			Commit: commit, Tree: "t", BaseCommit: "c0ffee", Branch: "bobbin/x", Approval: "a",
			State: workflow.PushIntended,
		})
	}
	exec(`insert into pushes (session_id, commit_hash, tree, base_commit, branch)
		values ($1, 'o', 't', 'b', 'x')`, other)
	require.ErrorIs(t, push("c1"), consent.ErrPushAhead, "it is under way")
	exec(`insert into pauses (scope, name, paused_by) values ('repository', 'site', 'op')`)
	require.NoError(t, push("c1"), "the operator has paused it")
	exec(`delete from pushes where commit_hash = 'c1'`)
	exec(`delete from pauses`)
	exec(`update sessions set part_of = null where id = $1`, other)
	require.NoError(t, push("c1"), "the control: it is of another thread")
	exec(`delete from pushes where commit_hash = 'c1'`)
	exec(`update sessions set part_of = $2 where id = $1`, other, turn.Session().ID)

	exec(`update pushes set state = 'refused' where session_id = $1`, other)
	told, err := s.Pool.Begin(ctx)
	require.NoError(t, err)
	require.NoError(t, s.WriteLine(ctx, told, other, workflow.Line{Agent: "bobbin", Text: "it was refused"}))
	require.NoError(t, told.Commit(ctx))
	require.ErrorIs(t, push("c2"), consent.ErrPushAhead, "the thread was not told")
	exec(`update outbox set posted_at = now(), ts = '9.0' where session_id = $1`, other)
	require.NoError(t, push("c2"))
	exec(`update pushes set state = 'intended' where session_id = $1`, other)
	exec(`update sessions set open = false where id = $1`, other)
	require.NoError(t, push("c2"), "a session at rest pushes nothing")
	exec(`update sessions set open = true where id = $1`, turn.Session().ID)
	ahead, err := consent.Register{DB: s.DB}.PushAhead(ctx, other)
	require.NoError(t, err)
	require.True(t, ahead, "the first one is under way")
}
