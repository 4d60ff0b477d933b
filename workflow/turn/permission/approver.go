package permission

import (
	"context"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/incoming"
	"github.com/bobbinhq/bobbin/workflow/permit"
	"github.com/bobbinhq/bobbin/workflow/turn/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
)

// Permissions decide who may approve here, and whose asking permits what is built.
type Permissions struct {
	*ledger.Ledger
	Catalog *catalog.Catalog
	Rule    AskRule // nil: askedBy; a control has another
}

// Asker is who asked for what is said back, and may approve it.
type Asker struct {
	Message incoming.Message
	Person  workflow.Person
	RestsOn []int64 // every message that the request is made of
}

// An AskRule says whose asking permits what is said back.
type AskRule func(*Permissions, context.Context) (by *Asker, why string, err error)

// ExclusionReason: guests may add to a thread but not start one; strangers and bots may not.
func ExclusionReason(p workflow.Person) string {
	switch {
	case p.Bot:
		return "bots are not heard"
	case p.Stranger:
		return "people from outside this workspace are not heard here"
	case p.Deleted:
		return "that account is deactivated"
	}
	return ""
}

// WhoAllows says in words whose "go on" counts.
func (ps *Permissions) WhoAllows(ctx context.Context) string {
	a, err := ps.Approvers(ctx)
	if err != nil {
		r, _ := ps.Catalog.Current()
		a = r.Approvers
	}
	return a.Who()
}

// Approvers is whose word counts here, with user groups read afresh.
func (ps *Permissions) Approvers(ctx context.Context) (permit.Approvers, error) {
	r, _ := ps.Catalog.Current()
	a := r.Approvers
	a.People = nil
	for _, id := range r.Approvers.People {
		if !strings.HasPrefix(id, "S") {
			a.People = append(a.People, id)
			continue
		}
		users, err := ps.Slack.Group(ctx, id)
		if err != nil {
			return a, fmt.Errorf("read the approvers of group %s: %w", id, err)
		}
		// An empty group must not read as "nobody is named".
		a.People = append(append(a.People, id), users...)
	}
	return a, nil
}

// Callable is the id of whoever has that address, if it is a full member who is in the thread's
// channel; empty: nobody is. The error is that Slack does not tell who has an address.
func Callable(ctx context.Context, slack ledger.Slack, thread workflow.Thread, address string) (id string, err error) {
	if !strings.Contains(address, "@") {
		return "", nil
	}
	if id, err = slack.ByEmail(ctx, address); id == "" || err != nil {
		return "", err
	}
	p, err := slack.Person(ctx, thread, id)
	if err != nil || ExclusionReason(p) != "" || p.Guest || !p.InThread {
		return "", nil
	}
	return id, nil
}
