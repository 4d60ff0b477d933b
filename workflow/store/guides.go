// The messages that tell the people of a channel how to use the bot. Somebody asks for one with a button;
// package outbox posts and pins it.

package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// AskGuide stores that a person wants the message in a channel. If it is on its way, or was asked for less
// than a minute ago, nothing changes: the button was pressed twice. Otherwise a new one is posted, since the
// old one may be gone.
func AskGuide(ctx context.Context, db *database.DB, channel, user string) error {
	_, err := db.Pool.Exec(ctx,
		`insert into guides (channel, asked_by) values ($1, $2)
		on conflict (channel) do update
			set n = guides.n + 1, asked_by = excluded.asked_by, at = now(), tried_at = null, posting = null,
				ts = null, pinned_at = null, refused = null
			where guides.pinned_at is not null and guides.at < now() - interval '1 minute'
				or guides.refused is not null`,
		database.CleanText(channel), database.CleanText(user))
	if err != nil {
		return fmt.Errorf("a guide for %s: %w", channel, err)
	}
	return nil
}

// ListGuides returns the message of each channel that has one.
func ListGuides(ctx context.Context, db *database.DB) ([]workflow.ChannelGuideState, error) {
	rows, err := db.Pool.Query(ctx,
		`select channel, asked_by as by, coalesce(ts, '') as ts, pinned_at is not null as pinned,
			coalesce(refused, '') as refused
		from guides order by channel`)
	if err != nil {
		return nil, fmt.Errorf("the guides of channels: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[workflow.ChannelGuideState])
}
