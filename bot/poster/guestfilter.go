package poster

import (
	"cmp"
	"context"
	"log/slog"
	"slices"

	"github.com/bobbinhq/bobbin/bot/render"
	"github.com/bobbinhq/bobbin/workflow/card"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
)

// If the configuration says so, a channel with guests or people of another workspace is shown
// nothing of a repository's code: of each text only the first line, without code, paths and
// names of code, and no files. The rest stays in the database. The members of the channel are
// read when a posting goes out; if they cannot be read, the code is hidden.
//
// A model's prose may still describe the code in words: this does not hide what is being
// worked on.

// A GuestFilter decides where code is hidden. If it is nil or has no Closed, nowhere.
type GuestFilter struct {
	Closed []string // names of repositories whose code is shown to full members only
	// People looks up the members of a channel; if it is nil, code is hidden everywhere.
	People interface {
		Outsiders(ctx context.Context, channel string) (bool, error)
	}
	Log *slog.Logger
}

// HidesCode reports whether code of that repository is hidden in the channel now. A thread
// without a repository yet may turn out to be about a closed one.
func (d *GuestFilter) HidesCode(ctx context.Context, repository, channel string) bool {
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

// filterPosting returns the posting as its channel may read it.
func (d *GuestFilter) filterPosting(ctx context.Context, posting *outgoing.Posting) *outgoing.Posting {
	if posting.Reaction != "" || !d.HidesCode(ctx, posting.Repository, posting.Thread.Channel) {
		return posting
	}
	return render.PostingWithoutCode(posting)
}

// filterCard returns the card as its channel may read it.
func (d *GuestFilter) filterCard(ctx context.Context, c *card.Card) *card.Card {
	if !d.HidesCode(ctx, c.Repository, c.Thread.Channel) {
		return c
	}
	return render.CardWithoutCode(c)
}
