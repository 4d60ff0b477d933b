// Package retention takes old sessions away in two steps: first what was said and made in
// them, later what was decided.
//
// Clean takes one session a transaction, so nobody waits for it, and only one replica cleans
// at a time. A session that anything is left to do for stays, however old.
package retention

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// A Policy says how long rows stay after something last happened in their session. Zero is
// for ever.
type Policy struct {
	Sessions time.Duration // what was said and made in a session that has ended
	Waiting  time.Duration // the same of one that waits for somebody
	Decided  time.Duration // what was decided, of a session whose words are gone
}

// Removed counts what Clean took away, or would.
type Removed struct {
	Sessions int   // whose words and files are gone
	Records  int   // of decisions, gone with their session
	Jobs     int64 // of the queue, done long ago
}

// cleaningLock is any number, the same in every replica, and no other lock's.
const cleaningLock = 0x626f6264

// jobBatch is how many finished jobs one transaction takes away.
const jobBatch = 1000

// Clean takes away what is older than keep says: one session a transaction, so that nobody
// waits for it, and only while no other replica does the same. A session that anything is
// left to do for stays, however old.
//
// First goes what was said and made: transcript, lines, messages, packs of files. The
// session's row and all that `bobbin audit` shows stay until Decided has passed, too. A
// mention in the thread begins a new session then.
func Clean(ctx context.Context, db *database.DB, keep Policy) (Removed, error) {
	var c Removed
	for _, part := range []func(context.Context, pgx.Tx) (more bool, err error){
		func(ctx context.Context, tx pgx.Tx) (bool, error) { return clearOne(ctx, tx, keep, &c) },
		func(ctx context.Context, tx pgx.Tx) (bool, error) { return forgetOne(ctx, tx, keep, &c) },
		func(ctx context.Context, tx pgx.Tx) (bool, error) { return dropJobs(ctx, tx, keep, &c) },
	} {
		for more := true; more; {
			before := c
			err := pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error {
				alone := false
				if err := tx.QueryRow(ctx, `select pg_try_advisory_xact_lock($1)`, cleaningLock).Scan(&alone); err != nil || !alone {
					more = false // another replica is at it
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

// old is when a session has rested for long enough: $1 of one that ended, $2 of another.
// due is that a job stands for it, or that a message was not judged yet.
const (
	old = `s.cleared_at is null and s.updated_at < now() - case when s.phase in ('answered', 'done', 'stopped', 'failed')
		then $1::interval else $2::interval end`
	due = `(exists (select 1 from inbox i where i.session_id = s.id and i.handled_at is null)
		or exists (select 1 from river_job j where j.args @> jsonb_build_object('session', s.id) and j.kind <> 'pull_request' and j.finalized_at is null))`
)

// clearOne takes the words and files of the session that has rested longest.
func clearOne(ctx context.Context, tx pgx.Tx, keep Policy, c *Removed) (bool, error) {
	var id string
	err := tx.QueryRow(ctx, `select s.id from sessions s where `+old+` and not `+due+` order by s.updated_at limit 1 for update skip locked`,
		interval(keep.Sessions), interval(keep.Waiting)).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	// Again, now that the row is locked: a message may have come between look and lock.
	var busy bool
	if err := tx.QueryRow(ctx, `select `+due+` from sessions s where s.id = $1`, id).Scan(&busy); err != nil || busy {
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

// clearing is what goes first, in the order that the tables refer to each other.
var clearing = []string{
	`delete from outbox where session_id = $1`,
	`delete from buttons where session_id = $1`,
	`delete from lines where session_id = $1`,
	`delete from inbox where session_id = $1`,
	`delete from amendments where session_id = $1`,
	`delete from transcript where session_id = $1`,
	`delete from agent_usage where session_id = $1`,
	`delete from workspaces where session_id = $1`,
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
	`update backports set told = null where session_id = $1`,
	`update sessions set cleared_at = now(), thread_ts = thread_ts || ' ' || id, open = false where id = $1`,
}

// forgetOne takes what is left of a session.
func forgetOne(ctx context.Context, tx pgx.Tx, keep Policy, c *Removed) (bool, error) {
	var id string
	err := tx.QueryRow(ctx, `select id from sessions where cleared_at is not null and updated_at < now() - $1::interval
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

// forgetting is the rest, in the same order.
var forgetting = []string{
	`delete from checks where task_id in (select id from tasks where session_id = $1)`,
	`delete from attempts where task_id in (select id from tasks where session_id = $1)`,
	`delete from tasks where session_id = $1`,
	`delete from commands where session_id = $1`,
	`delete from inquiries where session_id = $1`,
	`delete from questions where session_id = $1`,
	`delete from pull_requests where session_id = $1`,
	`delete from backports where session_id = $1`,
	`delete from audit where session_id = $1`,
	`delete from decisions where session_id = $1`,
	`delete from pushes where session_id = $1`,
	`delete from allowances where session_id = $1`,
	`delete from removals where session_id = $1`,
	`delete from approvals where session_id = $1`,
	`delete from extensions where session_id = $1`,
	`delete from permissions where session_id = $1`,
	`delete from reports where session_id = $1`,
	`delete from spending where session_id = $1`,
	`delete from limit_warnings where session_id = $1`,
	`delete from sessions where id = $1`,
}

// dropJobs keeps the queue's own memory from outliving the sessions that it is about. The
// queue itself drops what was done a day ago, and what failed a week ago.
func dropJobs(ctx context.Context, tx pgx.Tx, keep Policy, c *Removed) (bool, error) {
	tag, err := tx.Exec(ctx, `delete from river_job where id in (select id from river_job
		where state in ('completed', 'cancelled', 'discarded') and finalized_at < now() - $1::interval limit $2 for update skip locked)`,
		interval(keep.Sessions), jobBatch)
	c.Jobs += tag.RowsAffected()
	return tag.RowsAffected() == jobBatch, err
}

// CountCleanable counts what Clean would take away now.
func CountCleanable(ctx context.Context, db *database.DB, keep Policy) (Removed, error) {
	var c Removed
	err := db.Pool.QueryRow(ctx, `select (select count(*) from sessions s where `+old+` and not `+due+`),
		(select count(*) from sessions where cleared_at is not null and updated_at < now() - $3::interval),
		(select count(*) from river_job where state in ('completed', 'cancelled', 'discarded') and finalized_at < now() - $1::interval)`,
		interval(keep.Sessions), interval(keep.Waiting), interval(keep.Decided)).Scan(&c.Sessions, &c.Records, &c.Jobs)
	if err != nil {
		return c, fmt.Errorf("look what can be cleaned: %w", err)
	}
	return c, nil
}

// ClearedAt is when the words of a session were cleaned away; zero when they are there.
func ClearedAt(ctx context.Context, db *database.DB, session string) (time.Time, error) {
	var at *time.Time
	err := db.Pool.QueryRow(ctx, `select cleared_at from sessions where id = $1`, session).Scan(&at)
	if err != nil || at == nil {
		return time.Time{}, err
	}
	return *at, nil
}

// interval is null where there is no limit: nothing is older than that.
func interval(d time.Duration) *time.Duration {
	if d <= 0 {
		return nil
	}
	return &d
}
