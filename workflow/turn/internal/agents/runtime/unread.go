package runtime

import (
	"context"
	"slices"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// Unread returns the messages for agents that the orchestrator has not read. What the program itself tells
// agents is not among them: it waits until the session goes on.
func (r *Runtime) Unread(ctx context.Context) ([]workflow.Message, error) {
	unseen, err := r.Inbox().Unseen(ctx, 0)
	return slices.DeleteFunc(unseen,
		func(m workflow.Message) bool { return m.Kind == workflow.MessageTold }), err
}

// RefuseUnread judges what people wrote meanwhile, and refuses a call that would end the orchestrator's turn
// while it has not read all of it. The error is a prompt.Refusal then, and nil if nothing is unread.
func (r *Runtime) RefuseUnread(ctx context.Context) error {
	if err := r.Hear(ctx); err != nil {
		return err
	}
	unread, err := r.Unread(ctx)
	if err != nil || len(unread) == 0 {
		return err
	}
	return prompt.NewRefusal(prompt.UnreadRefusal)
}
