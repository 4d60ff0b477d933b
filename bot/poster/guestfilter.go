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
// repository: only the first line of each text, without code, paths and identifiers, and no files. This
// holds for a whole thread if one of the repositories that it was about is closed to guests: what was
// said of it before another one was chosen is written again later, and opened by "Details". The
// database keeps everything. The members of the channel are read when a posting is sent; if they cannot
// be read, the code is hidden.
//
// A model's prose may still describe the code in words, so the subject of the work is not hidden.

// A GuestFilter decides in which channels code is hidden. If it is nil, no code is hidden.
type GuestFilter struct {
	// whether only full members may see its code; an empty name: of a thread that names none yet
	MembersOnly func(repository string) bool
	// People looks up the members of a channel; if it is nil, the code of closed
	// repositories is hidden everywhere.
	People interface {
		Outsiders(ctx context.Context, channel string) (bool, error)
	}
	Log *slog.Logger
}

// HidesCode returns why code of one of those repositories is hidden in the channel at this moment, in
// words; empty: it is not hidden.
func (g *GuestFilter) HidesCode(ctx context.Context, repositories []string, channel string) (why string) {
	if g == nil {
		return ""
	}
	if len(repositories) == 0 {
		repositories = []string{""}
	}
	if !slices.ContainsFunc(repositories, g.MembersOnly) {
		return ""
	}
	if g.People == nil {
		return workflow.MembersUnseen
	}
	there, err := g.People.Outsiders(ctx, channel)
	if err != nil {
		cmp.Or(g.Log, slog.New(slog.DiscardHandler)).Warn("cannot see who is in the channel; "+
			"code is kept back", "channel", channel, "err", err)
		return workflow.MembersUnseen
	}
	if there {
		return workflow.OutsidersThere
	}
	return ""
}

// filterPosting returns the posting, without code if code is hidden in its channel.
func (g *GuestFilter) filterPosting(ctx context.Context, posting *workflow.Posting) *workflow.Posting {
	if posting.Reaction != "" {
		return posting
	}
	if why := g.HidesCode(ctx, posting.Repositories, posting.Thread.Channel); why != "" {
		return render.PostingWithoutCode(posting, why)
	}
	return posting
}

// filterCard returns the card, without code if code is hidden in its channel.
func (g *GuestFilter) filterCard(ctx context.Context, c *workflow.Card) *workflow.Card {
	if g.HidesCode(ctx, c.Repositories, c.Thread.Channel) == "" {
		return c
	}
	return render.CardWithoutCode(c)
}
