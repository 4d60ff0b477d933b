package ledger

import (
	"context"
	"log/slog"
	"sync"

	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/metrics"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
)

// A Ledger is one session's rows under this turn: what a turn reads, what it records with
// secrets masked, and what the program itself says in the thread.
type Ledger struct {
	*store.Turn
	Store   *store.Store
	Slack   Slack
	Agents  map[string]agent.Agent // whose names lines are signed with
	Secrets *redact.Finder         // what the program was given; nil: nothing is masked
	Dir     string                 // the sessions' folders
	Log     *slog.Logger
	Metrics *metrics.Metrics // nil: nothing is counted

	mu     sync.Mutex      // over what follows
	warned map[string]bool // the kinds of line that the thread was told once
	hidden *redact.Finder  // Secrets, and those of the repository; nil before it is open
	// locate finds the lines of code that a text names; nil before the repository is open.
	locate func(text string) *outgoing.Code
}

// PersonName is what agents call a person: the id where there is no name.
func (l *Ledger) PersonName(ctx context.Context, user string) string {
	if p, err := l.Slack.Person(ctx, l.Session().Thread, user); err == nil && p.Name != "" {
		return prompt.PersonName(p.Name)
	}
	return prompt.PersonName(user)
}
