package consent

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/permit"
	"github.com/bobbinhq/bobbin/workflow/store/audit"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/record"
)

// An Objection is a Part: what a person has against the work of an approval. The database refuses to push
// that work until the objection is settled.
type Objection permit.Objection

func (Objection) Stage() record.Stage { return record.Decision }

// Write stores the objection, once for each message.
func (o Objection) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	var id int64
	err := tx.QueryRow(ctx, `insert into objections (session_id, approval_id, message_id, message_ts, user_id, user_name, how, words)
		values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (session_id, message_id) do nothing returning id`,
		r.Session, o.Approval, o.Message, o.MessageTS, o.User, database.CleanText(o.UserName), o.How, database.CleanText(o.Words)).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return audit.Append(ctx, tx, r.Session, "objection", strconv.FormatInt(id, 10))
}

// A Withdrawal is a Part: a person takes back some of their own objections.
type Withdrawal struct {
	User       string
	Objections []int64
}

func (Withdrawal) Stage() record.Stage { return record.Decision }

// Write settles those of the objections that are the person's own and open. An approval that was edited or deleted
// stays void.
func (w Withdrawal) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	return settleObjections(ctx, tx, r.Session, `update objections set settled = 'withdrawn', settled_at = now()
		where session_id = $1 and id = any($2) and user_id = $3 and settled <> 'withdrawn' and how in ('message', 'reaction') returning id`,
		r.Session, w.Objections, w.User)
}

// overrule settles the objections that a given allowance names.
func overrule(ctx context.Context, tx pgx.Tx, session, allowance string) error {
	return settleObjections(ctx, tx, session, `update objections o set settled = 'overruled', settled_at = now(), allowance_id = w.id
		from allowances w where w.id = $2 and w.session_id = $1 and o.session_id = $1 and o.approval_id = w.approval_id
			and o.id = any(w.objections) and o.settled <> 'withdrawn' returning o.id`, session, allowance)
}

// settleObjections runs an update that returns the ids of the objections that it settled.
func settleObjections(ctx context.Context, tx pgx.Tx, session, sql string, args ...any) error {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	settled, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	for _, id := range settled {
		if err := audit.Append(ctx, tx, session, "objection", strconv.FormatInt(id, 10)); err != nil {
			return err
		}
	}
	return nil
}

// stands is the condition that an objection o keeps a tree from being pushed: nobody settled it, or it was
// overruled for other files. The parameter that follows it is the tree.
const stands = `(o.settled = '' or o.settled = 'overruled' and not exists (select 1 from allowances v where v.id = o.allowance_id and v.tree = `

// Objections returns the objections that keep the tree from being pushed under the approval, in order. If tree is
// empty, it returns those that nobody settled.
func (g Register) Objections(ctx context.Context, approval, tree string) ([]permit.Objection, error) {
	rows, err := g.DB.Pool.Query(ctx, `select id, approval_id as approval, message_id as message, message_ts, user_id as "user", user_name, how, words, at
		from objections o where approval_id = $1 and (o.settled = '' or $2 <> '' and `+stands+`$2))) order by id`, approval, tree)
	if err != nil {
		return nil, fmt.Errorf("objections to %s: %w", approval, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[permit.Objection])
}
