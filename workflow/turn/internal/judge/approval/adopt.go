package approval

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// maxAdopted is how many bytes of other people's messages one adoption shows to agents. Slack accepts no
// longer message.
const maxAdopted = 40_000

// Adopt judges a message such as "yes please do this", with which a person makes requests of other
// people above it in the thread their own. Agents are shown it in full, as data, whoever wrote it.
func (hw *HeldWords) Adopt(
	ctx context.Context, m intent.Message, p workflow.Person, theirs RequestsAbove,
) []store.Part {
	if theirs.Err != nil {
		hw.Log.Warn("nothing is adopted: cannot read the thread", "user", p.ID, "err", theirs.Err)
		return hw.Refuse(m, p, workflow.DecideAdopt, "the messages could not be read",
			"Slack does not let me read what stands above at this moment. Please try again.")
	}
	why, _, err := hw.Permissions.ApprovalRefusal(ctx, p)
	if err != nil {
		hw.Log.Warn("nothing is adopted: cannot read who may approve", "user", p.ID, "err", err)
		why = "who may approve could not be looked up"
	}
	if why != "" {
		return append(hw.ForAgents(m, ""), consent.Decision{
			What:      workflow.DecideAdopt,
			Reason:    why,
			User:      p.ID,
			MessageTS: m.TS,
			Revision:  hw.Session().Revision,
		})
	}
	f := hw.ForAgents(m, fmt.Sprintf("%s asks for what others wrote above in the thread, in these words:\n"+
		"%s\nWhat the others wrote, whole, as data:\n%s",
		prompt.PersonName(p.Name), prompt.Fence("message", hw.Slack.Readable(ctx, m.Text)), theirs.text))
	if title := prompt.FirstLine(strings.TrimSpace(theirs.title)); hw.Session().Title == "" && title != "" {
		ledger.Change(f, func(u *store.Update) { u.Change = func(s *workflow.Session) { s.Title = title } })
	}
	f = append(f, inbox.Earlier(theirs.earlier), inbox.Passed(theirs.held), consent.Amendment{
		Text: hw.Slack.Readable(ctx, m.Text) + theirs.words,
	})
	for _, s := range theirs.earlier {
		f = append(f, inbox.Attachments(s.Files))
	}
	adopts := permission.NewPermission(m.Message, p, workflow.PermitAdopt, hw.Session().Revision)
	adopts.Adopts = theirs.ts
	f = append(f, adopts)
	return append(f, consent.Decision{
		What:      workflow.DecideAdopt,
		Allowed:   true,
		User:      p.ID,
		MessageTS: m.TS,
		Revision:  hw.Session().Revision,
	})
}

// RequestsAbove is what other people wrote above a message.
type RequestsAbove struct {
	Err error // it could not be read

	ts      []string                 // ts of all messages
	title   string                   // text of the first message
	text    string                   // the messages that agents were not shown yet, or not in full
	words   string                   // the same messages, for the record of what was approved
	earlier []workflow.ThreadMessage // messages that are not in the inbox
	held    []int64                  // ids of the inbox rows that were held back from the agents
}

// Any reports whether others wrote anything.
func (r RequestsAbove) Any() bool { return len(r.ts) > 0 }

// RequestsAbove returns what other people wrote above m since the newest push: messages that agents were
// shown, messages that were held back, and messages from before the session. What was edited after m was
// written is not what its writer read, though it may have come in before m, as when the bot was down.
func (hw *HeldWords) RequestsAbove(ctx context.Context, m intent.Message) RequestsAbove {
	o, err := hw.requestsAbove(ctx, m)
	o.Err = err
	return o
}

func (hw *HeldWords) requestsAbove(ctx context.Context, m intent.Message) (o RequestsAbove, err error) {
	shown, err := hw.Inbox().Read(ctx)
	if err != nil {
		return o, err
	}
	held, err := hw.Inbox().Held(ctx)
	if err != nil {
		return o, err
	}
	delivered, err := hw.Inbox().DeliveredTS(ctx) // messages before the newest push are done with
	if err != nil {
		return o, err
	}
	before, err := hw.Slack.Earlier(ctx, hw.Session().Thread)
	if err != nil {
		return o, err
	}
	edited := map[string]string{}
	for _, s := range before {
		edited[s.TS] = s.Edited
	}
	second, _, _ := strings.Cut(m.TS, ".") // Slack tells in whole seconds when a message was edited
	editedSince := func(x workflow.Message) bool {
		_, listed := edited[x.TS]
		return edited[x.TS] >= second || x.ActionID == workflow.ReadAgain && !listed
	}
	var parts []string
	size := 0
	give := func(name, text string) {
		o.title = cmp.Or(o.title, text)
		part := fmt.Sprintf("%s wrote:\n%s", prompt.PersonName(name),
			prompt.Fence("message", prompt.CutBytes(text, max(maxAdopted-size, 0))))
		size += len(text)
		parts = append(parts, part)
		o.words += fmt.Sprintf("\n%s wrote: %s", name, text)
	}
	for _, x := range shown {
		if x.User != m.User && x.ID < m.ID && x.TS < m.TS && !editedSince(x.Message) &&
			(permission.IsMessage(x.Kind) || x.Kind == workflow.MessageEdit ||
				x.Kind == workflow.MessageEarlier) {
			o.ts = append(o.ts, x.TS)
		}
	}
	for _, h := range held {
		stands, err := hw.readsAsBefore(ctx, h)
		if err != nil {
			return o, err
		}
		if !stands || h.User == m.User || h.ID > m.ID || h.TS > m.TS || h.TS <= delivered || editedSince(h) {
			continue // a message that was edited since it was held is not the one that was adopted
		}
		o.ts = append(o.ts, h.TS)
		o.held = append(o.held, h.ID)
		give(hw.PersonName(ctx, h.User), hw.Slack.Readable(ctx, h.Text))
	}
	for _, s := range before {
		if s.Own || s.User == m.User || s.TS >= m.TS || s.Edited >= second ||
			slices.Contains(o.ts, s.TS) || s.TS <= delivered {
			continue
		}
		o.ts = append(o.ts, s.TS)
		o.earlier = append(o.earlier, s)
		give(s.Name, s.Text)
	}
	o.text = strings.Join(parts, "\n")
	if parts == nil {
		o.text = "(you were shown it already)"
	}
	return o, nil
}
