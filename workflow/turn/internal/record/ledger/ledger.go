package ledger

import (
	"context"
	"log/slog"
	"sync"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/metrics"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// A Ledger reads and records one session's rows under the current turn, masks secrets in what it
// records, and makes the lines that the program itself posts.
type Ledger struct {
	*store.Turn
	Store *store.Store
	Slack Slack
	// lines are signed with their names
	Agents map[string]agent.Agent
	// secrets that the program was configured with; nil: nothing is masked
	Secrets *redact.Finder
	// root folder of the sessions' folders
	Dir string
	Log *slog.Logger
	// nil: nothing is counted
	Metrics *metrics.Metrics
	// by which messages are read; the zero value has the built-in words
	Words intent.Lexicon

	// guards the fields below
	mu sync.Mutex
	// the kinds of line that the thread was told once
	warned map[string]bool
	// Secrets and those of the repository; nil before it is open
	hidden *redact.Finder
	// locate finds the lines of code that a text names; nil before the repository is open.
	locate func(text string) *workflow.Code
}

// PersonName returns the name by which agents know a person, or the user id if there is no name.
func (l *Ledger) PersonName(ctx context.Context, user string) string {
	if p, err := l.Slack.Person(ctx, l.Session().Thread, user); err == nil && p.Name != "" {
		return prompt.PersonName(p.Name)
	}
	return prompt.PersonName(user)
}
