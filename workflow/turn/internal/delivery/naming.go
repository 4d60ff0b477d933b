package delivery

import (
	"context"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/proposal"
)

// names are how the house wants a change to be named.
type names struct {
	form    repository.NameForm
	values  map[string]string // of the placeholders in a title, other than the summary
	tickets []proposal.TicketLine
}

const (
	maxSubject = 72
	maxHeading = 200
)

// message returns the message of the commit with its first line in the house's form. allowed is false if the
// pattern refuses it.
func (n names) message(text string) (named string, allowed bool) {
	subject, body, _ := strings.Cut(text, "\n")
	subject, allowed = n.form.Title(subject, n.values, maxSubject, plaintext.CutWords)
	return strings.TrimSpace(subject + "\n" + body), allowed
}

// heading returns the title of the pull request in the house's form.
func (n names) heading(text string) string {
	title, _ := n.form.Title(text, n.values, maxHeading, plaintext.CutWords)
	return title
}

// findNames returns how the change is named.
func (d *Delivery) findNames(ctx context.Context, work provenWork) (n names, err error) {
	r := d.Catalog.Configured(d.Session().Repository)
	of, named, err := d.Catalog.WorkTickets(ctx)
	if err != nil {
		return n, err
	}
	n.form = r.Naming.Title
	n.values = d.Catalog.TitleValues(of, r.ScopeOf(codePaths(work)))
	for _, t := range named {
		n.tickets = append(n.tickets, ticketLine(t))
	}
	return n, nil
}

func ticketLine(t catalog.Ticket) proposal.TicketLine {
	return proposal.TicketLine{Name: t.Name, Closes: t.Closes, By: t.By}
}

// codePaths returns the paths of the changed files.
func codePaths(work provenWork) (paths []string) {
	for _, c := range work.changes {
		paths = append(paths, c.Path)
	}
	return paths
}

// titlesTried is how many titles of the orchestrator may be refused before the title of the work is used.
const titlesTried = 2

// holdTitle returns the result of the work with a title that the pattern allows, or refuses it: the
// orchestrator is asked for another one, and then people.
func (d *Delivery) holdTitle(
	ctx context.Context, work provenWork, f decision.Finish,
) (provenWork, decision.Finish, error) {
	var err error
	if work.names, err = d.findNames(ctx, work); err != nil {
		return work, f, err
	}
	fallback, err := d.Catalog.WorkTitle(ctx)
	if err != nil {
		return work, f, err
	}
	message, allowed := work.names.message(proposal.CommitMessage(f.Title, f.Summary, fallback))
	if allowed {
		return work, f, nil
	}
	subject, _, _ := strings.Cut(message, "\n")
	pattern := work.names.form.Pattern.String()
	if d.refusedTitles++; d.refusedTitles <= titlesTried {
		return work, f, prompt.NewRefusal("Refused: the commit would be titled %q, which the house's "+
			"pattern %q does not allow. Call finish again with another title.", subject, pattern)
	}
	if _, allowed = work.names.message(proposal.CommitMessage(fallback, f.Summary, fallback)); allowed {
		f.Title = fallback
		return work, f, nil
	}
	said := fmt.Sprintf("The work is ready, but no title for its commit is allowed: %s does not match "+
		"`title_pattern` (%s). Nothing was pushed, and the approval stands. When my operator has changed "+
		"`title` or `title_pattern`, reply \"push again\".", plaintext.CodeSpan(subject),
		plaintext.CodeSpan(pattern))
	return work, f, &prompt.Refusal{Result: ledger.WithParts(
		model.Result{Text: "Not pushed: no title is allowed. The thread was told.", Ends: true},
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: ledger.Rest},
		store.Lines(d.ProgramLine(said)))}
}
