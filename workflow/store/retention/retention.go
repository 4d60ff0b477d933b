// Package retention deletes old sessions in two steps: first
// what was said and made in them, later what was decided.
//
// Clean deletes one session in each transaction, so that other work never waits for it, and
// only one replica cleans at a time. A session with anything left to do stays, however old.
package retention

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// A Policy says how long rows stay after the last change of their session. Zero means for ever.
type Policy struct {
	Sessions time.Duration // what was said and made, in a session that has ended
	Waiting  time.Duration // the same, in a session that has not ended
	Decided  time.Duration // what was decided, in a session whose words are deleted
}

// Removed counts what Clean deleted, or would delete.
type Removed struct {
	Sessions int   // sessions whose words and files were deleted
	Records  int   // sessions that were deleted with their decisions
	Jobs     int64 // finished jobs of the queue
	Alerts   int64 // problems of alerts that began no session
}

// cleaningLock is the key of the lock for cleaning: any number
// that no other lock has, but the same in every replica.
const cleaningLock = 0x626f6264

// batch is how many finished jobs, or problems of alerts, one transaction deletes.
const batch = 1000

// Clean deletes what is older than keep says: one session in each transaction,
// so that other work never waits for it, and only while no other replica does
// the same. A session with anything left to do stays, however old.
//
// The first step deletes what was said and made: transcript, lines, messages, packs of
// files. The session's row and all that `bobbin audit` shows stay until Decided has
// passed, too. After the first step, a mention in the thread begins a new session.
func Clean(ctx context.Context, db *database.DB, keep Policy) (Removed, error) {
	var c Removed
	for _, part := range []func(context.Context, pgx.Tx) (more bool, err error){
		func(ctx context.Context, tx pgx.Tx) (bool, error) { return clearOne(ctx, tx, keep, &c) },
		func(ctx context.Context, tx pgx.Tx) (bool, error) { return forgetOne(ctx, tx, keep, &c) },
		func(ctx context.Context, tx pgx.Tx) (bool, error) { return dropJobs(ctx, tx, keep, &c) },
		func(ctx context.Context, tx pgx.Tx) (bool, error) { return dropAlerts(ctx, tx, keep, &c) },
	} {
		for more := true; more; {
			before := c
			err := pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error {
				alone := false
				if err := tx.QueryRow(ctx, `select pg_try_advisory_xact_lock($1)`,
					cleaningLock).Scan(&alone); err != nil || !alone {
					more = false // another replica is cleaning
					return err
				}
				var err error
				more, err = part(ctx, tx)
				return err
			})
			if err != nil {
				return before, fmt.Errorf("clean the database: %w", err)
			}
		}
	}
	return c, nil
}

// old is the condition that a session s has rested long enough, and so have the parts of its thread, to which
// it gives what people write there, and that its thread was told no news of a pull request since then: $1 is
// for one that has ended, $2 for any other. due is the condition that there is a job for it (except a look at
// its pull requests), or a message that was not judged yet.
const (
	since = `now() - case when s.phase in ('answered', 'done', 'stopped', 'failed') ` +
		`then $1::interval else $2::interval end`
	sinceOfPart = `now() - case when p.phase in ('answered', 'done', 'stopped', 'failed') ` +
		`then $1::interval else $2::interval end`
	old = `s.cleared_at is null and s.updated_at < ` + since + `
		and not exists (select 1 from pull_requests p
			where p.session_id = s.id and p.news_at >= ` + since + `)
		and not exists (select 1 from sessions p
			where p.part_of = s.id and p.cleared_at is null and p.updated_at >= ` + sinceOfPart + `)`
	due = `(exists (select 1 from inbox i where i.session_id = s.id and i.handled_at is null)
		or exists (select 1 from river_job j where j.args @> jsonb_build_object('session', s.id)
			and j.kind <> 'pull_request' and j.finalized_at is null))`
)

// clearOne deletes the words and files of the session that has rested longest.
func clearOne(ctx context.Context, tx pgx.Tx, keep Policy, c *Removed) (bool, error) {
	var id string
	err := tx.QueryRow(ctx, `select s.id from sessions s where `+old+` and not `+due+
		` order by s.updated_at limit 1 for update skip locked`,
		interval(keep.Sessions), interval(keep.Waiting)).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	// Check again, now that the row is locked: a message or news may have come before the lock was taken.
	var busy bool
	err = tx.QueryRow(ctx, `select `+due+` or (`+old+`) is not true from sessions s where s.id = $3`,
		interval(keep.Sessions), interval(keep.Waiting), id).Scan(&busy)
	if err != nil || busy {
		return err == nil, err
	}
	for _, sql := range clearing {
		if _, err := tx.Exec(ctx, sql, id); err != nil {
			return false, fmt.Errorf("session %s: %w", id, err)
		}
	}
	c.Sessions++
	return true, nil
}

// clearing holds the statements of the first step, in the order in which the tables refer to each other.
var clearing = []string{
	`delete from outbox where session_id = $1`,
	`delete from buttons where session_id = $1`,
	`delete from lines where session_id = $1`,
	`delete from inbox where session_id = $1`,
	`delete from amendments where session_id = $1`,
	`delete from transcript where session_id = $1`,
	`delete from agent_usage where session_id = $1`,
	`delete from workspaces where session_id = $1`,
	`delete from repositories_read where session_id = $1`,
	`delete from attachments where session_id = $1`,
	`delete from seats where session_id = $1`,
	`delete from cards where session_id = $1`,
	`delete from under_way where session_id = $1`,
	`delete from pauses_told where session_id = $1`,
	`delete from tried_hunks where session_id = $1`,
	`delete from alerts where session_id = $1`,
	`delete from report_words where session_id = $1`,
	`delete from twins where session_id = $1 or twin = $1`,
	`delete from lookbacks where session_id = $1`,
	`delete from pictures where session_id = $1`,
	`delete from branch_conflicts where session_id = $1`,
	`update moves set text = '' where session_id = $1`,
	`update backports set told = null where session_id = $1`,
	`update tickets set title = '', body = '' where session_id = $1`,
	`update disclosures set title = '', summary = '', shown = '' where session_id = $1`,
	`update sessions set cleared_at = now(), thread_ts = thread_ts || ' ' || id, open = false where id = $1`,
}

// forgetOne deletes what is left of a session.
func forgetOne(ctx context.Context, tx pgx.Tx, keep Policy, c *Removed) (bool, error) {
	var id string
	err := tx.QueryRow(ctx,
		`select id from sessions where cleared_at is not null and updated_at < now() - $1::interval
		order by updated_at limit 1 for update skip locked`, interval(keep.Decided)).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, sql := range forgetting {
		if _, err := tx.Exec(ctx, sql, id); err != nil {
			return false, fmt.Errorf("session %s: %w", id, err)
		}
	}
	c.Records++
	return true, nil
}

// forgetting holds the statements of the second step, in the same kind of order.
var forgetting = []string{
	`delete from checks where task_id in (select id from tasks where session_id = $1)`,
	`delete from attempts where task_id in (select id from tasks where session_id = $1)`,
	`delete from tasks where session_id = $1`,
	`delete from commands where session_id = $1`,
	`delete from inquiries where session_id = $1`,
	`delete from questions where session_id = $1`,
	`delete from pull_request_papers w using pull_requests p
		where (w.repository, w.branch) = (p.repository, p.branch) and p.session_id = $1`,
	`delete from pull_requests where session_id = $1`,
	`delete from backports where session_id = $1`,
	`delete from ci_proofs where session_id = $1`,
	`delete from tickets where session_id = $1`,
	`delete from disclosures where session_id = $1`,
	`delete from base_merges where session_id = $1`,
	`delete from moves where session_id = $1`,
	`delete from audit where session_id = $1`,
	`delete from decisions where session_id = $1`,
	`delete from pushes where session_id = $1`,
	`delete from objections where session_id = $1`,
	`delete from allowances where session_id = $1`,
	`delete from removals where session_id = $1`,
	`delete from approvals where session_id = $1`,
	`delete from endorsements where session_id = $1`,
	`delete from extensions where session_id = $1`,
	`delete from permissions where session_id = $1`,
	`delete from reports where session_id = $1`,
	`delete from spending where session_id = $1`,
	`delete from limit_warnings where session_id = $1`,
	`delete from sessions where id = $1`,
}

// dropJobs deletes finished jobs, so that the queue keeps nothing for longer than the sessions that
// it was about. The queue itself deletes a completed job after a day, and a failed one after a week.
func dropJobs(ctx context.Context, tx pgx.Tx, keep Policy, c *Removed) (bool, error) {
	tag, err := tx.Exec(ctx,
		`delete from river_job where id in (
			select id from river_job
			where state in ('completed', 'cancelled', 'discarded') and finalized_at < now() - $1::interval
			limit $2
			for update skip locked)`,
		interval(keep.Sessions), batch)
	c.Jobs += tag.RowsAffected()
	return tag.RowsAffected() == batch, err
}

// dropAlerts deletes the problems that only old alerts were about, and that began no session, since
// their channel was at its limit. The others are deleted with their sessions.
func dropAlerts(ctx context.Context, tx pgx.Tx, keep Policy, c *Removed) (bool, error) {
	tag, err := tx.Exec(ctx,
		`delete from alerts where (team, channel, fingerprint) in (select team, channel, fingerprint
		from alerts
		where session_id is null and at < now() - $1::interval limit $2 for update skip locked)`,
		interval(keep.Sessions), batch)
	c.Alerts += tag.RowsAffected()
	return tag.RowsAffected() == batch, err
}

// CountCleanable counts what Clean would delete now.
func CountCleanable(ctx context.Context, db *database.DB, keep Policy) (Removed, error) {
	var c Removed
	err := db.Pool.QueryRow(ctx, `select (select count(*) from sessions s where `+old+` and not `+due+`),
		(select count(*) from sessions where cleared_at is not null and updated_at < now() - $3::interval),
		(select count(*) from river_job where state in ('completed', 'cancelled', 'discarded')
			and finalized_at < now() - $1::interval),
		(select count(*) from alerts where session_id is null and at < now() - $1::interval)`,
		interval(keep.Sessions), interval(keep.Waiting), interval(keep.Decided)).Scan(&c.Sessions, &c.Records,
		&c.Jobs, &c.Alerts)
	if err != nil {
		return c, fmt.Errorf("look what can be cleaned: %w", err)
	}
	return c, nil
}

// ClearedAt returns when the words of a session were deleted; zero if they were not.
func ClearedAt(ctx context.Context, db *database.DB, session string) (time.Time, error) {
	var at *time.Time
	err := db.Pool.QueryRow(ctx, `select cleared_at from sessions where id = $1`, session).Scan(&at)
	if err != nil || at == nil {
		return time.Time{}, err
	}
	return *at, nil
}

// interval returns d, or nil (null) if there is no limit, so that nothing is older than that.
func interval(d time.Duration) *time.Duration {
	if d <= 0 {
		return nil
	}
	return &d
}
