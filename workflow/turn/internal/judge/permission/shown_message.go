package permission

import (
	"context"
	"slices"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
)

// A shownMessage is a message that agents were shown, with what it says as a part of a request.
type shownMessage struct {
	inbox.ReadMessage
	Says intent.Request
}

// messagesShown returns what agents were shown since the newest push.
func (ps *Permissions) messagesShown(ctx context.Context) ([]shownMessage, error) {
	read, err := ps.Inbox().Read(ctx)
	all := make([]shownMessage, len(read))
	for i, x := range read {
		all[i] = shownMessage{x, intent.ReadRequest(x.Text)}
	}
	return all, err
}

// speaks reports whether the message says something to the agents: a message, a remark at a git host, or the
// consultant's advice, which counts as the words of whoever asked for it.
func (x shownMessage) speaks() bool {
	advises := x.Kind == workflow.MessageTold && x.Task != inbox.OrchestratorAlone
	return IsMessage(x.Kind) || x.Kind == workflow.MessageRemark || advises
}

// corrects reports whether the message corrects what is to be built, or takes what others wrote as its
// author's own words.
func (x shownMessage) corrects() bool {
	edits := x.Kind == workflow.MessageForm || x.Kind == workflow.MessageEdit
	presses := x.Kind == workflow.MessageAction && slices.Contains(
		[]string{workflow.ButtonBroken, workflow.ButtonLessons, workflow.ButtonPassOn}, x.ActionID,
	)
	return edits || presses || x.Shown != "" && x.Says.PassesOn
}

// asksForWork reports whether the message may ask for something to be built.
func (x shownMessage) asksForWork() bool {
	return x.Says.AsksForWork(x.Kind == workflow.MessageMention || x.Kind == workflow.MessageRemark)
}
