package queue

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// A SideJob does work of one session while its turns run. Turns never wait for it.
type SideJob struct {
	Session string `json:"session" river:"unique"`
	// HistoryWork or BackportWork
	Work string `json:"work" river:"unique"`
	// how many processes died while they worked at the piece of work that is first now
	Deaths int `json:"deaths,omitempty"`
	// when Deaths was counted last
	DiedAt time.Time `json:"died_at,omitzero"`
}

// afterDeath returns the job that goes on with s, whose process died, and the time when it
// begins; a zero time means now.
//
// The blame is the largest number of crashes that a turn had which was at work beside it and recorded
// nothing since. Such a turn is suspected of this death, so it is not counted here. Only the job waits, and
// longer after each such death. If the turn kills the process, it does so without the job; if the job does,
// the turn has time to record something, and the next death is counted here. As in countCrash, deaths
// within five seconds count as one.
func (s SideJob) afterDeath(now time.Time, blame int) (again SideJob, at time.Time) {
	switch {
	case blame > 0:
		return s, now.Add(15 * time.Second * time.Duration(crashUnit+blame) / crashUnit)
	case now.Sub(s.DiedAt) > 5*time.Second:
		s.Deaths = s.Deaths + 1
		s.DiedAt = now
	}
	return s, time.Time{}
}

// The kinds of work beside turns. Each has its own queue, of that name.
const (
	// searches the history for the commit that brought a bug, and takes pictures of pages
	HistoryWork  = "lookback"
	BackportWork = "backport" // brings a pushed fix to release branches
)

// sideRest has for each kind of work the query for the sessions with some of it left.
var sideRest = map[string]string{
	HistoryWork: `select session_id from lookbacks where state = 'open' union select session_id from pictures
		where state = 'open'`,
	BackportWork: `select session_id from backports where state in ('asked', 'intended')`,
}

// Kind names the job in the queue.
func (SideJob) Kind() string { return "side" }

// InsertOpts allows one live job for each session and kind of work.
func (s SideJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{
		MaxAttempts: 5,
		Queue:       s.Work,
		UniqueOpts:  river.UniqueOpts{ByArgs: true, ByState: live},
	}
}

// InsertSide queues the session's work of that kind, unless a job for it waits or runs.
func (q *Queue) InsertSide(ctx context.Context, tx pgx.Tx, session, work string) error {
	_, err := q.client.InsertTx(ctx, tx, SideJob{Session: session, Work: work}, nil)
	return err
}

// A SideWorker works SideJobs.
type SideWorker struct {
	river.WorkerDefaults[SideJob]
	Queue *Queue
	Run   map[string]func(ctx context.Context, session string) error // by the kind of work
	// GiveUp ends the work, by its kind, after the last attempt failed, or if it killed too many processes.
	GiveUp map[string]func(ctx context.Context, session string) error
	Log    *slog.Logger
}

// Timeout returns -1, which means none: such work has limits of its own.
func (s *SideWorker) Timeout(*river.Job[SideJob]) time.Duration { return -1 }

// NextRetry returns a time soon.
func (s *SideWorker) NextRetry(j *river.Job[SideJob]) time.Time { return s.Queue.retrySoon(j.Attempt) }

// errDeaths is the cause if work is given up because it killed too many processes.
var errDeaths = errors.New("the program died too often while it worked at this")

// Work runs until no work of its kind is left. It rests while the session's work is paused. It allows each
// piece of work as many deaths of the process as failed attempts: fewer than maxCrashes, so that the turns
// which ran beside are not given up first.
func (s *SideWorker) Work(ctx context.Context, j *river.Job[SideJob]) error {
	deadly := j.Args.Deaths >= j.MaxAttempts
	return drain(ctx, s.Queue, j, j.Args.Session, `select $1 not in (`+sideRest[j.Args.Work]+`)`,
		func(ctx context.Context, session string) error {
			err := s.Queue.unlessPaused(ctx, session, func(ctx context.Context, session string) error {
				if deadly {
					return errDeaths
				}
				return s.Run[j.Args.Work](ctx, session)
			})
			if err == nil {
				return s.Queue.forgetDeaths(ctx, j)
			}
			var rests *river.JobSnoozeError
			if errors.As(err, &rests) || errors.Is(err, ErrFenced) || ctx.Err() != nil ||
				database.IsTransient(err) || j.Attempt < j.MaxAttempts && !deadly {
				return err
			}
			deadly = false // what waits behind it is run
			s.Log.Error("giving up on work beside the turns",
				"session", session, "work", j.Args.Work, "err", err)
			if err := s.GiveUp[j.Args.Work](ctx, session); err != nil {
				return err
			}
			return s.Queue.forgetDeaths(ctx, j)
		})
}

// forgetDeaths removes the counted deaths from the job, since the piece of work
// that they belong to has ended.
func (q *Queue) forgetDeaths(ctx context.Context, j *river.Job[SideJob]) error {
	if j.Args.Deaths == 0 {
		return nil
	}
	_, err := q.db.Pool.Exec(ctx,
		`update river_job set args = args - 'deaths' - 'died_at' where id = $1 and state = 'running'
			and attempt = $2`,
		j.ID, j.Attempt)
	return err
}
