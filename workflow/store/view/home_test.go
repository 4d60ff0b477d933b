package view

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

func TestSessionsOfAPerson(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	for _, sql := range []string{
		`insert into sessions (id, team, channel, thread_ts, phase, requester, updated_at)
			select c || p || n, 'T1', 'C' || c, c || p || n, case when n % 2 = 0 then 'reported' else 'done' end, 'U' || p, now() - (n * 9 + p) * interval '1 day'
			from unnest(array['a', 'b', 'c']) c, generate_series(1, 2) p, generate_series(1, 3) n`,
		`update sessions set open = true where id = 'a12'`, // at work on it again
		`update sessions set cleared_at = now() where id in ('a11', 'b21')`,
		`insert into sessions (id, team, channel, thread_ts, phase, requester) values ('asked', 'T1', 'Ca', '9', 'exploring', 'U9')`,
		`insert into inbox (session_id, event_id, kind, message_ts, user_id, handled_at, for_agents) values ('asked', 'Ev9', 'mention', '9', 'U9', now(), true)`,
		`insert into questions (session_id, text, options, recommended, open) values ('asked', 'q', '[]', 'r', '[]')`,
	} {
		_, err := s.Pool.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	of := func(person string, waiting bool, most int, channels ...string) (ids []string) {
		list, err := SessionsOf(t.Context(), s.DB, person, channels, waiting, most)
		require.NoError(t, err)
		for _, one := range list {
			ids = append(ids, one.ID)
		}
		return ids
	}
	require.Equal(t, []string{"b11", "c11", "a12", "b12", "c12", "a13", "b13", "c13"}, of("U1", false, 20))
	require.Equal(t, []string{"asked", "b11", "c11", "a21", "a12"}, of("U1", false, 5, "Ca"), "each once, the newest first")
	require.Equal(t, []string{"b12", "c12"}, of("U1", true, 20), "none that is at work or done")
	require.Equal(t, []string{"asked", "b12", "c12", "a22"}, of("U1", true, 20, "Ca"), "one that waits for an answer, too")
	require.Empty(t, of("U7", false, 20))
}
