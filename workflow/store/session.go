package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// An Update is a Part that changes the session's own row. All updates of a recording
// are combined: first every Change is made, then all Events happen, then all of OptionalEvents.
type Update struct {
	// changes the session's fields, but not phase, epoch or spending
	Change func(*workflow.Session)
	Events []workflow.Event
	// skipped if the phase does not allow them, since several workers move one session
	OptionalEvents []workflow.Event
	// Open sets whether the orchestrator has something to do; nil leaves it as it is.
	Open      *bool
	ClearStop bool
	// the session rests at a limit, until it is open again
	Limited bool
	// the thread rests: everything asked before is answered
	ThreadSettled bool
}

// Combined returns all updates among the parts as one.
func Combined(parts []Part) (u Update) {
	for _, p := range parts {
		if one, ok := p.(Update); ok {
			u.add(one)
		}
	}
	return u
}

func (u *Update) add(o Update) {
	if before := u.Change; before != nil && o.Change != nil {
		u.Change = func(s *workflow.Session) {
			before(s)
			o.Change(s)
		}
	} else if o.Change != nil {
		u.Change = o.Change
	}
	u.Events = slices.Concat(u.Events, o.Events)
	u.OptionalEvents = slices.Concat(u.OptionalEvents, o.OptionalEvents)
	if o.Open != nil {
		u.Open = o.Open
	}
	u.ClearStop = u.ClearStop || o.ClearStop
	u.Limited = u.Limited || o.Limited
	u.ThreadSettled = u.ThreadSettled || o.ThreadSettled
}

// apply changes s. It fails if the phase does not allow one of Events.
func (u Update) apply(s *workflow.Session) error {
	if u.Change != nil {
		u.Change(s)
	}
	for _, e := range u.Events {
		if err := s.Happen(e); err != nil {
			return err
		}
	}
	for _, e := range u.OptionalEvents {
		_ = s.Happen(e) // a phase that does not take it stays as it is
	}
	return nil
}

func (Update) Stage() record.Stage { return record.Session }

// Mask masks the title and the finding, the only texts among the session's fields.
func (u Update) Mask(mask func(string) string) record.Part {
	if change := u.Change; change != nil {
		u.Change = func(s *workflow.Session) {
			change(s)
			s.Title = mask(s.Title)
			s.Finding = mask(s.Finding)
		}
	}
	return u
}

// Write does nothing: advance has written all updates together.
func (Update) Write(context.Context, pgx.Tx, *record.Recording) error { return nil }

// delivers reports whether a push went out.
func (u Update) delivers() bool { return slices.Contains(u.Events, workflow.EventProve) }

// Stops reports whether the session is stopped.
func (u Update) Stops() bool { return slices.Contains(u.Events, workflow.EventStop) }

// Opens reports whether the orchestrator has something to do from now on.
func (u Update) Opens() bool { return u.Open != nil && *u.Open }

// readMark is the part of every recording that stores how far agents had read when the thread came to
// rest. A stop moves this mark to its own message, past earlier messages that were never read.
type readMark struct{ *transaction }

func (readMark) Stage() record.Stage { return record.Rest }

// Mask returns rm, which has no text.
func (rm readMark) Mask(func(string) string) record.Part { return rm }

func (rm readMark) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	delivered := rm.update.delivers()
	stops := rm.update.Stops()
	if !delivered && !stops && !rm.update.ThreadSettled {
		return nil
	}
	var stop int64
	if h, ok := record.Find[inbox.Handled](r); ok && stops {
		stop = h.ID
	}
	// Messages from before the session are read with its first message, but stored after it.
	_, err := tx.Exec(ctx,
		`with read as (
			select greatest(seen,
				(select max(id) from inbox where session_id = $1 and kind = 'earlier')) as last
			from sessions where id = $1)
		update sessions set rested = greatest(rested, read.last, $3),
			delivered = case when $2 then read.last else delivered end
		from read where id = $1`,
		r.Session, delivered, stop)
	return err
}

// SessionColumns are the columns that ScanSession reads. The thread_ts of a session that was cleaned away is
// followed by its id (see package retention), and that of a part by its repository: only its first word is
// read.
const SessionColumns = `id, team, channel, split_part(thread_ts, ' ', 1), coalesce(part_of, ''), kind, phase,
	title, requester, repository, repositories_before, base_branch, pull, pull_into, voided,
	base_commit, branch, head, revision,
	coalesce((select r.kind from reports r
		where r.session_id = sessions.id and r.revision = sessions.revision), ''),
	epoch, open, spent_usd, tokens, unpriced, created_at, updated_at,
	way, was, asked, may_ask, halted, finding, trouble,
	exists (select 1 from pushes p where p.session_id = sessions.id and p.state = 'pushed'),
	array(select channel || ' ' || thread_ts || ' ' || newest from moves
		where session_id = sessions.id and state = 'moved' order by number)`

// ScanSession reads one row of SessionColumns.
func ScanSession(row pgx.Row) (workflow.Session, error) {
	var s workflow.Session
	var left []string
	err := row.Scan(
		&s.ID, &s.Thread.Team, &s.Thread.Channel, &s.Thread.TS, &s.PartOf, &s.Kind, &s.Phase, &s.Title,
		&s.Requester, &s.Repository, &s.Before, &s.BaseBranch, &s.Pull, &s.PullInto, &s.Voided,
		&s.BaseCommit, &s.Branch, &s.Head, &s.Revision,
		&s.ReportKind,
		&s.Epoch, &s.Open, &s.SpentUSD, &s.Tokens, &s.Unpriced, &s.Created, &s.Updated,
		&s.Workflow, &s.PreviousPhase, &s.QuestionsAsked, &s.QuestionLimit, &s.Halted,
		&s.Finding, &s.Trouble, &s.Pushed, &left,
	)
	for _, was := range left {
		x := workflow.LeftThread{Thread: workflow.Thread{Team: s.Thread.Team}}
		if _, err := fmt.Sscan(was, &x.Channel, &x.TS, &x.Newest); err != nil {
			return s, fmt.Errorf("a thread that was left: %w", err)
		}
		s.Left = append(s.Left, x)
	}
	return s, err
}

// ReadSession reads one session in a transaction.
func ReadSession(ctx context.Context, tx pgx.Tx, id string) (workflow.Session, error) {
	return ScanSession(tx.QueryRow(ctx, `select `+SessionColumns+` from sessions where id = $1`, id))
}

// ErrNoSession is the error of Session if there is no session with that id.
var ErrNoSession = pgx.ErrNoRows

// Session reads one session. It fails with ErrNoSession if there is none.
func (s *Store) Session(ctx context.Context, id string) (workflow.Session, error) {
	return ScanSession(s.Pool.QueryRow(ctx, `select `+SessionColumns+` from sessions where id = $1`, id))
}

// Sessions returns the most recently updated sessions, newest first, at most limit.
func (s *Store) Sessions(ctx context.Context, limit int) ([]workflow.Session, error) {
	return CollectSessions(s.Pool.Query(ctx,
		`select `+SessionColumns+` from sessions order by updated_at desc limit $1`, limit))
}

// CollectSessions returns the sessions that a query of SessionColumns found.
func CollectSessions(rows pgx.Rows, err error) ([]workflow.Session, error) {
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows,
		func(r pgx.CollectableRow) (workflow.Session, error) { return ScanSession(r) })
}

// BranchTaken reports whether another session than that one has a branch of that name in the repository.
func (s *Store) BranchTaken(ctx context.Context, repository, branch, session string) (taken bool, err error) {
	err = s.Pool.QueryRow(ctx, `select exists (select 1 from sessions
			where repository = $1 and branch = $2 and id <> $3)
		or exists (select 1 from pull_requests where repository = $1 and branch = $2 and session_id <> $3)`,
		repository, branch, session).Scan(&taken)
	if err != nil {
		return false, fmt.Errorf("whether %s is taken: %w", branch, err)
	}
	return taken, nil
}
