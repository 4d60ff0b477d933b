package outbox

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
)

// maxGrown is how long, in bytes, a reply of progress lines may get.
const maxGrown = 1800

// growReply has lines of progress join the newest reply, where that has nothing but such lines
// and nobody wrote below it. Where they do is kept, so that a later try does the same.
func growReply(ctx context.Context, tx pgx.Tx, p *workflow.Posting, batch []row) error {
	if slices.ContainsFunc(batch, func(r row) bool { return !r.Progress }) {
		return nil
	}
	key, ts := p.Rewrites, p.OnTS
	if !p.Tried {
		size := 0
		for _, r := range batch {
			size += len(r.Text)
		}
		err := tx.QueryRow(ctx, `select newest.key, newest.ts from (
				select o.ts, (array_agg(o.key order by o.id))[1] as key, bool_and(o.progress) as progress, sum(length(l.text)) as size
				from outbox o left join lines l on l.id = o.line_id
				where o.session_id = $1 and o.reaction = '' and o.posted_at is not null and o.ts <> '' group by o.ts order by o.ts desc limit 1) newest
			where newest.progress and newest.size + $2 < $3
				and not exists (select 1 from inbox i where i.session_id = $1 and i.kind in ('mention', 'reply') and i.message_ts > newest.ts)`,
			p.Session, size, maxGrown).Scan(&key, &ts)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `update outbox set rewrites = $1 where batch = $2`, key, p.Key); err != nil {
			return err
		}
	}
	if key == "" {
		return nil
	}
	rows, err := tx.Query(ctx, `select o.id, o.key, l.agent, l.text, l.calls, o.buttons, o.files, o.alone, o.reaction, '' as on_ts, o.batch, '' as rewrites, '' as note, o.card, l.code, o.progress
		from outbox o join lines l on l.id = o.line_id where o.session_id = $1 and o.ts = $2 and o.progress order by o.id`, p.Session, ts)
	if err != nil {
		return err
	}
	stand, err := pgx.CollectRows(rows, pgx.RowToStructByName[row])
	if err != nil || len(stand) == 0 {
		return err
	}
	before, err := makePosting(p.Session, stand)
	if err != nil {
		return err
	}
	p.Rewrites, p.OnTS, p.Stands, p.Lines = key, ts, len(stand), append(before.Lines, p.Lines...)
	return nil
}
