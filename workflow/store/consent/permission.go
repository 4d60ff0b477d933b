package consent

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// A Permission is a Part: a person's permission. What it gives in the same
// recording names it: an Approval, an Allowance, an Extension and others.
type Permission struct {
	workflow.Permission
	Adopts []string // ts of messages that it adopts, besides those in RestsOn
}

func (Permission) Stage() record.Stage { return record.Permission }

// Mask returns p: it has ids and a name, and no text.
func (p Permission) Mask(func(string) string) record.Part { return p }

// Write fails with record.ErrStale if the message gave a permission of this kind before.
// The schema refuses a permission whose person did not write its message. The rows of
// the messages in Adopts are looked up here, since the same recording may insert them.
// Only those that were in the thread before the permission's own message count.
func (p Permission) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	var revision *int
	if p.Revision > 0 {
		revision = &p.Revision
	}
	tag, err := tx.Exec(ctx,
		`insert into permissions (id, session_id, what, revision, message_id, message_ts, user_id, user_name,
		rests_on)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9::bigint[] || coalesce((select array_agg(m.id order by m.id)
			from inbox m
			where m.session_id = $2 and m.message_ts = any($10)
				and m.kind in ('mention', 'reply', 'edit', 'form', 'sent', 'earlier') and (m.id < $5
				or m.kind = 'earlier')), '{}'))
		on conflict (message_id, what) do nothing`,
		p.ID, r.Session, p.What, revision, p.Message, p.MessageTS, p.User, database.CleanText(p.UserName),
		append([]int64{}, p.RestsOn...), append([]string{}, p.Adopts...))
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return record.ErrStale
	}
	return AppendAudit(ctx, tx, r.Session, "permission", p.ID)
}

// permitted returns the id of the recording's permission, or
// nil (null) if there is none, which the schema refuses.
func permitted(r *record.Recording) *string {
	p, ok := record.Find[Permission](r)
	if !ok {
		return nil
	}
	return &p.ID
}

// Permissions returns everything that people allowed in the session, in order.
func (g Register) Permissions(ctx context.Context, session string) ([]workflow.Permission, error) {
	rows, err := g.DB.Pool.Query(ctx,
		`select id, what, coalesce(revision, 0) as revision, message_id as message, message_ts,
			user_id as "user", user_name, rests_on, at
		from permissions
		where session_id = $1
		order by at, id`, session)
	if err != nil {
		return nil, fmt.Errorf("permissions of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[workflow.Permission])
}

// A Giver is what the row of an effect stores of the permission that it rests on. All is null or empty if
// nobody gave one.
type Giver struct {
	Permission, User, Message *string // ids, and the ts of the message
	Name                      string
}

// GiverOf returns what is stored of the permission; nil: there is none.
func GiverOf(p *Permission) Giver {
	if p == nil {
		return Giver{}
	}
	return Giver{Permission: &p.ID, User: &p.User, Message: &p.MessageTS, Name: p.UserName}
}
