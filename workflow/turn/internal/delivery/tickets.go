package delivery

import (
	"cmp"
	"context"
	"slices"

	"github.com/bobbinhq/bobbin/repo/tracker"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/ticket"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/proposal"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/links"
)

// ticketComments returns the intents to tell the tickets that people named in this thread what was pushed,
// where their trackers may get comments.
func ticketComments(
	ctx context.Context, d *Delivery, work provenWork, commit string,
) (parts []store.Part, err error) {
	if !slices.ContainsFunc(d.Catalog.Trackers, func(t *tracker.Tracker) bool { return t.Comments }) {
		return nil, nil
	}
	known, err := d.Inbox().NoteKeys(ctx, workflow.KeyOfTicket)
	if err != nil {
		return nil, err
	}
	s := d.Session()
	for _, named := range links.ReadTickets(known) {
		for _, t := range d.Catalog.Trackers {
			_, known := t.KeyOf(named.Shown)
			may := t.Comments && t.For(s.Repository) && len(parts) < maxComments
			if !known || !may || t.Kind != named.Kind {
				continue
			}
			parts = append(parts, ticket.Comment{
				Key: ticket.OfComment(t.Kind, named.Shown), Repository: s.Repository, Place: t.Name(),
				Tracker: t.Kind, Issue: named.Shown, Revision: work.approval.Revision,
				Body: proposal.ResultText(s.Repository, s.Branch, prompt.ShortHash(commit),
					cmp.Or(work.words.title, work.words.summary), d.SecretFinder().Mask),
			})
			break
		}
	}
	return parts, nil
}

// maxComments is how many tickets are told of one push.
const maxComments = 3
