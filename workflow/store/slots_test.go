package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

// crowd runs several replicas on many sessions, and counts how many sessions are at work at the same time.
type crowd struct {
	t      *testing.T
	store  *store.Store
	limits queue.ConcurrencyLimits

	mu        sync.Mutex
	now, most map[string]int // by repository; "" is all
	done      map[string]int
	waited    int
	blind     bool // work without asking for a slot
	let       chan struct{}
}

func (c *crowd) run(ctx context.Context, session string) error {
	turn, err := c.store.Begin(ctx, session, store.NoSettling)
	if err != nil {
		return err
	}
	in, err := turn.Inbox().Unhandled(ctx)
	if err != nil || len(in) == 0 {
		return err
	}
	about := in[0].Text
	if !c.blind {
		announce, err := c.store.Queue.AcquireSlot(ctx, session, about, c.limits)
		c.mu.Lock()
		if announce {
			c.waited++
		}
		c.mu.Unlock()
		if err != nil {
			return err
		}
	}
	c.mu.Lock()
	for _, key := range []string{"", about} {
		c.now[key]++
		c.most[key] = max(c.most[key], c.now[key])
	}
	c.mu.Unlock()
	select { // at work until the test lets one go
	case <-c.let:
	case <-ctx.Done():
		return ctx.Err()
	}
	c.mu.Lock()
	c.now[""]--
	c.now[about]--
	c.done[session]++
	c.mu.Unlock()
	return turn.Record(ctx, inbox.Handled{ID: in[0].ID})
}

// work starts replicas on one database, and stops them with the test.
func (c *crowd) work(replicas int) {
	for n := range replicas {
		workers := river.NewWorkers()
		river.AddWorker(workers,
			&queue.TurnWorker{Queue: c.store.Queue, Run: c.run, GiveUp: nil, Log: storetest.Silent})
		client, err := river.NewClient(riverpgxv5.New(c.store.Pool), &river.Config{
			ID:                fmt.Sprint("replica-", n),
			Workers:           workers,
			Logger:            slog.New(slog.DiscardHandler),
			JobTimeout:        -1,
			FetchCooldown:     time.Millisecond,
			FetchPollInterval: 20 * time.Millisecond,
			Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 8}},
		})
		require.NoError(c.t, err)
		startClient(c.t, c.store, client)
		c.t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			client.StopAndCancel(ctx)
		})
	}
}

func newCrowd(t *testing.T, limits queue.ConcurrencyLimits) *crowd {
	return &crowd{
		t:      t,
		store:  storetest.Open(t),
		limits: limits,
		now:    map[string]int{},
		most:   map[string]int{},
		done:   map[string]int{},
		let:    make(chan struct{}),
	}
}

func (c *crowd) arrive(n int) {
	for i := range n {
		ts := fmt.Sprintf("1.%03d", i)
		require.NoError(c.t, storetest.Inbox(c.store).Receive(c.t.Context(), workflow.IncomingEvent{
			EventID: fmt.Sprint("Ev", i),
			Kind:    workflow.MessageMention,
			Thread:  workflow.Thread{Team: "T1", Channel: "C1", TS: ts},
			TS:      ts,
			User:    "U1",
			Text:    []string{"shop", "shop", "blog"}[i%3],
		}))
	}
}

func (c *crowd) at(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now[key]
}

func (c *crowd) waitedSoFar() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waited
}

func TestLimitsHoldOverAllReplicas(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, queue.ConcurrencyLimits{AtOnce: 3, PerRepository: 2})
	c.arrive(9)
	c.work(2)
	require.Eventually(t, func() bool { return c.at("") == 3 }, time.Minute, 5*time.Millisecond)
	for range 9 {
		c.let <- struct{}{}
	}
	require.Eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.done) == 9
	}, time.Minute, 5*time.Millisecond)
	require.Equal(t, 3, c.most[""])
	require.LessOrEqual(t, c.most["shop"], 2)
	require.LessOrEqual(t, c.most["blog"], 2)
	require.Positive(t, c.waited)
	require.Eventually(t,
		func() bool { return storetest.CountRows(t, c.store, `select count(*) from seats`) == 0 },
		time.Minute, 5*time.Millisecond)
}

// A replica that is full leaves the job to another one with room, and the thread is
// not told of that. Once all are full, a new session waits and its thread is told.
func TestAFullReplicaLeavesJobsToOthers(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, queue.ConcurrencyLimits{AtOnce: 8, PerReplica: 2})
	_, err := c.store.Pool.Exec(t.Context(),
		`insert into replicas select 'replica-' || n, now() + interval '1 hour' from generate_series(0, 1) n`)
	require.NoError(t, err)
	c.arrive(9)
	c.work(2)
	require.Eventually(t, func() bool { return c.at("") == 4 && c.waitedSoFar() == 5 }, time.Minute,
		5*time.Millisecond)
	for n := range 2 {
		require.Equal(t, 2, storetest.CountRows(t, c.store, fmt.Sprintf(
			`select count(*) from seats s join river_job j on j.id = s.job_id
			where s.held and j.state = 'running' and j.attempted_by[array_upper(j.attempted_by, 1)] =
				'replica-%d'`,
			n,
		)))
	}
	for range 9 {
		c.let <- struct{}{}
	}
	require.Eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.done) == 9
	}, time.Minute, 5*time.Millisecond)
	require.Equal(t, 4, c.most[""])
	require.Equal(t, 5, c.waitedSoFar())
}

// How long a session waits for a place is measured from when it first asked, though it asks again and again.
func TestAWaitForAPlaceIsMeasured(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, queue.ConcurrencyLimits{AtOnce: 1})
	longest := func() time.Duration {
		shared, err := view.Shared(c.store.DB)(t.Context())
		require.NoError(t, err)
		return shared.Waits["turn"].Round(time.Hour)
	}
	c.arrive(2)
	c.work(1)
	require.Eventually(t, func() bool { return c.at("") == 1 && c.waitedSoFar() == 1 }, time.Minute,
		5*time.Millisecond)
	require.Zero(t, longest())
	_, err := c.store.Pool.Exec(t.Context(),
		`update seats set since = now() - case when held then interval '9 hours' else interval '4 hours' end`)
	require.NoError(t, err)
	require.Equal(t, 4*time.Hour, longest())
	close(c.let)
	require.Eventually(t,
		func() bool { return storetest.CountRows(t, c.store, `select count(*) from seats`) == 0 },
		time.Minute, 5*time.Millisecond)
	require.Zero(t, longest(), "nobody waits")
}

// If the replica with room is gone, the session that waited for it is told that it waits.
func TestTheRoomElsewhereIsGone(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, queue.ConcurrencyLimits{AtOnce: 8, PerReplica: 1})
	_, err := c.store.Pool.Exec(t.Context(),
		`insert into replicas select id, now() + interval '1 hour'
			from unnest(array['replica-0', 'other']) id`)
	require.NoError(t, err)
	c.arrive(2)
	c.work(1)
	require.Eventually(t, func() bool {
		return c.at("") == 1 &&
			storetest.CountRows(t, c.store, `select count(*) from seats where not held`) == 1
	}, time.Minute, 5*time.Millisecond)
	require.Zero(t, c.waitedSoFar(), "there is room elsewhere")
	_, err = c.store.Pool.Exec(t.Context(), `delete from replicas where id = 'other'`)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return c.waitedSoFar() == 1 }, time.Minute, 5*time.Millisecond)
	close(c.let)
	require.Eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.done) == 2
	}, time.Minute, 5*time.Millisecond)
	require.Equal(t, 1, c.waitedSoFar(), "once")
}

// A session that waits behind others asks seldom, but looks at once at what people write.
func TestWhoWaitsHearsAtOnce(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, queue.ConcurrencyLimits{AtOnce: 1})
	c.arrive(9)
	c.work(1)
	const far = `select args->>'session' from river_job where state = 'available'
		and scheduled_at > now() + interval '2 seconds' limit 1`
	var session string
	require.Eventually(t,
		func() bool { return c.store.Pool.QueryRow(t.Context(), far).Scan(&session) == nil },
		time.Minute, 5*time.Millisecond)
	var soon bool
	require.NoError(t, pgx.BeginFunc(t.Context(), c.store.Pool, func(tx pgx.Tx) error {
		if err := c.store.Queue.InsertTurn(t.Context(), tx, session); err != nil {
			return err
		}
		return tx.QueryRow(t.Context(),
			`select scheduled_at < now() + interval '1 second' from river_job where args->>'session' = $1`,
			session).Scan(&soon)
	}))
	require.True(t, soon)
	close(c.let)
	require.Eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.done) == 9
	}, time.Minute, 5*time.Millisecond)
}

// The room of a dead replica does not count.
func TestTheDeadHaveNoRoom(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, queue.ConcurrencyLimits{AtOnce: 8, PerReplica: 2})
	_, err := c.store.Pool.Exec(t.Context(),
		`insert into replicas values ('replica-0', now() + interval '1 hour'), ('dead', now() - interval
			'9 seconds')`)
	require.NoError(t, err)
	c.arrive(6)
	c.work(1)
	require.Eventually(t, func() bool { return c.at("") == 2 && c.waitedSoFar() == 4 }, time.Minute,
		5*time.Millisecond)
	close(c.let)
	require.Eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.done) == 6
	}, time.Minute, 5*time.Millisecond)
}

// The control: without slots, each replica runs as many sessions as it has workers.
func TestWithoutSeatsMoreAreAtWork(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, queue.ConcurrencyLimits{AtOnce: 3, PerRepository: 2})
	c.blind = true
	c.arrive(9)
	c.work(2)
	require.Eventually(t, func() bool { return c.at("") > 3 }, time.Minute, 5*time.Millisecond)
	close(c.let)
}

func TestAPlaceOfTheDeadIsFree(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, queue.ConcurrencyLimits{AtOnce: 1})
	c.arrive(2)
	_, err := c.store.Pool.Exec(t.Context(), `insert into seats (session_id, repository, job_id, held)
		select id, 'shop', 999999, true from sessions order by thread_ts limit 1`)
	require.NoError(t, err)
	c.work(1)
	close(c.let)
	require.Eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.done) == 2
	}, time.Minute, 5*time.Millisecond)
}

// A worker that was frozen while its job was given to another one notices that before it fences the other.
func TestAWorkerWithoutItsJobDoesNotBegin(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	first := storetest.BeginTurn(t, s)
	begins := make(chan error, 1)
	workQueue(t, s, func(workers *river.Workers) {
		river.AddWorker(workers, &queue.TurnWorker{
			Queue: s.Queue,
			Log:   storetest.Silent,
			Run: func(ctx context.Context, session string) error {
				_, err := s.Pool.Exec(ctx, `update river_job set state = 'discarded', finalized_at = now()
					where kind = 'turn'`)
				if err == nil {
					_, err = s.Begin(ctx, session, store.NoSettling)
				}
				begins <- err
				return err
			},
		})
	})
	require.ErrorIs(t, <-begins, store.ErrFenced)
	require.NoError(t, first.Record(t.Context()), "who has the session keeps it")
}

// replica returns a replica for tests in which all that is left of the dead is a minute old.
func replica(s *store.Store, id string) *queue.Replica {
	return &queue.Replica{
		Queue: s.Queue,
		ID:    id,
		Beat:  20 * time.Millisecond,
		Dead:  30 * time.Second,
		Log:   storetest.Silent,
	}
}

// A job that is marked as running in this replica, and is not, is begun again:
// River gives up reporting the end of a job when Postgres is unavailable.
func TestAJobThatNobodyHasInHandIsTakenBack(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	storetest.BeginTurn(t, s)
	_, err := s.Pool.Exec(t.Context(),
		`update river_job set state = 'running', attempted_at = now() - interval '1 minute', attempted_by =
			array['alive'], attempt = 1 where kind = 'turn'`)
	require.NoError(t, err)
	r := replica(s, "alive")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	require.Eventually(t, func() bool {
		return storetest.CountRows(t, s,
			`select count(*) from river_job where kind = 'turn' and state = 'available'`) == 1
	}, time.Minute, 10*time.Millisecond)
	cancel()
	require.NoError(t, <-done)
}

func TestAProcessTakesUpWhatItsPredecessorHadInHand(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	storetest.BeginTurn(t, s)
	_, err := s.Pool.Exec(t.Context(),
		`update river_job set state = 'running', attempted_at = now(), attempted_by = array['me'], attempt = 1
			where kind = 'turn'`)
	require.NoError(t, err)
	require.NoError(t, replica(s, "another").Resume(t.Context()))
	require.Equal(t, 1,
		storetest.CountRows(t, s, `select count(*) from river_job where kind = 'turn' and state = 'running'`))
	require.NoError(t, replica(s, "me").Resume(t.Context()))
	require.Equal(t, 1, storetest.CountRows(t, s,
		`select count(*) from river_job where kind = 'turn' and state = 'available'`))
	require.Equal(t, 1000, storetest.CountRows(t, s, `select crashes from sessions`))
}

// After an outage no replica has beaten for a while. That makes none of them dead.
func TestAnOutageMakesNobodyDead(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	storetest.BeginTurn(t, s)
	_, err := s.Pool.Exec(t.Context(),
		`update river_job set state = 'running', attempted_at = now() - interval '1 minute', attempted_by =
		array['other'], attempt = 1 where kind = 'turn';
		insert into replicas values ('other', now() - interval '1 minute')`)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // one beat, and the end
	r := replica(s, "alive")
	r.Beat = time.Hour
	require.NoError(t, r.Run(ctx))
	require.Equal(t, 1,
		storetest.CountRows(t, s, `select count(*) from river_job where kind = 'turn' and state = 'running'`))
}

func TestASessionThatNoJobStandsForIsWoken(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	require.NoError(t, storetest.BeginTurn(t, s).Record(t.Context(), store.Lines{{
		Agent: "deep", Text: "hello",
	}}))
	_, err := s.Pool.Exec(t.Context(), `delete from river_job`)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, replica(s, "alive").Run(ctx))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from river_job where kind = 'turn'`))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from river_job where kind = 'post'`))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from river_job where kind = 'react'`))
}

// A pause ends a turn that answers a person's question in a session that is not open. The question
// is answered after the pause.
func TestAQuestionThatWasPausedIsWoken(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	woken := func() int {
		_, err := s.Pool.Exec(t.Context(), `delete from river_job`)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, replica(s, "alive").Run(ctx))
		return storetest.CountRows(t, s, `select count(*) from river_job where kind = 'turn'`)
	}
	do := func(sql string) {
		_, err := s.Pool.Exec(t.Context(), sql, turn.Session().ID)
		require.NoError(t, err)
	}
	do(`update sessions set open = false where id = $1`)
	do(`update inbox set handled_at = now() where session_id = $1`)
	require.Zero(t, woken(), "nothing is to be done")
	do(`with p as (insert into pauses (scope, name, paused_by) values ('all', '', 'bea')
		returning scope, name, at)
		insert into pauses_told (session_id, scope, name, at) select $1, scope, name, at from p`)
	do(`insert into inquiries (session_id, kind, key, question)
		values ($1, 'explain', 'message:1', 'why so large?')`)
	require.Zero(t, woken(), "the pause lasts")
	do(`delete from pauses where $1 <> ''`)
	require.Equal(t, 1, woken())
	do(`update inquiries set stopped = true where session_id = $1`)
	require.Zero(t, woken(), "a person has stopped it")
	do(`update inquiries set stopped = false, answer = '{}' where session_id = $1`)
	require.Zero(t, woken(), "it is answered")
}

// What is written in a thread that was told of a pause keeps no worker busy until the pause is lifted.
func TestAPausedThreadHoldsNoWorker(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	_, err := s.Pool.Exec(t.Context(),
		`with p as (insert into pauses (scope, name, paused_by) values ('all', '', 'bea')
		returning scope, name, at)
		insert into pauses_told (session_id, scope, name, at) select $1, scope, name, at from p`,
		turn.Session().ID)
	require.NoError(t, err)
	var runs atomic.Int32
	workQueue(t, s, func(workers *river.Workers) {
		river.AddWorker(workers, &queue.TurnWorker{
			Queue: s.Queue,
			Log:   storetest.Silent,
			Run: func(context.Context, string) error {
				runs.Add(1)
				return nil
			},
		})
	})
	require.Eventually(t, func() bool {
		return runs.Load() > 1 || storetest.CountRows(t, s,
			`select count(*) from river_job where kind = 'turn' and state = 'completed'`) == 1
	}, time.Minute, 5*time.Millisecond)
	require.EqualValues(t, 1, runs.Load())
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from inbox where handled_at is null`),
		"it is handled after the pause")
}

// A session that kills its worker every time is given up in the end.
func TestASessionThatKillsIsGivenUp(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	_, err := s.Pool.Exec(t.Context(), `update sessions set crashes = 15000`)
	require.NoError(t, err)
	given := make(chan error, 1)
	workQueue(t, s, func(workers *river.Workers) {
		river.AddWorker(workers, &queue.TurnWorker{
			Queue: s.Queue, Log: storetest.Silent,
			Run: func(context.Context, string) error {
				t.Error("it was run")
				return nil
			},
			GiveUp: func(ctx context.Context, session string, cause error) error {
				given <- cause
				in, err := turn.Inbox().Unhandled(ctx)
				if err != nil {
					return err
				}
				return turn.Record(ctx, inbox.Handled{ID: in[0].ID})
			},
		})
	})
	require.ErrorContains(t, <-given, "15 times in a row")
	require.Eventually(t,
		func() bool { return storetest.CountRows(t, s, `select crashes from sessions`) == 0 },
		time.Minute, 5*time.Millisecond)
}

// An error of the operating system is no failure of the database: the last attempt ends the session.
func TestASessionThatThisMachineFailsIsGivenUp(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	_, err := s.Pool.Exec(t.Context(), `update river_job set max_attempts = 1 where kind = 'turn'`)
	require.NoError(t, err)
	given := make(chan error, 1)
	runs := 0
	workQueue(t, s, func(workers *river.Workers) {
		river.AddWorker(workers, &queue.TurnWorker{
			Queue: s.Queue, Log: storetest.Silent,
			Run: func(context.Context, string) error {
				if runs++; runs == 2 {
					given <- errors.New("it was run again")
				}
				return fmt.Errorf("open a copy: %w",
					&fs.PathError{Op: "mkdir", Path: "x", Err: syscall.EACCES})
			},
			GiveUp: func(ctx context.Context, _ string, cause error) error {
				given <- cause
				return turn.Record(ctx, inbox.Handled{ID: 1})
			},
		})
	})
	require.ErrorIs(t, <-given, fs.ErrPermission)
}

// A panic counts as a failed attempt, and the last attempt ends the session.
func TestASessionThatPanicsIsGivenUp(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	_, err := s.Pool.Exec(t.Context(), `update river_job set max_attempts = 1 where kind = 'turn'`)
	require.NoError(t, err)
	given := make(chan error, 1)
	workQueue(t, s, func(workers *river.Workers) {
		river.AddWorker(workers, &queue.TurnWorker{
			Queue: s.Queue, Log: storetest.Silent,
			Run: func(context.Context, string) error { panic("a bug of the program") },
			GiveUp: func(ctx context.Context, _ string, cause error) error {
				given <- cause
				return turn.Record(ctx, inbox.Handled{ID: 1})
			},
		})
	})
	require.Eventually(t, func() bool {
		return storetest.CountRows(t, s,
			`select count(*) from river_job where kind = 'turn' and state in ('completed', 'discarded')`) == 1
	}, time.Minute, 5*time.Millisecond)
	require.Len(t, given, 1)
	cause := <-given
	require.ErrorIs(t, cause, queue.ErrPanic)
	require.ErrorContains(t, cause, "a bug of the program")
}

// Of the sessions that were at work in a death, those that recorded nothing since
// the last one are to blame. If there is no such session, all share the blame.
func TestBlameIsShared(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	c := &crowd{t: t, store: s}
	c.arrive(4)
	die := func() {
		_, err := s.Pool.Exec(t.Context(),
			`update river_job set state = 'running', attempted_at = now(), attempted_by = array['me'], attempt
				= 1 where kind = 'turn' and state = 'available'`)
		require.NoError(t, err)
		require.NoError(t, replica(s, "me").Resume(t.Context()))
	}
	crashes := func() []int {
		rows, err := s.Pool.Query(t.Context(), `select crashes from sessions order by thread_ts`)
		require.NoError(t, err)
		list, err := pgx.CollectRows(rows, pgx.RowTo[int])
		require.NoError(t, err)
		return list
	}
	die()
	require.Equal(t, []int{250, 250, 250, 250}, crashes())
	// whatever time passes before the next death
	_, err := s.Pool.Exec(t.Context(), `update sessions set crashed_at = now() + interval '1 minute'`)
	require.NoError(t, err)
	die()
	require.Equal(t, []int{250, 250, 250, 250}, crashes(), "so soon after the first, it is the same trouble")
	_, err = s.Pool.Exec(t.Context(), `update sessions set crashed_at = now() - interval '1 minute';
		update sessions set crashes = 0 where thread_ts <> '1.001'`) // the others got further
	require.NoError(t, err)
	die()
	require.Equal(t, []int{1, 1250, 1, 1}, crashes())
}
