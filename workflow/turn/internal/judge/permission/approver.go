package permission

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// Permissions decides who may approve in a session, and whose request permits the work.
type Permissions struct {
	*ledger.Ledger
	Catalog *catalog.Catalog
	Rule    AskRule // nil: AskedBy; a control of a test sets another rule
}

// An Asker is the person who asked for what the bot restates, and who may approve it.
type Asker struct {
	Message workflow.Message
	Person  workflow.Person
	RestsOn []int64 // ids of all messages that the request is made of
}

// An AskRule decides whose request permits what the bot restates.
type AskRule func(*Permissions, context.Context) (by *Asker, why string, err error)

// WhoAllows says in words whose "go on" counts. While Slack does not tell who is in a group, it says what the
// configuration does.
func (ps *Permissions) WhoAllows(ctx context.Context) (string, error) {
	r, ok, err := ps.Catalog.Current(ctx)
	if err != nil {
		return "", err
	}
	if !ok {
		return workflow.Approvers{Missing: ps.Session().Repository}.Who(), nil
	}
	a, err := ps.readApprovers(ctx, r)
	if err != nil {
		ps.Log.Warn("the approvers are named as they are configured", "err", err)
		a = r.Approvers
	}
	if names := ps.ApproverNames(ctx, workflow.Person{}); names != "" {
		return "Only " + names + " can" + a.Limits() + ".", nil
	}
	return a.Who(), nil
}

// ToMention returns whom a line mentions that awaits an approval of what these people asked for: the
// approvers whom the configuration names. If one of the people who asked may approve it, it mentions nobody.
func (ps *Permissions) ToMention(ctx context.Context, asked ...string) ([]string, error) {
	named, err := ps.Catalog.NamedApprovers(ctx)
	if err != nil || len(named) == 0 {
		return nil, err
	}
	a, err := ps.Approvers(ctx)
	if err != nil {
		ps.Log.Warn("groups are mentioned, since Slack does not tell who is in them", "err", err)
	}
	for _, id := range asked {
		if a.OtherThanRequester {
			named = slices.DeleteFunc(named, func(x string) bool { return x == id })
		} else if a.Needed <= 1 && slices.Contains(a.People, id) {
			return nil, nil
		}
	}
	return named, nil
}

// Approvers returns who may approve here, with the members of user groups read anew from Slack. While the
// configuration does not name the session's repository, nobody may, since it does not say who.
func (ps *Permissions) Approvers(ctx context.Context) (workflow.Approvers, error) {
	r, ok, err := ps.Catalog.Current(ctx)
	if err != nil {
		return workflow.Approvers{}, err
	}
	if !ok {
		return workflow.Approvers{Missing: ps.Session().Repository}, nil
	}
	return ps.readApprovers(ctx, r)
}

// ApproversOf returns the same for work on the repository of that name, or the zero value if there is none.
func (ps *Permissions) ApproversOf(ctx context.Context, name string) (workflow.Approvers, error) {
	for _, r := range ps.Catalog.Repositories {
		if r.Name == name {
			return ps.readApprovers(ctx, r)
		}
	}
	return workflow.Approvers{}, nil
}

func (ps *Permissions) readApprovers(
	ctx context.Context, r repository.Repository,
) (workflow.Approvers, error) {
	a := r.Approvers
	people, err := ps.Members(ctx, r.Approvers.People)
	a.People = people
	return a, err
}

// Members returns the ids of people and groups, and those of the members of the groups. The group's own id is
// kept, since an empty list would mean that nobody is named.
func (ps *Permissions) Members(ctx context.Context, named []string) (ids []string, err error) {
	for _, id := range named {
		ids = append(ids, id)
		if !strings.HasPrefix(id, "S") {
			continue
		}
		users, err := ps.Slack.Group(ctx, id)
		if err != nil {
			return ids, fmt.Errorf("read the members of group %s: %w", id, err)
		}
		ids = append(ids, users...)
	}
	return ids, nil
}

// MentionableID returns the id of the person with that email address if it is a full member who is in the
// thread's channel, otherwise an empty string. It fails if Slack does not tell who has the address.
func MentionableID(
	ctx context.Context, slack ledger.Slack, thread workflow.Thread, address string,
) (id string, err error) {
	if !strings.Contains(address, "@") {
		return "", nil
	}
	if id, err = slack.ByEmail(ctx, address); id == "" || err != nil {
		return "", err
	}
	p, err := slack.Person(ctx, thread, id)
	if err != nil || p.ExclusionReason() != "" || p.Guest || !p.InThread {
		return "", nil
	}
	return id, nil
}
