package consent

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// An Approval is a Part: the approval of one revision of the report, by the person who gives it or who is the
// last of those who have to, with the Permission of the same recording.
type Approval workflow.Approval

func (Approval) Stage() record.Stage { return record.Given }

// Mask masks the words that limit the approval. The hash of the report stays, since it is compared.
func (a Approval) Mask(mask func(string) string) record.Part {
	a.Scope = mask(a.Scope)
	return a
}

// Write is a compare-and-set: it inserts a row only while the session waits on exactly
// this revision, and no approval of it exists. An approval that was given by asking
// (its Permission has RestsOn) also requires that all messages are judged, and that
// agents have read those that are for them. Otherwise Write fails with record.ErrStale.
func (a Approval) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	p, _ := record.Find[Permission](r)
	if err := endorse(ctx, tx, r, workflow.Endorsement{
		Revision: a.Revision, UserName: a.UserName, Credit: a.Credit, Scope: a.Scope,
	}); err != nil {
		return err
	}
	tag, err := tx.Exec(ctx,
		`insert into approvals (id, session_id, revision, report_hash, base_commit, user_id, user_name, scope,
		message_ts, permission_id, credit, needed)
		select $1, r.session_id, r.revision, r.hash, r.base_commit, $4, $5, $6, $7, $9, $11, $12
		from reports r join sessions s on s.id = r.session_id
		where r.session_id = $2 and r.revision = $3 and s.revision = $3 and r.hash = $8
			and r.base_commit = s.base_commit and r.revision > s.voided
			and not ($10 and exists (select 1 from inbox i where i.session_id = s.id and i.user_id <> ''
				and i.kind <> 'delete'
				and (i.handled_at is null or i.for_agents and i.id > s.seen)))
		on conflict do nothing`,
		a.ID, r.Session, a.Revision, a.User, a.UserName, database.CleanText(a.Scope), a.MessageTS,
		a.ReportHash, permitted(r), len(p.RestsOn) > 0, database.CleanText(a.Credit),
		max(a.Needed, 1))
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return record.ErrStale
	}
	if err := AppendAudit(ctx, tx, r.Session, "approval", a.ID); err != nil {
		return err
	}
	// What people objected before enough of them had approved is an objection to the approval.
	return changeObjections(ctx, tx, r.Session,
		`update objections set approval_id = $3 where session_id = $1 and revision = $2
			and approval_id is null and settled = '' returning id`, r.Session, a.Revision, a.ID)
}

// Approval returns the approval of one revision, or nil if there is none. Its Scope is the scope that it was
// given with and every Narrowing since.
func (g Register) Approval(ctx context.Context, session string, revision int) (*workflow.Approval, error) {
	a := workflow.Approval{Session: session, Revision: revision}
	err := g.DB.Pool.QueryRow(ctx,
		`select id, coalesce(permission_id, ''), report_hash, base_commit, user_id, user_name, credit,
			concat_ws('; and: ', nullif(scope, ''), (select string_agg(reason, '; and: ' order by d.id)
				from decisions d
				where d.session_id = $1 and d.revision = $2 and d.what = $3 and d.allowed)), message_ts, at,
			needed,
			coalesce((select array_agg(e.user_name order by e.at, e.permission_id) from endorsements e
				where e.session_id = $1 and e.revision = $2 and e.subject = '' and e.ended = ''), '{}')
		from approvals where session_id = $1 and revision = $2`, session, revision, workflow.DecideNarrow).
		Scan(&a.ID, &a.Permission, &a.ReportHash, &a.BaseCommit, &a.User, &a.UserName, &a.Credit, &a.Scope,
			&a.MessageTS, &a.At, &a.Needed, &a.By)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &a, err
}
