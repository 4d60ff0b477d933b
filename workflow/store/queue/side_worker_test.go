package queue

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// A sideRoom has a database with searches of the history, which the process "me" works.
type sideRoom struct {
	t  *testing.T
	db *database.DB
	q  *Queue
}

func newSideRoom(t *testing.T) *sideRoom {
	t.Helper()
	db := openDatabase(t)
	q, err := New(db)
	require.NoError(t, err)
	return &sideRoom{t, db, q}
}

func (s *sideRoom) exec(sql string, args ...any) {
	s.t.Helper()
	_, err := s.db.Pool.Exec(s.t.Context(), sql, args...)
	require.NoError(s.t, err)
}

// ask makes a session with the searches, and queues them.
func (s *sideRoom) ask(session string, keys ...string) {
	s.t.Helper()
	s.exec(
		`insert into sessions (id, team, channel, thread_ts, repository) values ($1, 'T', 'C', $1, 'shop')`,
		session,
	)
	for _, key := range keys {
		s.exec(
			`insert into lookbacks (session_id, key, repository, base, probe)
				values ($1, $2, 'shop', 'c1', '{}')`,
			session,
			key,
		)
	}
	require.NoError(s.t, pgx.BeginFunc(s.t.Context(), s.db.Pool,
		func(tx pgx.Tx) error { return s.q.InsertSide(s.t.Context(), tx, session, HistoryWork) }))
}

// resume starts the process again after it died, a minute after any death before.
func (s *sideRoom) resume() {
	s.t.Helper()
	s.exec(
		`update river_job set args = jsonb_set(args, '{died_at}', to_jsonb(now() - interval '1 minute'))
			where state = 'running' and args ? 'died_at'`)
	require.NoError(s.t,
		(&Replica{Queue: s.q, ID: "me", Log: slog.New(slog.DiscardHandler)}).Resume(s.t.Context()))
}

// begin marks the jobs of the sessions as running in the process.
func (s *sideRoom) begin(sessions ...string) {
	s.t.Helper()
	s.exec(
		`update river_job set state = 'running', attempted_at = now(), attempted_by = array['me'], attempt = 1
			where state in ('available', 'scheduled') and args->>'session' = any($1)`,
		sessions,
	)
}

// die lets the process die while it works for these sessions.
func (s *sideRoom) die(sessions ...string) {
	s.t.Helper()
	s.begin(sessions...)
	s.resume()
}

// end ends the session's oldest open search in the state.
func (s *sideRoom) end(ctx context.Context, session, state string) error {
	_, err := s.db.Pool.Exec(ctx,
		`update lookbacks set state = $2 where id = (select min(id) from lookbacks where session_id = $1
			and state = 'open')`,
		session, state)
	return err
}

// work works until no search is open. A search for which run is called is done if that returns nil, and one
// that is given up is stopped.
func (s *sideRoom) work(run func(session string) error) {
	s.t.Helper()
	workers := river.NewWorkers()
	river.AddWorker(workers, &SideWorker{
		Queue: s.q, Log: slog.New(slog.DiscardHandler),
		Run: map[string]func(context.Context, string) error{
			HistoryWork: func(ctx context.Context, session string) error {
				if err := run(session); err != nil {
					return err
				}
				return s.end(ctx, session, "done")
			},
		},
		GiveUp: map[string]func(context.Context, string) error{
			HistoryWork: func(ctx context.Context, session string) error {
				return s.end(ctx, session, "stopped")
			},
		},
	})
	client, err := river.NewClient(riverpgxv5.New(s.db.Pool), &river.Config{
		ID:      "me",
		Queues:  map[string]river.QueueConfig{HistoryWork: {MaxWorkers: 1}},
		Workers: workers,
		Logger:  slog.New(slog.DiscardHandler),
	})
	require.NoError(s.t, err)
	ended, cancel := client.Subscribe(river.EventKindJobCompleted)
	defer cancel()
	require.NoError(s.t, s.db.Retry(s.t.Context(), func() error { return client.Start(s.t.Context()) }))
	for open := 1; open > 0; {
		<-ended
		require.NoError(s.t, s.db.Pool.QueryRow(s.t.Context(),
			`select count(*) from lookbacks where state = 'open'`).Scan(&open))
	}
	require.NoError(s.t, client.Stop(s.t.Context()))
}

// states returns the states of the session's searches, the oldest first.
func (s *sideRoom) states(session string) []string {
	s.t.Helper()
	rows, err := s.db.Pool.Query(s.t.Context(),
		`select state from lookbacks where session_id = $1 order by id`, session)
	require.NoError(s.t, err)
	states, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(s.t, err)
	return states
}

func runs(string) error { return nil }

// Work beside the turns in which five processes died is given up. After four it is run once more.
func TestWorkThatKillsIsGivenUp(t *testing.T) {
	t.Parallel()
	r := newSideRoom(t)
	for session, deaths := range map[string]int{"four": 4, "five": 5} {
		r.ask(session, "k")
		for range deaths {
			r.die(session)
		}
	}
	r.work(runs)
	require.Equal(t, []string{"done"}, r.states("four"))
	require.Equal(t, []string{"stopped"}, r.states("five"))
}

// Deaths are those of one piece of work: after its end, or after it was given up, the next piece has none.
func TestDeathsBelongToOnePieceOfWork(t *testing.T) {
	t.Parallel()
	for deaths, first := range map[int]string{4: "done", 5: "stopped"} {
		r := newSideRoom(t)
		r.ask("s1", "k1", "k2")
		for range deaths {
			r.die("s1")
		}
		died := false
		r.work(func(session string) error {
			if r.states(session)[0] != "open" && !died {
				died = true
				r.resume()
				return ErrFenced
			}
			return nil
		})
		require.True(t, died)
		require.Equal(t, []string{first, "done"}, r.states("s1"), "after %d deaths", deaths)
	}
}

// A death beside a turn that recorded nothing since an earlier one is not blamed on the work beside
// it. That waits, so that at the next death only one of the two runs. Once the turn has recorded
// something, deaths count again.
func TestASuspectTurnTakesTheBlame(t *testing.T) {
	t.Parallel()
	r := newSideRoom(t)
	r.ask("side", "k")
	r.exec(
		`insert into sessions (id, team, channel, thread_ts, crashes) values ('turn', 'T', 'C', 'turn', $1)`,
		crashUnit,
	)
	require.NoError(t, pgx.BeginFunc(t.Context(), r.db.Pool,
		func(tx pgx.Tx) error { return r.q.InsertTurn(t.Context(), tx, "turn") }))
	job := func() (state string, deaths int) {
		require.NoError(t, r.db.Pool.QueryRow(
			t.Context(),
			`select state, coalesce((args->>'deaths')::int, 0) from river_job where kind = 'side'
				and finalized_at is null`,
		).Scan(&state, &deaths))
		return state, deaths
	}
	for range 5 {
		r.die("side", "turn")
		state, deaths := job()
		require.Equal(t, "scheduled", state)
		require.Zero(t, deaths)
	}
	r.exec(`update sessions set crashes = 0`)
	r.die("side", "turn")
	state, deaths := job()
	require.Equal(t, "available", state)
	require.Equal(t, 1, deaths)
	r.work(runs)
	require.Equal(t, []string{"done"}, r.states("side"))
}

// Deaths of work within five seconds count as one, and work waits longer the more a
// turn beside it is suspected.
func TestAfterADeath(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	for before, want := range map[time.Duration]int{
		0:                                1,
		5 * time.Second:                  1,
		5*time.Second + time.Millisecond: 2,
	} {
		again, at := SideJob{Deaths: 1, DiedAt: now.Add(-before)}.afterDeath(now, 0)
		require.Equal(t, want, again.Deaths, "a death %s after another", before)
		require.Zero(t, at)
	}
	for crashes, want := range map[int]time.Duration{
		1:  30 * time.Second,
		3:  time.Minute,
		14: 225 * time.Second,
	} {
		again, at := SideJob{Deaths: 1}.afterDeath(now, crashes*crashUnit)
		require.Equal(t, SideJob{Deaths: 1}, again)
		require.Equal(t, want, at.Sub(now), "beside %d crashes", crashes)
	}
}
