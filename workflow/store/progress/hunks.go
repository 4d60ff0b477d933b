package progress

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// TriedHunks is a Part: the result of taking out each hunk of one
// change, alone, with the reasons for keeping hunks that nothing needs.
type TriedHunks struct {
	Base, Tree string
	Hunks      workflow.HunkResults
}

func (TriedHunks) Stage() record.Stage { return record.Work }

// Mask masks the lines of the hunks, and the reasons. A hunk is found again by its hash and its numbers.
func (t TriedHunks) Mask(mask func(string) string) record.Part {
	t.Hunks = slices.Clone(t.Hunks)
	for i, h := range t.Hunks {
		t.Hunks[i].Text = mask(h.Text)
		t.Hunks[i].Why = mask(h.Why)
		t.Hunks[i].Kept = mask(h.Kept)
	}
	return t
}

// Write replaces the earlier result for the same change.
func (t TriedHunks) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	clean := slices.Clone(t.Hunks)
	for i, h := range clean {
		clean[i].Text = database.CleanText(h.Text)
		clean[i].Why = database.CleanText(h.Why)
		clean[i].Kept = database.CleanText(h.Kept)
	}
	hunks, err := json.Marshal(clean)
	if err != nil {
		return err
	}
	return database.Upsert(ctx, tx, "tried_hunks", []string{"session_id", "base", "tree"}, database.Row{
		"session_id": r.Session, "base": t.Base, "tree": t.Tree, "hunks": hunks,
	})
}

// TriedHunks returns the result for every change that was tried in the session, oldest first.
func (h History) TriedHunks(ctx context.Context, session string) ([]TriedHunks, error) {
	rows, err := h.DB.Pool.Query(ctx,
		`select base, tree, hunks from tried_hunks where session_id = $1 order by at, tree`, session)
	if err != nil {
		return nil, fmt.Errorf("tried hunks of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (t TriedHunks, err error) {
		var hunks []byte
		if err := row.Scan(&t.Base, &t.Tree, &hunks); err != nil {
			return t, err
		}
		return t, json.Unmarshal(hunks, &t.Hunks)
	})
}
