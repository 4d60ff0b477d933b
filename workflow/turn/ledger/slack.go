package ledger

import (
	"context"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/incoming"
)

// Slack is what a turn asks Slack for; it is read fresh for each decision.
type Slack interface {
	Person(ctx context.Context, thread workflow.Thread, user string) (workflow.Person, error)
	// Earlier is what was said in the thread before and beside the bot, oldest first.
	Earlier(ctx context.Context, thread workflow.Thread) ([]incoming.ThreadMessage, error)
	// Reread is one message as the thread has it now, with what was shared with it.
	Reread(ctx context.Context, thread workflow.Thread, ts string) (text string, files []incoming.Attachment, found bool, err error)
	// Readable is a text with names in place of ids.
	Readable(ctx context.Context, text string) string
	// Fetch reads a file that somebody attached.
	Fetch(ctx context.Context, a incoming.Attachment) (incoming.Attachment, error)
	// ByEmail is the id of the person with that address; empty: there is none.
	ByEmail(ctx context.Context, address string) (id string, err error)
	// Group is who is in a user group (S…).
	Group(ctx context.Context, group string) ([]string, error)
}
