// Package pauses stores what the operator has paused: everything, a repository or a
// channel. What comes in meanwhile is stored, its thread is told once, and work rests.
// When the pause is lifted, a replica wakes each session that has something to do.
package pauses

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// The scopes of a pause.
const (
	All        = "all"
	Repository = "repository"
	Channel    = "channel"
)

// A Pause is one pause that the operator has set.
type Pause struct {
	Scope string    `json:"scope"`
	Name  string    `json:"name,omitempty"` // name of the repository, or id of the channel; empty: everything
	By    string    `json:"by"`
	At    time.Time `json:"at"`
}

func (p Pause) String() string {
	if p.Scope == All {
		return "everything"
	}
	return p.Scope + " " + p.Name
}

// Set stores a pause. It returns false if the same is paused already; that pause stays as it was.
func Set(ctx context.Context, db *database.DB, p Pause) (bool, error) {
	tag, err := db.Pool.Exec(ctx,
		`insert into pauses (scope, name, paused_by) values ($1, $2, $3) on conflict do nothing`,
		p.Scope, database.CleanText(p.Name), database.CleanText(p.By))
	if err != nil {
		return false, fmt.Errorf("pause %s: %w", p, err)
	}
	return tag.RowsAffected() > 0, nil
}

// Seen reports whether any session was about what p pauses, since its name may be mistyped.
func Seen(ctx context.Context, db *database.DB, p Pause) (seen bool, err error) {
	err = db.Pool.QueryRow(ctx,
		`select $1 = 'all' or exists (select 1 from sessions where $1 = 'channel' and channel = $2
			or $1 = 'repository' and repository = $2)`,
		p.Scope, p.Name).Scan(&seen)
	if err != nil {
		return false, fmt.Errorf("what sessions were about: %w", err)
	}
	return seen, nil
}

// Lift deletes a pause. It returns false if there was none.
func Lift(ctx context.Context, db *database.DB, p Pause) (bool, error) {
	tag, err := db.Pool.Exec(ctx, `delete from pauses where scope = $1 and name = $2`, p.Scope, p.Name)
	if err != nil {
		return false, fmt.Errorf("resume %s: %w", p, err)
	}
	return tag.RowsAffected() > 0, nil
}

// List returns all pauses.
func List(ctx context.Context, db *database.DB) ([]Pause, error) {
	rows, err := db.Pool.Query(ctx, `select scope, name, paused_by, at from pauses order by scope, name`)
	if err != nil {
		return nil, fmt.Errorf("what is paused: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Pause])
}

// Of returns a pause that holds for sessions of that channel about that repository,
// or nil if there is none. The repository is empty while it is not known yet.
func Of(ctx context.Context, db *database.DB, channel, repository string) (*Pause, error) {
	rows, err := db.Pool.Query(ctx, `select scope, name, paused_by, at from pauses
		where scope = 'all' or scope = 'channel' and name = $1 or scope = 'repository' and name = $2
			order by scope limit 1`,
		channel, repository)
	if err != nil {
		return nil, fmt.Errorf("what is paused: %w", err)
	}
	p, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Pause])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("what is paused: %w", err)
	}
	return &p, nil
}

// Announced is a Part: the session's thread was told of a pause.
// Writing it a second time fails with record.ErrStale.
type Announced Pause

func (Announced) Stage() record.Stage { return record.Session }

// Mask returns a: it has names, and no text.
func (a Announced) Mask(func(string) string) record.Part { return a }

func (a Announced) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	inserted, err := database.InsertOnce(ctx, tx, "pauses_told", database.Row{
		"session_id": r.Session, "scope": a.Scope, "name": a.Name, "at": a.At,
	})
	if err == nil && !inserted {
		err = record.ErrStale
	}
	return err
}
