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
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/proposal"
)

// names are how the team wants a change to be named.
type names struct {
	form    repository.NameForm
	values  map[string]string // of the placeholders in a title, other than the summary
	tickets []proposal.TicketLine
}

const (
	maxSubject = 72
	maxHeading = 200
)

// message returns the message of the commit with its first line in the team's form. allowed is false if the
// pattern refuses it.
func (n names) message(text string) (named string, allowed bool) {
	subject, body, _ := strings.Cut(text, "\n")
	subject, allowed = n.form.Title(subject, n.values, maxSubject, plaintext.CutWords)
	return strings.TrimSpace(subject + "\n" + body), allowed
}

// heading returns the title of the pull request in the team's form.
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
	if work.words.discretion.Neutral {
		return n.withoutTicket(d.Catalog.TitleValues(catalog.Ticket{}, r.ScopeOf(codePaths(work))), work), nil
	}
	for _, t := range named {
		n.tickets = append(n.tickets, ticketLine(t))
	}
	return n, nil
}

// withoutTicket returns the names with these values, unless only those with the ticket make a title that the
// house's pattern allows.
func (n names) withoutTicket(values map[string]string, work provenWork) names {
	bare := n
	bare.values = values
	if _, allowed := bare.message(work.words.title); allowed {
		return bare
	}
	return n
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

// holdTitle returns the work with a title that the pattern allows, or refuses it: the
// orchestrator is asked for another one, and then people.
func (d *Delivery) holdTitle(
	ctx context.Context, work provenWork,
) (provenWork, error) {
	var err error
	if work.names, err = d.findNames(ctx, work); err != nil || work.merge != nil {
		return work, err
	}
	fallback, err := d.Catalog.WorkTitle(ctx)
	if err != nil {
		return work, err
	}
	fallback = work.words.discretion.WithoutPeople(fallback)
	message, allowed := work.names.message(proposal.CommitMessage(work.words.title, work.words.summary,
		fallback))
	if allowed {
		return work, nil
	}
	subject, _, _ := strings.Cut(message, "\n")
	pattern := work.names.form.Pattern.String()
	if work.words.discretion.Neutral {
		return work, d.refuseTitle(subject, pattern)
	}
	if d.refusedTitles++; d.refusedTitles <= titlesTried {
		return work, prompt.NewRefusal("Refused: the commit would be titled %q, which title_pattern "+
			"(%q) does not allow. Call finish again with another title.", subject, pattern)
	}
	if _, allowed = work.names.message(proposal.CommitMessage(fallback, work.words.summary,
		fallback)); allowed {
		work.words.title = fallback
		return work, nil
	}
	return work, d.refuseTitle(subject, pattern)
}

// refuseTitle returns the refusal that tells the thread that no title is allowed.
func (d *Delivery) refuseTitle(subject, pattern string) error {
	said := fmt.Sprintf("The work is ready, but no title for its commit is allowed: %s does not match "+
		"`title_pattern` (%s). Nothing was pushed, and the approval stands. When my operator has changed "+
		"`title` or `title_pattern`, reply \"push again\".", plaintext.CodeSpan(subject),
		plaintext.CodeSpan(pattern))
	return &prompt.Refusal{Result: ledger.WithParts(
		model.Result{Text: "Not pushed: no title is allowed. The thread was told.", Ends: true},
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: ledger.Rest},
		store.Lines(d.ProgramLine(said)))}
}
