package orchestrator

import (
	"context"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// A sharedCause is what the program says and does about a cause of which a part lies in other repositories.
type sharedCause struct {
	notes   []string
	buttons []workflow.Button
	parts   []store.Part
}

// sharedCause looks for other repositories among the places of a report's cause, if one of its own
// repository is there, too. Each of them gets a part of the thread: at once if a person named it there, and
// otherwise with a button.
func (l *Tools) sharedCause(ctx context.Context, r *workflow.Report) (shared sharedCause, err error) {
	p := l.Trees.Current()
	g := findings.GroundsOf(*r)
	cause := g.Cause + "\n" + g.RootCause
	s := l.Session()
	if s.PartOf != "" || r.Kind == workflow.ReportReview || p.CauseIn(cause) != nil {
		return shared, nil
	}
	names := p.CausesAlsoIn(cause)
	if len(names) == 0 {
		return shared, nil
	}
	parts, err := l.Inbox().Parts(ctx)
	if err != nil {
		return shared, err
	}
	noted, err := l.Inbox().NoteKeys(ctx, workflow.KeyOfReference)
	if err != nil {
		return shared, err
	}
	for _, name := range names {
		begun := slices.ContainsFunc(parts, func(t inbox.ThreadPart) bool { return t.Repository == name })
		asked := slices.ContainsFunc(noted, func(key string) bool {
			return strings.HasSuffix(key, ":also "+strings.ToLower(name))
		})
		shared.notes = append(shared.notes, p.Others[name].Shares(s.Repository, begun || asked))
		switch {
		case begun:
		case asked:
			shared.parts = append(shared.parts, inbox.NewPart{
				Repository: name,
				Found:      prompt.PartBrief(s.Repository, name, r.Text),
			})
		default:
			shared.buttons = append(shared.buttons, workflow.Button{
				ActionID: workflow.ButtonPart,
				Label:    worktree.PartLabel(name),
				Value:    store.NewToken(),
				Means:    name,
			})
		}
	}
	return shared, nil
}
