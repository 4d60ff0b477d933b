package poster

import (
	"cmp"
	"context"
	"log/slog"
	"slices"

	"github.com/bobbinhq/bobbin/bot/internal/render"
	"github.com/bobbinhq/bobbin/workflow"
)

// If the configuration says so, channels with guests or people of another workspace are shown no code of a
// repository: only the first line of each text, without code, paths and identifiers, and no files. This holds for
// a whole thread if one of the repositories that it was about is closed to guests: what was said of it before
// another one was chosen is written again later, and opened by "Details". The database keeps everything. The
// members of the channel are read when a posting is sent; if they cannot be read, the code is hidden.
//
// A model's prose may still describe the code in words, so the subject of the work is not hidden.

// A GuestFilter decides in which channels code is hidden. If it is nil, no code is hidden.
type GuestFilter struct {
	MembersOnly func(repository string) bool // whether only full members may see its code; an empty name: of a thread that names none yet
	// People looks up the members of a channel; if it is nil, the code of closed repositories is hidden everywhere.
	People interface {
		Outsiders(ctx context.Context, channel string) (bool, error)
	}
	Log *slog.Logger
}

// Why code is hidden in a channel.
const (
	outsidersThere = "guests or people from elsewhere are in this channel"
	membersUnseen  = "I could not see who is in this channel"
)

// HidesCode returns why code of one of those repositories is hidden in the channel at this moment, in words; empty:
// it is not hidden.
func (d *GuestFilter) HidesCode(ctx context.Context, repositories []string, channel string) (why string) {
	if d == nil {
		return ""
	}
	if len(repositories) == 0 {
		repositories = []string{""}
	}
	if !slices.ContainsFunc(repositories, d.MembersOnly) {
		return ""
	}
	if d.People == nil {
		return membersUnseen
	}
	there, err := d.People.Outsiders(ctx, channel)
	if err != nil {
		cmp.Or(d.Log, slog.New(slog.DiscardHandler)).Warn("cannot see who is in the channel; code is kept back", "channel", channel, "err", err)
		return membersUnseen
	}
	if there {
		return outsidersThere
	}
	return ""
}

// filterPosting returns the posting, without code if code is hidden in its channel.
func (d *GuestFilter) filterPosting(ctx context.Context, posting *workflow.Posting) *workflow.Posting {
	if posting.Reaction != "" {
		return posting
	}
	if why := d.HidesCode(ctx, posting.Repositories, posting.Thread.Channel); why != "" {
		return render.PostingWithoutCode(posting, why)
	}
	return posting
}

// filterCard returns the card, without code if code is hidden in its channel.
func (d *GuestFilter) filterCard(ctx context.Context, c *workflow.Card) *workflow.Card {
	if d.HidesCode(ctx, c.Repositories, c.Thread.Channel) == "" {
		return c
	}
	return render.CardWithoutCode(c)
}
