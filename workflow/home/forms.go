package home

import (
	"context"
	"fmt"

	"github.com/bobbinhq/bobbin/workflow"
)

// MayOpen reports whether a form may be opened for the user who pressed its button: an approval with limits
// for people who may approve, and the choice of a repository or a branch also for the requester. Everybody
// who may take part may correct, and read details. What is sent with a form is judged again.
func (h *Homes) MayOpen(ctx context.Context, user string, f workflow.Form) (bool, error) {
	choice := f.ActionID == workflow.ButtonRepository || f.ActionID == workflow.ButtonBase
	if f.ActionID != workflow.ButtonFixLimited && !choice {
		return true, nil
	}
	s, err := h.Store.Session(ctx, f.Session)
	if err != nil {
		return false, fmt.Errorf("who may open a form: %w", err)
	}
	p, err := h.Directory.Known(ctx, user)
	if err != nil {
		return false, fmt.Errorf("who opens a form: %w", err)
	}
	p.InThread = true // who presses a button reads its channel
	if choice && user == s.Requester && !p.Guest && p.ExclusionReason() == "" {
		return true, nil
	}
	if choice {
		s.Requester = "" // a choice is no approval of the request
	}
	return h.mayApprove(ctx, s, p, map[string][]string{}), nil
}
