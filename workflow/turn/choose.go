package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// errMoved ends what goes on in a repository that the session is not about any more.
var errMoved = errors.New("a person chose another repository")

// otherRepository is the button that asks for another repository: where there are several, and no
// work was approved yet. Its row holds what there is to choose from.
func (c *Catalog) otherRepository(label string) []workflow.Button {
	if len(c.Repositories) < 2 || len(c.repositories()) < 2 || c.Session().Branch != "" {
		return nil
	}
	return []workflow.Button{{ActionID: workflow.ActionRepository, Label: label, Value: store.NewToken(), Means: strings.Join(c.repositoryNames(), "\n")}}
}

func (c *Catalog) repositoryNames() (names []string) {
	for _, r := range c.repositories() {
		names = append(names, r.Name)
	}
	return names
}

// repositoryButtons are one for each, where no modal opened.
func (c *Catalog) repositoryButtons() (buttons []workflow.Button) {
	for _, name := range c.repositoryNames() {
		buttons = append(buttons, workflow.Button{ActionID: workflow.ActionChoose, Label: name, Value: store.NewToken(), Means: name})
	}
	return buttons
}

// choseRepository lets the session be about another repository. Whoever asked for the work
// may choose, and whoever may approve it, while nothing was approved. What was read and
// reported is of the repository before: its revision cannot be approved any more, since the
// commit that it was made on is not the session's.
func (in *Intake) choseRepository(ctx context.Context, m workflow.Message, p workflow.Person, name string) ([]store.Part, error) {
	s := in.Session()
	refused := func(reason, said string) ([]store.Part, error) {
		return in.Approvals.refuse(m, p, "repository", reason, said), nil
	}
	approvers, err := in.Permissions.approvers(ctx)
	if err != nil {
		return nil, err
	}
	switch reason := approvers.MayApprove(p, ""); {
	case !slices.Contains(in.Catalog.repositoryNames(), name):
		return refused("not configured", fmt.Sprintf("There is no repository %q any more. There are: %s.", name, strings.Join(in.Catalog.repositoryNames(), ", ")))
	case reason != "" && (p.ID != s.Requester || p.Guest):
		return refused(reason, fmt.Sprintf("%s, I cannot take your choice: %s. Whoever asked can choose, and whoever may approve. %s", p.Name, reason, approvers.Who()))
	case s.Branch != "":
		return refused("work was approved", fmt.Sprintf("The work was approved for %s already. For %s, please begin another thread.", s.Repository, name))
	case name == s.Repository:
		return in.Approvals.answer(m, fmt.Sprintf("It is about %s already.", name)), nil
	}
	said, told := fmt.Sprintf("%s chose the repository %s.", p.Name, name), fmt.Sprintf("%s chose the repository %s.", called(p.Name), name)
	if s.Repository != "" {
		said = fmt.Sprintf("%s chose the repository %s instead of %s.", p.Name, name, s.Repository)
		told = fmt.Sprintf("%s chose the repository %s instead of %s. Whatever you read, ran and reported so far is of %s and counts no more: your tools look at %s from here on. Begin again with its files, its AGENTS.md first if it has one.",
			called(p.Name), name, s.Repository, s.Repository, name)
	}
	f := in.Approvals.forAgents(m, told)
	f = append(f, store.Lines(in.program(said)))
	change(f, func(u *store.Update) {
		u.Change = func(s *workflow.Session) { s.Repository, s.BaseCommit = name, "" }
	})
	f = append(f, store.Decision{What: "repository", Allowed: true, Reason: name, User: p.ID, MessageTS: m.TS, Revision: s.Revision})
	return f, nil
}
