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
func (s shownMessage) speaks() bool {
	advises := s.Kind == workflow.MessageTold && s.Task != inbox.OrchestratorAlone
	return IsMessage(s.Kind) || s.Kind == workflow.MessageRemark || advises
}

// corrects reports whether the message corrects what is to be built, or takes what others wrote as its
// author's own words.
func (s shownMessage) corrects() bool {
	edits := s.Kind == workflow.MessageForm || s.Kind == workflow.MessageEdit
	presses := s.Kind == workflow.MessageAction && slices.Contains(
		[]workflow.ActionID{workflow.ButtonBroken, workflow.ButtonLessons, workflow.ButtonPassOn}, s.ActionID,
	)
	return edits || presses || s.AgentText != "" && s.Says.PassesOn
}

// asksForWork reports whether the message may ask for something to be built.
func (s shownMessage) asksForWork() bool {
	return s.Says.AsksForWork(s.Kind == workflow.MessageMention || s.Kind == workflow.MessageRemark)
}
