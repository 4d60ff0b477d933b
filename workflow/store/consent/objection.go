package consent

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// An Objection is a Part: what a person has against the work of an approval. The database refuses to push
// that work until the objection is settled.
type Objection workflow.Objection

func (Objection) Stage() record.Stage { return record.Decision }

// Mask masks the words of the objection. They are compared with those of the same objection that another
// event tells, which are masked alike.
func (o Objection) Mask(mask func(string) string) record.Part {
	o.Words = mask(o.Words)
	return o
}

// Write stores the objection, once for each message. What became of an approval is stored once, too, though
// it may be found both in an event and in the thread.
func (o Objection) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	var id int64
	err := tx.QueryRow(ctx,
		`insert into objections (session_id, approval_id, message_id, message_ts, user_id, user_name, how,
		words, revision)
		select $1, nullif($2, ''), $3, $4, $5, $6, $7, $8, nullif($9, 0)
		where $7 not in ('edit', 'deletion') or not exists (select 1 from objections o
			where o.approval_id = $2 and o.message_ts = $4 and o.how = $7 and o.words = $8)
		on conflict (session_id, message_id, how) do nothing returning id`,
		r.Session, o.Approval, o.Message, o.MessageTS, o.User, database.CleanText(o.UserName), o.How,
		database.CleanText(o.Words), o.Revision).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return AppendAudit(ctx, tx, r.Session, "objection", strconv.FormatInt(id, 10))
}

// Overruled returns the objections that an allowance overruled, in order.
func (g Register) Overruled(ctx context.Context, allowance string) ([]workflow.Objection, error) {
	rows, err := g.DB.Pool.Query(ctx,
		`select `+objectionColumns+` from objections where allowance_id = $1 order by id`, allowance)
	if err != nil {
		return nil, fmt.Errorf("what %s overruled: %w", allowance, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[workflow.Objection])
}

const objectionColumns = `id, coalesce(approval_id, '') as approval, coalesce(revision, 0) as revision, ` +
	`message_id as message, message_ts, ` +
	`user_id as "user", user_name, how, words, at`

// Objected reports whether that objection is stored, settled or not, whichever event told it.
func (g Register) Objected(ctx context.Context, o Objection) (stored bool, err error) {
	err = g.DB.Pool.QueryRow(ctx,
		`select exists (select 1 from objections where approval_id = $1 and message_ts = $2 and how = $3
			and words = $4)`,
		o.Approval, o.MessageTS, o.How, database.CleanText(o.Words)).Scan(&stored)
	return stored, err
}

// ApprovalByMessage returns the newest approval to which the message with that ts gave a word, or under which
// a push was allowed by it, or nil if there is none.
func (g Register) ApprovalByMessage(ctx context.Context, session, ts string) (*workflow.Approval, error) {
	var revision int
	err := g.DB.Pool.QueryRow(ctx,
		`select revision from approvals a where session_id = $1 and $2 <> '' and (message_ts = $2
		or exists (select 1 from allowances w where w.approval_id = a.id and w.message_ts = $2
			and w.user_id <> '')
		or exists (select 1 from endorsements e where e.session_id = $1 and e.revision = a.revision
			and e.message_ts = $2 and e.ended in ('', 'may not approve') and (e.subject = ''
				or exists (select 1 from allowances w where w.approval_id = a.id and w.user_id <> ''
					and e.subject = 'tree ' || w.tree))))
		order by revision desc limit 1`, session, ts).Scan(&revision)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("what %s approved: %w", ts, err)
	}
	return g.Approval(ctx, session, revision)
}

// A Withdrawal is a Part: a person takes back some of their own objections.
type Withdrawal struct {
	User       string
	Objections []int64
}

func (Withdrawal) Stage() record.Stage { return record.Decision }

// Mask returns the part as it is: it has only ids.
func (w Withdrawal) Mask(func(string) string) record.Part { return w }

// Write settles those of the objections that are the person's own and open. An approval that was edited or
// deleted stays void.
func (w Withdrawal) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	return changeObjections(ctx, tx, r.Session,
		`update objections set settled = 'withdrawn', settled_at = now()
		where session_id = $1 and id = any($2) and user_id = $3 and settled <> 'withdrawn'
			and how in ('message', 'reaction') returning id`,
		r.Session, w.Objections, w.User)
}

// overrule settles the objections that a given allowance names.
func overrule(ctx context.Context, tx pgx.Tx, session, allowance string) error {
	return changeObjections(ctx, tx, session,
		`update objections o set settled = 'overruled', settled_at = now(), allowance_id = w.id
		from allowances w where w.id = $2 and w.session_id = $1 and o.session_id = $1
			and o.approval_id = w.approval_id
			and o.id = any(w.objections) and o.settled <> 'withdrawn' returning o.id`, session, allowance)
}

// changeObjections runs an update that returns the ids of the objections that it changed.
func changeObjections(ctx context.Context, tx pgx.Tx, session, sql string, args ...any) error {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	changed, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	for _, id := range changed {
		if err := AppendAudit(ctx, tx, session, "objection", strconv.FormatInt(id, 10)); err != nil {
			return err
		}
	}
	return nil
}

// stands is the condition that an objection o keeps a tree from being pushed: nobody settled it, or it was
// overruled for other files. The parameter that follows it is the tree.
const stands = `(o.settled = '' or o.settled = 'overruled' and not exists (select 1 from allowances v ` +
	`where v.id = o.allowance_id and v.tree = `

// Objections returns the objections that keep the tree from being pushed under the approval, in order. If
// tree is empty, it returns those that nobody settled.
func (g Register) Objections(ctx context.Context, approval, tree string) ([]workflow.Objection, error) {
	rows, err := g.DB.Pool.Query(ctx, `select `+objectionColumns+
		` from objections o where approval_id = $1 and (o.settled = '' or $2 <> '' and `+
		stands+`$2))) order by id`, approval, tree)
	if err != nil {
		return nil, fmt.Errorf("objections to %s: %w", approval, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[workflow.Objection])
}

// ObjectionsTo returns the objections to a revision that nobody settled, in order, from before it was
// approved by enough people.
func (g Register) ObjectionsTo(
	ctx context.Context, session string, revision int,
) ([]workflow.Objection, error) {
	rows, err := g.DB.Pool.Query(ctx, `select `+objectionColumns+` from objections o
		where session_id = $1 and revision = $2 and approval_id is null and settled = '' order by id`,
		session, revision)
	if err != nil {
		return nil, fmt.Errorf("objections to revision %d of %s: %w", revision, session, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[workflow.Objection])
}
