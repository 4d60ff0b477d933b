package progress

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// A Lookback is a Part that asks for a look back, once for each key. It supersedes the session's open one.
type Lookback workflow.Lookback

func (Lookback) Stage() record.Stage { return record.Work }

// Mask returns l. The probe is run as it is, on other commits, and nobody is shown it.
func (l Lookback) Mask(func(string) string) record.Part { return l }

func (l Lookback) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	if _, err := tx.Exec(ctx,
		`update lookbacks set state = 'superseded' where session_id = $1 and state = 'open' and key <> $2`,
		r.Session, l.Key); err != nil {
		return err
	}
	_, err := database.InsertOnce(ctx, tx, "lookbacks", database.Row{
		"session_id": r.Session, "key": l.Key, "repository": l.Repository, "base": l.Base,
		"probe": database.CleanJSON(l.Probe),
	})
	if err != nil {
		return err
	}
	return r.Queue.InsertSide(ctx, tx, r.Session, queue.HistoryWork)
}

// StoppedLookbacks is a Part that stops the session's open look back.
type StoppedLookbacks struct{}

func (StoppedLookbacks) Stage() record.Stage { return record.Work }

// Mask returns s, which has no text.
func (s StoppedLookbacks) Mask(func(string) string) record.Part { return s }

func (StoppedLookbacks) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx,
		`update lookbacks set state = 'stopped' where session_id = $1 and state = 'open'`, r.Session)
	return err
}

// OpenLookback returns the session's oldest open look back, or nil if there is none.
func (h History) OpenLookback(ctx context.Context, session string) (*workflow.Lookback, error) {
	l := workflow.Lookback{Session: session}
	err := h.DB.Pool.QueryRow(ctx,
		`select id, key, repository, base, probe from lookbacks where session_id = $1 and state = 'open'
			order by id limit 1`,
		session).
		Scan(&l.ID, &l.Key, &l.Repository, &l.Base, &l.Probe)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("lookback of %s: %w", session, err)
	}
	return &l, nil
}

// LookbackIsOpen reports whether the look back is neither done, stopped nor superseded.
func (h History) LookbackIsOpen(ctx context.Context, id int64) (open bool, err error) {
	err = h.DB.Pool.QueryRow(ctx, `select state = 'open' from lookbacks where id = $1`, id).Scan(&open)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return open, err
}

// LookbacksDone returns the session's finished look backs, oldest first.
func (h History) LookbacksDone(ctx context.Context, session string) ([]workflow.Lookback, error) {
	rows, err := h.DB.Pool.Query(ctx,
		`select id, key, repository, base, probe, found from lookbacks where session_id = $1
			and state = 'done' order by id`,
		session)
	if err != nil {
		return nil, fmt.Errorf("lookbacks of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (workflow.Lookback, error) {
		l := workflow.Lookback{Session: session, Found: &workflow.LookbackFound{}}
		var found []byte
		if err := row.Scan(&l.ID, &l.Key, &l.Repository, &l.Base, &l.Probe, &found); err != nil {
			return l, err
		}
		return l, json.Unmarshal(found, l.Found)
	})
}

// LookbackTries returns the results of the commits that were tried so far.
func (h History) LookbackTries(ctx context.Context, id int64) ([]workflow.LookbackTry, error) {
	rows, err := h.DB.Pool.Query(ctx,
		`select commit_hash as commit, nth, answer, why, took_ms as tookms from lookback_tries
			where lookback_id = $1`,
		id)
	if err != nil {
		return nil, fmt.Errorf("tries of lookback %d: %w", id, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[workflow.LookbackTry])
}

// KeepLookbackTry stores the result of a commit while the look back is open,
// and replaces the stored probe if probe is not empty. It fails with
// queue.ErrFenced if the job that ctx runs under is not this worker's any more.
func (h History) KeepLookbackTry(
	ctx context.Context, id int64, t workflow.LookbackTry, probe json.RawMessage,
) error {
	return h.DB.Transact(ctx, func(tx pgx.Tx) error {
		if err := queue.CheckJob(ctx, tx); err != nil {
			return err
		}
		if len(probe) > 0 {
			if _, err := tx.Exec(ctx, `update lookbacks set probe = $2 where id = $1`, id,
				database.CleanJSON(probe)); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx,
			`insert into lookback_tries (lookback_id, commit_hash, nth, answer, why, took_ms)
			select id, $2, $3, $4, $5, $6 from lookbacks where id = $1 and state = 'open'
				on conflict do nothing`,
			id, t.Commit, t.Nth, t.Answer, database.CleanText(t.Why), t.TookMS)
		return err
	})
}
