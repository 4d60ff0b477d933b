package consent

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// A Push is a Part: the intent to push a commit, or the result of the push.
type Push workflow.Push

func (Push) Stage() record.Stage { return record.Push }

// Mask masks the words of the remote, why nothing was proven, and what tests expect.
func (p Push) Mask(mask func(string) string) record.Part {
	p.Reason = mask(p.Reason)
	p.Unproven = mask(p.Unproven)
	p.Expectations = mask(p.Expectations)
	return p
}

// Write stores the intent only while it matches its approval: the newest revision of the report
// with its hash, on the base of the session, with the allowances that these files need (for files of
// which nothing is proven, for changed expectations, for what they decide), with the words of as many
// people as it needs, each for the revision or for these files, while nobody's objection stands, and only
// while the session is not stopped and the orchestrator has read every limit by which the approval was
// narrowed: what it finishes after that was held against it. The result of a push is stored only for its
// intent. Otherwise Write fails with ErrNotApproved, and with ErrPushAhead if another repository of the
// thread comes first.
func (p Push) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	sql := `update pushes set state = $7, reason = $8
		where session_id = $1 and commit_hash = $2 and tree = $3 and base_commit = $4 and branch = $5
			and approval_id = $6`
	if p.State == workflow.PushIntended {
		if err := refuseAhead(ctx, tx, r.Session); err != nil {
			return err
		}
		sql =
			`insert into pushes (session_id, commit_hash, tree, base_commit, branch, approval_id, report_hash,
			state, reason, unproven, expectations, approved_by)
			select s.id, $2, $3, a.base_commit, s.branch, a.id, a.report_hash, $7, $8, $9, $10, array(
				select distinct e.user_id from endorsements e where e.session_id = s.id
					and e.revision = a.revision and e.subject in ('', $12) and e.ended = '' order by 1)
			from sessions s join approvals a on a.session_id = s.id and a.revision = s.revision
				and a.base_commit = s.base_commit
				join reports r on r.session_id = a.session_id and r.revision = a.revision
					and r.hash = a.report_hash and r.base_commit = a.base_commit
			where s.id = $1 and s.base_commit = $4 and s.branch = $5 and a.id = $6 and s.halted = ''
				and (a.inherited and $11 < 2 or endorsers(s.id, a.revision, a.report_hash, '', $12)
					>= greatest(a.needed, $11))
				and not exists (select 1 from allowances w where w.approval_id = a.id and w.tree = $3
					and w.user_id = '' and w.unproven = '' and (w.paths <> '' or w.expectations <> ''
						or w.objections = '{}' and w.missing = '')
						and not exists (select 1 from allowances g
						where g.approval_id = a.id and g.tree = $3 and g.unproven = '' and g.user_id <> ''
							and g.asked_at >= w.asked_at))
				and not exists (select 1 from objections o where o.approval_id = a.id and ` + stands +
				`$3)))
				and ($9 = '' or exists (select 1 from allowances w where w.approval_id = a.id and w.tree = $3
					and w.user_id <> '' and w.unproven <> ''))
				and ($10 = '' or exists (select 1 from allowances w where w.approval_id = a.id and w.tree = $3
					and w.user_id <> '' and w.expectations = $10))
				and not exists (select 1 from pushes p where p.approval_id = a.id and p.state = 'pushed')
				and not exists (select 1 from decisions d join inbox i on i.session_id = d.session_id
					and i.message_ts = d.message_ts and i.for_agents
					where d.session_id = s.id and d.revision = a.revision and d.what = 'narrow'
						and d.allowed and i.id > s.seen)
			on conflict (session_id, commit_hash) do update
				set state = excluded.state, reason = excluded.reason, approved_by = excluded.approved_by
			where pushes.tree = excluded.tree and pushes.approval_id = excluded.approval_id
				and pushes.branch = excluded.branch`
	}
	args := []any{
		r.Session, p.Commit, p.Tree, p.BaseCommit, p.Branch, p.Approval, p.State,
		database.CleanText(p.Reason),
	}
	if p.State == workflow.PushIntended {
		args = append(args, database.CleanText(p.Unproven), database.CleanText(p.Expectations),
			max(p.Needed, 1),
			workflow.TreeSubject(p.Tree))
	}
	tag, err := tx.Exec(ctx, sql, args...)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return ErrNotApproved
	}
	return AppendAudit(ctx, tx, r.Session, "push", p.Commit)
}

// Pushes returns the session's pushes, oldest first.
func (g Register) Pushes(ctx context.Context, session string) ([]workflow.Push, error) {
	rows, err := g.DB.Pool.Query(ctx,
		`select commit_hash as commit, tree, base_commit, branch, coalesce(approval_id, '') as approval,
			coalesce(report_hash, '') as report_hash, state, reason, unproven, expectations, 0 as needed
		from pushes where session_id = $1 order by at`, session)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[workflow.Push])
}

// PushedRevisions returns the revisions whose changes were pushed.
func (g Register) PushedRevisions(ctx context.Context, session string) ([]int, error) {
	rows, err := g.DB.Pool.Query(ctx,
		`select distinct a.revision from approvals a join pushes p on p.approval_id = a.id
			where a.session_id = $1 and p.state = 'pushed'`,
		session)
	if err != nil {
		return nil, fmt.Errorf("pushed revisions of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[int])
}

// Undelivered reports whether a revision was approved after the one
// that was pushed last: its changes may be in the session's files.
func (g Register) Undelivered(ctx context.Context, session string) (undelivered bool, err error) {
	err = g.DB.Pool.QueryRow(ctx,
		`select exists (select 1 from approvals a where a.session_id = $1
		and a.revision > coalesce((select max(b.revision)
		from approvals b join pushes p on p.approval_id = b.id where b.session_id = $1
			and p.state = 'pushed'), 0))`,
		session).Scan(&undelivered)
	return undelivered, err
}

// ErrNotApproved means that a push does not match its approval: another
// base, another report, a newer revision, or files that need an allowance.
var ErrNotApproved = errors.New("this push is not what was approved")
