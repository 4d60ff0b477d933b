package poster

import (
	"cmp"
	"context"
	"log/slog"
	"slices"

	"github.com/bobbinhq/bobbin/bot/render"
	"github.com/bobbinhq/bobbin/workflow"
)

// Where the configuration says so, nothing of a repository's code is shown in a channel with
// guests or people of another workspace: of each text only its first line, without code, paths
// and names of code, and no files. What a line is about is told, and the rest stays in the
// database. Who is in the channel is read when a posting goes out; where it cannot be read,
// everything is kept back.
//
// A model's prose may still tell of the code in words; this is no wall against a reader who
// is not to know at all what is worked on.

// A GuestFilter says where code is kept back. Nil, and without Closed, it is nowhere.
type GuestFilter struct {
	Closed []string // names of repositories whose code is shown to full members only
	// People tells who is in a channel; without it everything is kept back.
	People interface {
		Outsiders(ctx context.Context, channel string) (bool, error)
	}
	Log *slog.Logger
}

// hidesCode says whether code of that repository is kept back in the channel now. Before a
// thread is about a repository, it may be about a closed one.
func (d *GuestFilter) hidesCode(ctx context.Context, repository, channel string) bool {
	if d == nil || len(d.Closed) == 0 || repository != "" && !slices.Contains(d.Closed, repository) {
		return false
	}
	if d.People == nil {
		return true
	}
	there, err := d.People.Outsiders(ctx, channel)
	if err != nil {
		cmp.Or(d.Log, slog.New(slog.DiscardHandler)).Warn("cannot see who is in the channel; code is kept back", "channel", channel, "err", err)
	}
	return there || err != nil
}

// filterPosting is the posting as its channel may read it.
func (d *GuestFilter) filterPosting(ctx context.Context, posting *workflow.Posting) *workflow.Posting {
	if posting.Reaction != "" || !d.hidesCode(ctx, posting.Repository, posting.Thread.Channel) {
		return posting
	}
	return render.PostingWithoutCode(posting)
}

// filterCard is the card as its channel may read it.
func (d *GuestFilter) filterCard(ctx context.Context, c *workflow.Card) *workflow.Card {
	if !d.hidesCode(ctx, c.Repository, c.Thread.Channel) {
		return c
	}
	return render.CardWithoutCode(c)
}
