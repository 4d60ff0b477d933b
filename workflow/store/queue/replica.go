package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/bobbinhq/bobbin/workflow/failpoint"
)

// A Replica is one process that works the queue, known to the others by its heartbeat. River
// notices a dead worker only after an hour, so living replicas take over the jobs of dead ones:
// in one transaction the old row is discarded and a new one inserted, so that a worker which was
// only frozen cannot complete the run of the new one. The same is done with jobs that are marked
// as running in this process and are not, and a session with something to do and no job gets one.
type Replica struct {
	Queue *Queue
	ID    string        // of the River client; the same after a restart on the same data
	Beat  time.Duration // time between two heartbeats; default 2 s
	Dead  time.Duration // age of the newest heartbeat from which on a replica is dead; default 8 s
	Log   *slog.Logger

	beaten time.Time // time of the last heartbeat that was written, by this machine's monotonic clock
}

// deadAfter returns the default age of the newest heartbeat from which on a replica is dead.
func deadAfter() time.Duration { return failpoint.Wait(failpoint.ReplicaDead, 8*time.Second) }

// Run writes heartbeats and takes over from dead replicas until ctx ends. All times are the database's.
func (r *Replica) Run(ctx context.Context) error {
	tick := time.NewTicker(cmp.Or(r.Beat, 2*time.Second))
	defer tick.Stop()
	defer r.leave(context.WithoutCancel(ctx))
	for {
		if err := r.beatWhole(ctx); err != nil && ctx.Err() == nil {
			r.Log.Warn("heartbeat", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Resume takes over the jobs that a process with the same ID had when it died, so
// that nobody waits until its silence is noticed. It is called once, before any work.
func (r *Replica) Resume(ctx context.Context) error {
	return r.Queue.db.Transact(ctx, func(tx pgx.Tx) error {
		return r.takeOver(ctx, tx, `j.attempted_by[array_upper(j.attempted_by, 1)] = $1`, r.ID)
	})
}

// beatWhole writes a heartbeat that the end of ctx does not cut off: a
// statement that the server carried out later would come after leave.
func (r *Replica) beatWhole(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.deadAfter())
	defer cancel()
	return r.beat(ctx)
}

func (r *Replica) deadAfter() time.Duration { return cmp.Or(r.Dead, deadAfter()) }

func (r *Replica) beat(ctx context.Context) error {
	var now time.Time
	err := r.Queue.db.Pool.QueryRow(ctx, `insert into replicas (id, seen_at) values ($1, now())
		on conflict (id) do update set seen_at = now() returning clock_timestamp()`, r.ID).Scan(&now)
	if err != nil {
		return err
	}
	r.Queue.db.Clock().Set(now)
	// If this replica could not beat for a while, neither could the
	// others. They get the time of one beat to show that they are alive.
	steady := time.Since(r.beaten) < r.deadAfter()
	r.beaten = time.Now()
	return pgx.BeginFunc(ctx, r.Queue.db.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `delete from replicas where seen_at < now() - $1::interval * 60`,
			r.deadAfter()); err != nil {
			return err
		}
		if steady {
			err := r.takeOver(ctx, tx,
				`j.attempted_at < now() - $1::interval and not exists (select 1 from replicas p
				where p.id = j.attempted_by[array_upper(j.attempted_by, 1)]
				and p.seen_at > now() - $1::interval)`,
				r.deadAfter())
			if err != nil {
				return err
			}
		}
		err := r.takeOver(ctx, tx,
			`j.attempted_at < now() - $1::interval and j.attempted_by[array_upper(j.attempted_by, 1)] = $2
			and j.id <> all($3)`, r.deadAfter(), r.ID, r.Queue.running.list(r.deadAfter()))
		if err != nil {
			return err
		}
		return r.wake(ctx, tx)
	})
}

// takeOver discards each running job that matches the SQL condition, and inserts a
// new one in its place. It counts the loss of a turn's worker against the session,
// and the loss of a SideJob's worker in the new job, unless a lost turn is a suspect.
func (r *Replica) takeOver(ctx context.Context, tx pgx.Tx, condition string, args ...any) error {
	rows, err := tx.Query(ctx, `update river_job set state = 'discarded', finalized_at = now(),
			errors = array_append(errors, jsonb_build_object('at', now(), 'attempt', attempt, 'error',
				'worker lost', 'trace', ''))
		where id in (select j.id from river_job j where j.state = 'running'
			and j.kind in ('turn', 'post', 'react', 'due', 'pull_request', 'side') and `+
		condition+` for update skip locked)
		returning kind, args, coalesce((select s.crashes from sessions s
			where s.id = river_job.args->>'session'), 0)`,
		args...)
	if err != nil {
		return fmt.Errorf("orphans: %w", err)
	}
	lost, err := pgx.CollectRows(rows, pgx.RowToStructByPos[orphan])
	if err != nil {
		return fmt.Errorf("orphans: %w", err)
	}
	blame := 0 // of the turn that is suspected most
	for _, o := range lost {
		if o.Kind == (TurnJob{}).Kind() {
			blame = max(blame, o.Crashes)
		}
	}
	var turns []string
	for _, o := range lost {
		session, err := o.insertAgain(ctx, tx, r.Queue, blame)
		if err != nil {
			return fmt.Errorf("orphans: %w", err)
		}
		if o.Kind == (TurnJob{}).Kind() {
			turns = append(turns, session)
		}
	}
	if err := countCrash(ctx, tx, turns); err != nil {
		return fmt.Errorf("orphans: %w", err)
	}
	if len(lost) > 0 {
		r.Log.Warn("took over jobs whose worker was lost", "jobs", len(lost))
	}
	return nil
}

// An orphan is a job whose worker is gone.
type orphan struct {
	Kind    string
	Args    []byte
	Crashes int // of its session, before this loss
}

// insertAgain queues the job once more and returns its session. The blame is that of the lost
// turns; see SideJob.afterDeath.
func (o orphan) insertAgain(ctx context.Context, tx pgx.Tx, q *Queue, blame int) (session string, err error) {
	var args struct {
		SideJob
		Question int64 `json:"question"`
	}
	if err := json.Unmarshal(o.Args, &args); err != nil {
		return "", err
	}
	switch o.Kind {
	case PostJob{}.Kind():
		return args.Session, q.InsertPost(ctx, tx, args.Session)
	case ReactJob{}.Kind():
		return args.Session, q.InsertReact(ctx, tx, args.Session)
	case PullRequestJob{}.Kind():
		return args.Session, q.InsertPullRequest(ctx, tx, args.Session)
	case SideJob{}.Kind():
		again, at := args.afterDeath(q.db.Clock().Now(), blame)
		_, err := q.client.InsertTx(ctx, tx, again, &river.InsertOpts{ScheduledAt: at})
		return args.Session, err
	case DueJob{}.Kind():
		return args.Session, q.InsertDue(ctx, tx, args.Session, args.Question, time.Time{})
	}
	return args.Session, q.InsertTurn(ctx, tx, args.Session)
}

// countCrash counts the death of a process against the sessions that were at work in it. At most
// one of them caused it: the sessions that recorded nothing since the death before are
// suspects, and share the blame; if there is none, all sessions share it. Deaths within
// five seconds count as one, since a program that fails at its start is no session's fault.
func countCrash(ctx context.Context, tx pgx.Tx, sessions []string) error {
	if len(sessions) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx,
		`with died as (
			select id, crashes > 0 as suspect
			from sessions
			where id = any($1) and coalesce(crashed_at < now() - interval '5 seconds', true)),
		share as (
			select $2 / greatest(count(*) filter (where suspect), 1) as whole, bool_or(suspect) as known
			from died)
		update sessions s set
			crashes = crashes + case when died.suspect or not share.known
				then share.whole / case when share.known then 1 else $3 end
				else 1 end,
			crashed_at = now()
		from died, share where s.id = died.id`, sessions, crashUnit, len(sessions))
	return err
}

// jobless is a query for sessions with something to do and no job, and the function that queues one.
type jobless struct {
	sql   string
	queue func(ctx context.Context, tx pgx.Tx, session string) error
}

// wake queues a job for each session that has something to do and no live job. The end
// of a pause leaves sessions like that, also some that are open only for a person's question
// to an agent that reads; whatever else does, no request is forgotten.
func (r *Replica) wake(ctx context.Context, tx pgx.Tx) error {
	all := []jobless{
		{
			`select w.id from (select id from sessions where open union select session_id from inbox
			where handled_at is null
			union select d.session_id from pauses_told d join inquiries q using (session_id)
				where q.answer is null and not q.stopped and q.key like 'message:%') w where not exists
			(select 1 from pauses_told d join pauses p using (scope, name, at) where d.session_id = w.id)
				and not exists
			(select 1 from river_job j where j.kind = 'turn' and j.args->>'session' = w.id
				and j.state in ('available', 'pending', 'running', 'scheduled', 'retryable'))`,
			func(ctx context.Context, tx pgx.Tx, session string) error {
				return r.Queue.InsertTurn(ctx, tx, session)
			},
		},
		{
			`select distinct o.session_id from outbox o where o.reaction = '' and o.posted_at is null
			and o.refused is null and not exists
			(select 1 from river_job j where j.kind = 'post' and j.args->>'session' = o.session_id
				and j.state in ('available', 'pending', 'running', 'scheduled', 'retryable'))`,
			r.Queue.InsertPost,
		},
		{
			`select distinct o.session_id from outbox o where o.reaction <> '' and o.posted_at is null
			and o.refused is null and not exists
			(select 1 from river_job j where j.kind = 'react' and j.args->>'session' = o.session_id
				and j.state in ('available', 'pending', 'running', 'scheduled', 'retryable'))`,
			r.Queue.InsertReact,
		},
		{
			`select s.id from sessions s where (exists (select 1 from pull_requests p
				where p.session_id = s.id and (p.state in ('intended', 'open')
				or p.state in ('merged', 'closed') and p.news_at > now() - interval '13 days'))
				or exists (select 1 from ci_proofs c where c.session_id = s.id and ` + openProof + `)
				or exists (select 1 from tickets t where t.session_id = s.id and t.state = 'intended'))
			and s.cleared_at is null and not exists
			(select 1 from river_job j where j.kind = 'pull_request' and j.args->>'session' = s.id
				and j.state in ('available', 'pending', 'running', 'scheduled', 'retryable'))`,
			r.Queue.InsertPullRequest,
		},
	}
	for work, rest := range sideRest {
		all = append(all, jobless{
			`select distinct l.session_id from (` + rest +
				`) l where not exists (select 1 from river_job j where j.kind = 'side'
				and j.args->>'session' = l.session_id
				and j.args->>'work' = '` + work +
				`' and j.state in ('available', 'pending', 'running', 'scheduled', 'retryable'))`,
			func(ctx context.Context, tx pgx.Tx, session string) error {
				return r.Queue.InsertSide(ctx, tx, session, work)
			},
		})
	}
	for _, forgotten := range all {
		rows, err := tx.Query(ctx, forgotten.sql)
		if err != nil {
			return fmt.Errorf("sessions without a job: %w", err)
		}
		sessions, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return fmt.Errorf("sessions without a job: %w", err)
		}
		for _, id := range sessions {
			r.Log.Warn("a session had something to do and no job", "session", id)
			if err := forgotten.queue(ctx, tx, id); err != nil {
				return fmt.Errorf("sessions without a job: %w", err)
			}
		}
	}
	return nil
}

// leave deletes the replica's heartbeat, so that a clean end is visible at once. Once the
// newest heartbeat is too old, the others take the replica for dead in any case.
func (r *Replica) leave(ctx context.Context) {
	ctx, cancel := context.WithDeadline(ctx, r.beaten.Add(r.deadAfter()))
	defer cancel()
	if _, err := r.Queue.db.Pool.Exec(ctx, `delete from replicas where id = $1`, r.ID); err != nil {
		r.Log.Warn("the end of this replica is noticed late", "err", err)
	}
}
