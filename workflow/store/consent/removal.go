package consent

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

// A Removal is a Part: what was taken out of a change if User is empty,
// otherwise that it is to be put back, by the Permission of the same recording.
type Removal workflow.Removal

func (Removal) Stage() record.Stage { return record.Given }

// Mask masks the reasons and the lines that were taken out, which are shown. The pack has the files as they
// are.
func (m Removal) Mask(mask func(string) string) record.Part {
	m.Hunks = slices.Clone(m.Hunks)
	for i, h := range m.Hunks {
		m.Hunks[i].Why = mask(h.Why)
		m.Hunks[i].Text = mask(h.Text)
	}
	return m
}

// Write stores what was taken out, once for its hash; or that it is to be put back, once, and only
// while the approval counts and the session is not stopped. Otherwise it fails with record.ErrStale.
func (m Removal) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	if m.User == "" {
		hunks, err := json.Marshal(m.Hunks)
		if err != nil {
			return err
		}
		inserted, err := database.InsertOnce(ctx, tx, "removals", database.Row{
			"hash":         m.Hash,
			"session_id":   r.Session,
			"approval_id":  m.Approval,
			"task_id":      m.Task,
			"hunks":        database.CleanJSON(hunks),
			"with_tree":    m.With,
			"without_tree": m.Without,
			"pack":         m.Pack,
		})
		if err != nil || !inserted {
			return err
		}
		return AppendAudit(ctx, tx, r.Session, "removal", m.Hash)
	}
	tag, err := tx.Exec(ctx,
		`update removals m set user_id = $3, user_name = $4, message_ts = $5, permission_id = $6, allowed_at =
		now(), laid = false
		from sessions s join approvals a on a.session_id = s.id where m.session_id = $1 and m.hash = $2
			and m.user_id = '' and s.id = $1 and s.halted = '' and a.id = m.approval_id
			and (a.revision = s.revision or exists (select 1 from pushes p where p.approval_id = a.id
				and p.state = 'pushed'))`,
		r.Session, m.Hash, m.User, database.CleanText(m.UserName), m.MessageTS, permitted(r))
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return record.ErrStale
	}
	return AppendAudit(ctx, tx, r.Session, "removal", m.Hash)
}

// Restored is a Part: it marks the removal with that hash as put back, either in
// the files or by telling an agent to make it again.
type Restored string

func (Restored) Stage() record.Stage { return record.Work }

// Mask returns hash, which is no text.
func (hash Restored) Mask(func(string) string) record.Part { return hash }

func (hash Restored) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx, `update removals set laid = true where session_id = $1 and hash = $2`,
		r.Session, string(hash))
	return err
}

// Removals returns what was taken out in the session, in order, without the packs.
func (g Register) Removals(ctx context.Context, session string) ([]workflow.Removal, error) {
	rows, err := g.DB.Pool.Query(ctx,
		`select m.hash, m.approval_id, a.revision, m.task_id, m.hunks, m.with_tree, m.without_tree, m.user_id,
		m.user_name, m.message_ts, m.laid
		from removals m join approvals a on a.id = m.approval_id where m.session_id = $1
			order by m.at, m.hash`,
		session)
	if err != nil {
		return nil, fmt.Errorf("what was taken out of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (m workflow.Removal, err error) {
		var hunks []byte
		if err := row.Scan(&m.Hash, &m.Approval, &m.Revision, &m.Task, &hunks, &m.With, &m.Without, &m.User,
			&m.UserName, &m.MessageTS, &m.Restored); err != nil {
			return m, err
		}
		return m, json.Unmarshal(hunks, &m.Hunks)
	})
}

// RemovalPack returns the git objects with which any machine can write the trees of a removal.
func (g Register) RemovalPack(ctx context.Context, session, hash string) (pack []byte, err error) {
	err = g.DB.Pool.QueryRow(ctx, `select pack from removals where session_id = $1 and hash = $2`, session,
		hash).Scan(&pack)
	return pack, err
}
