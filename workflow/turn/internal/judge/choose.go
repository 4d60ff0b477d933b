package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// chooseRepository changes the session's repository. The requester (unless a guest) and people who may
// approve can choose, as long as nothing was approved. Everything that was read and reported is about
// the earlier repository, and its revision cannot be approved any more, since the session then has
// another base commit.
func (j *Judge) chooseRepository(
	ctx context.Context, m intent.Message, p workflow.Person, name string,
) ([]store.Part, error) {
	s := j.Session()
	refused := func(reason, said string) ([]store.Part, error) {
		return j.Refuse(m, p, workflow.DecideRepository, reason, said), nil
	}
	approvers, err := j.Permissions.Approvers(ctx)
	if approvers.Missing != "" { // then nobody may approve here until another one is chosen
		approvers, err = j.Permissions.ApproversOf(ctx, name)
	}
	if err != nil {
		return nil, err
	}
	switch reason := approvers.MayApprove(p, ""); {
	case !slices.Contains(j.Catalog.Names(), name):
		return refused("not configured", fmt.Sprintf("There is no repository %q any more. There are: %s.",
			name, strings.Join(j.Catalog.Names(), ", ")))
	case reason != "" && (p.ID != s.Requester || p.Guest):
		return refused(reason, fmt.Sprintf("%s, I cannot take your choice: %s. "+
			"The person who asked can choose, and so can approvers. %s", p.Name, reason, approvers.Who()))
	case s.Branch != "":
		return refused("work was approved",
			fmt.Sprintf("The work was approved for %s already. For %s, please begin another thread.",
				s.Repository, name))
	case name == s.Repository:
		return j.Answer(m, fmt.Sprintf("It is about %s already.", name)), nil
	}
	said := fmt.Sprintf("%s chose the repository %s.", p.Name, name)
	told := fmt.Sprintf("%s chose the repository %s.", prompt.PersonName(p.Name), name)
	if s.Repository != "" {
		said = fmt.Sprintf("%s chose the repository %s instead of %s.", p.Name, name, s.Repository)
		told = fmt.Sprintf("%s chose the repository %s instead of %s. Whatever you read, "+
			"ran and reported so far is of %s and counts no more: your tools look at %s from here on. "+
			"Begin again with its files, its AGENTS.md first if it has one.",
			prompt.PersonName(p.Name), name, s.Repository, s.Repository, name)
	}
	f := j.ForAgents(m, told)
	f = append(f, store.Lines(j.ProgramLine(said)))
	ledger.Change(f, func(u *store.Update) {
		u.Change = func(s *workflow.Session) {
			s.Repository = name
			s.BaseCommit = ""
		}
	})
	f = append(f, consent.Decision{
		What:      workflow.DecideRepository,
		Allowed:   true,
		Reason:    name,
		User:      p.ID,
		MessageTS: m.TS,
		Revision:  s.Revision,
	})
	return f, nil
}
