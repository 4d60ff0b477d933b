package outbox

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
)

// maxGrown is the length, about in bytes, below which a reply of progress lines stays.
const maxGrown = 1800

// joinProgress joins progress lines to the newest reply, if that has only progress lines and no
// person wrote below it. It stores which reply they join, so that a later try does the same.
func joinProgress(ctx context.Context, tx pgx.Tx, p *workflow.Posting, batch []row) error {
	if slices.ContainsFunc(batch, func(r row) bool { return !r.Progress }) {
		return nil
	}
	key := p.Rewrites
	ts := p.OnTS
	if !p.Tried {
		size := 0
		for _, r := range batch {
			size += len(r.Text)
		}
		err := tx.QueryRow(ctx, `select newest.key, newest.ts from (
				select o.ts, (array_agg(o.key order by o.id))[1] as key, bool_and(o.progress) as progress,
					sum(length(l.text)) as size
				from outbox o left join lines l on l.id = o.line_id
				where o.session_id = $1 and o.reaction = '' and o.sign is null and o.ends is null
					and o.posted_at is not null and o.ts <> '' and o.channel is null
					group by o.ts order by o.ts desc limit 1) newest
			where newest.progress and newest.size + $2 < $3
				and not exists (select 1 from inbox i where i.session_id = $1
					and i.kind in ('mention', 'reply') and i.message_ts > newest.ts)`,
			p.Session, size, maxGrown).Scan(&key, &ts)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `update outbox set rewrites = $1 where batch = $2`, key,
			p.Key); err != nil {
			return err
		}
	}
	if key == "" {
		return nil
	}
	before, err := readGrown(ctx, tx, p.Session, ts, "")
	if err != nil || before == nil {
		return err
	}
	p.Rewrites = key
	p.OnTS = ts
	p.Existing = len(before.Lines)
	p.Lines = append(before.Lines, p.Lines...)
	return nil
}

// EditedSince returns the reply that p extends as the rows have it now, if another
// worker has changed it since p was read, because this one froze before its
// edit. It returns nil if the reply is unchanged.
func (o *Outbox) EditedSince(ctx context.Context, p *workflow.Posting) (*workflow.Posting, error) {
	if !o.guardEdits {
		return nil, nil
	}
	now, err := readGrown(ctx, o.db.Pool, p.Session, p.OnTS, p.Rewrites)
	if err != nil || now == nil || reflect.DeepEqual(now.Lines, p.Lines) {
		return nil, err
	}
	grown := *p
	grown.Lines = now.Lines
	grown.Existing = len(now.Lines)
	return &grown, nil
}

// readGrown reads the reply of progress lines at ts. If key is given, it includes the lines
// that are being joined to the reply with that key. It returns nil if there is no such reply.
func readGrown(ctx context.Context, q querier, session, ts, key string) (*workflow.Posting, error) {
	rows, err := q.Query(
		ctx,
		`select o.id, o.key, l.agent, l.text, l.calls, o.buttons, o.files, o.alone,
			'' as on_ts, o.batch, '' as rewrites, '' as note, o.card, l.code, o.progress, o.brief, l.vouched,
			`+partOfRow+`,
			now() as tried_at, null::bytea as sign, false as ends, o.channel, o.thread_ts
		from outbox o join lines l on l.id = o.line_id
		where o.session_id = $1 and o.progress and (o.ts = $2 or o.rewrites = $3 and o.posted_at is null
			and o.refused is null) order by o.id`,
		session, ts, key)
	if err != nil {
		return nil, err
	}
	stand, err := pgx.CollectRows(rows, pgx.RowToStructByName[row])
	if err != nil || len(stand) == 0 {
		return nil, err
	}
	return makePosting(session, stand)
}

// A querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}
