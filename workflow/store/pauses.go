// What the operator has paused: everything, a repository or a channel. What comes in meanwhile is stored, its
// thread is told once, and the session rests. When the pause is lifted, a replica wakes each session that has
// something to do.

package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// The scopes of a pause.
const (
	PauseAll        = "all"
	PauseRepository = "repository"
	PauseChannel    = "channel"
)

// A Pause is one pause that the operator has set.
type Pause struct {
	Scope string    `json:"scope"`
	Name  string    `json:"name,omitempty"` // name of the repository, or id of the channel; empty: everything
	By    string    `json:"by"`
	At    time.Time `json:"at"`
}

func (p Pause) String() string {
	if p.Scope == PauseAll {
		return "everything"
	}
	return p.Scope + " " + p.Name
}

// SetPause stores a pause. It returns false if the same is paused already; that pause stays as it was.
func SetPause(ctx context.Context, db *database.DB, p Pause) (bool, error) {
	tag, err := db.Pool.Exec(ctx,
		`insert into pauses (scope, name, paused_by) values ($1, $2, $3) on conflict do nothing`,
		p.Scope, database.CleanText(p.Name), database.CleanText(p.By))
	if err != nil {
		return false, fmt.Errorf("pause %s: %w", p, err)
	}
	return tag.RowsAffected() > 0, nil
}

// PauseSeen reports whether any session was about what p pauses, since its name may be mistyped.
func PauseSeen(ctx context.Context, db *database.DB, p Pause) (seen bool, err error) {
	err = db.Pool.QueryRow(ctx,
		`select $1 = 'all' or exists (select 1 from sessions where $1 = 'channel' and channel = $2
			or $1 = 'repository' and repository = $2)`,
		p.Scope, p.Name).Scan(&seen)
	if err != nil {
		return false, fmt.Errorf("what sessions were about: %w", err)
	}
	return seen, nil
}

// LiftPause deletes a pause. It returns false if there was none.
func LiftPause(ctx context.Context, db *database.DB, p Pause) (bool, error) {
	tag, err := db.Pool.Exec(ctx, `delete from pauses where scope = $1 and name = $2`, p.Scope, p.Name)
	if err != nil {
		return false, fmt.Errorf("resume %s: %w", p, err)
	}
	return tag.RowsAffected() > 0, nil
}

// Paused reports whether one of the pauses is of the session's repository, its channel, or everything.
func Paused(pauses []Pause, s workflow.Session) bool {
	return slices.ContainsFunc(pauses, func(p Pause) bool {
		return p.Scope == PauseAll || p.Scope == PauseRepository && p.Name == s.Repository ||
			p.Scope == PauseChannel && p.Name == s.Thread.Channel
	})
}

// ListPauses returns all pauses.
func ListPauses(ctx context.Context, db *database.DB) ([]Pause, error) {
	rows, err := db.Pool.Query(ctx, `select scope, name, paused_by, at from pauses order by scope, name`)
	if err != nil {
		return nil, fmt.Errorf("what is paused: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Pause])
}

// PauseOf returns a pause that holds for sessions of that channel about that repository,
// or nil if there is none. The repository is empty while it is not known yet.
func PauseOf(ctx context.Context, db *database.DB, channel, repository string) (*Pause, error) {
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

// PauseAnnounced is a Part: the session's thread was told of a pause.
// Writing it a second time fails with record.ErrStale.
type PauseAnnounced Pause

func (PauseAnnounced) Stage() record.Stage { return record.Session }

// Mask returns p: it has names, and no text.
func (p PauseAnnounced) Mask(func(string) string) record.Part { return p }

func (p PauseAnnounced) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	inserted, err := database.InsertOnce(ctx, tx, "pauses_told", database.Row{
		"session_id": r.Session, "scope": p.Scope, "name": p.Name, "at": p.At,
	})
	if err == nil && !inserted {
		err = record.ErrStale
	}
	return err
}
