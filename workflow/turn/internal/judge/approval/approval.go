package approval

import (
	"context"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// Approvals judges the messages and presses that permit something.
type Approvals struct {
	Judgements
	Catalog     *catalog.Catalog
	Permissions *permission.Permissions
}

// HeldWords keeps the messages of people who may not approve, while an approval stands or work is
// stopped. They are offered to people who may approve, who can pass them on to the agents. It also
// judges the messages with which those people let stopped work go on, or adopt another person's request.
type HeldWords struct {
	Judgements
	Permissions *permission.Permissions
}

// An asker is a person with the message by which the person asks.
type asker struct {
	Message intent.Message
	Person  workflow.Person
}

// Judgements makes the parts that follow from one message.
type Judgements struct{ *ledger.Ledger }

// maxQuoted is how many characters of a message are quoted in a question about it.
const maxQuoted = 80

// QuoteWords returns the words of a message in one line, masked and cut, for a question whether they were
// meant as a permission: in a busy thread "this" may be anything.
func (j *Judgements) QuoteWords(ctx context.Context, m intent.Message) string {
	words := plaintext.OneLine(j.MaskShown(j.Slack.Readable(ctx, m.Text)))
	if words == "" {
		return "this"
	}
	return plaintext.QuoteLine(plaintext.CutLine(words, maxQuoted))
}
