package pullrequest

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// The headings of the parts of a body that may have places of their own in a repository's template.
const (
	ReportHeading  = "Report"
	ProofHeading   = "Proof"
	TicketsHeading = "Tickets"
)

// Wanted are names that a pull request is to have besides its text.
type Wanted struct {
	What  string   // labels, assignees or reviewers
	Names []string // labels, logins, or teams as acme/money
}

// A Paper is what a pull request is to have, and what became of that.
type Paper struct {
	Wanted
	State string // Intended, PaperDone or Refused
	// the host was asked for it, so it may have it already
	Tried bool
	// why it was refused, or which names the host did not take
	Reason string
}

// PaperDone is the state of a Paper that the host has. The other states are those of a Row.
const PaperDone = "done"

// writePapers stores the papers of a pull request that is to be opened. One that is open keeps its own.
func (i Intent) writePapers(ctx context.Context, tx pgx.Tx) error {
	for _, p := range i.Papers {
		if len(p.Names) == 0 {
			continue
		}
		if _, err := tx.Exec(ctx,
			`insert into pull_request_papers (repository, branch, what, names)
			select repository, branch, $3, $4 from pull_requests
				where repository = $1 and branch = $2 and state = 'intended'
			on conflict (repository, branch, what) do update set
				names = excluded.names, state = 'intended', tried_at = null, reason = '', at = now()`,
			i.Repository, i.Branch, p.What, p.Names); err != nil {
			return fmt.Errorf("%s of a pull request: %w", p.What, err)
		}
	}
	return nil
}

// Papers returns what the pull request of a row is to have besides its text.
func (g Register) Papers(ctx context.Context, r Row) ([]Paper, error) {
	rows, err := g.Store.Pool.Query(ctx,
		`select what, names, state, tried_at is not null as tried, reason from pull_request_papers
		where repository = $1 and branch = $2 order by what`, r.Repository, r.Branch)
	if err != nil {
		return nil, fmt.Errorf("papers of a pull request: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Paper])
}

// TryingPaper stores that the host is asked for a paper from now on.
func (g Register) TryingPaper(ctx context.Context, r Row, what string) error {
	return g.Store.Transact(ctx, func(tx pgx.Tx) error {
		if err := queue.CheckJob(ctx, tx); err != nil {
			return err
		}
		_, err := tx.Exec(ctx,
			`update pull_request_papers set tried_at = coalesce(tried_at, now())
			where repository = $1 and branch = $2 and what = $3`, r.Repository, r.Branch, what)
		return err
	})
}

// EndPaper writes what became of a paper, and the parts that go with it. It writes nothing if that was
// written before, or if the session's words were cleaned away.
func (g Register) EndPaper(ctx context.Context, r Row, p Paper, parts ...store.Part) error {
	return g.Store.Transact(ctx, func(tx pgx.Tx) error {
		here, err := tx.Exec(ctx,
			`select 1 from sessions where id = $1 and cleared_at is null for update`, r.Session)
		if err != nil || here.RowsAffected() == 0 {
			return err
		}
		if err := queue.CheckJob(ctx, tx); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx,
			`update pull_request_papers set state = $4, reason = $5
			where repository = $1 and branch = $2 and what = $3 and state = 'intended'`,
			r.Repository, r.Branch, p.What, p.State, database.CleanText(p.Reason))
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		for _, part := range parts {
			if err := part.Write(ctx, tx, &record.Recording{
				Session: r.Session,
				Queue:   g.Store.Queue,
			}); err != nil {
				return err
			}
		}
		return nil
	})
}
