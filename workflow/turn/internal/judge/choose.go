package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// chooseRepository changes the session's repository, as refuseChoice allows it.
func (j *Judge) chooseRepository(
	ctx context.Context, m intent.Message, p workflow.Person, name string,
) ([]store.Part, error) {
	s := j.Session()
	no, err := j.refuseChoice(ctx, m, p, name, workflow.DecideRepository)
	switch {
	case err != nil || no != nil:
		return no, err
	case name == s.Repository:
		return j.Answer(m, fmt.Sprintf("It is about %s already.", name)), nil
	}
	said := fmt.Sprintf("%s chose the repository %s.", p.Name, name)
	told := fmt.Sprintf("%s chose the repository %s.", prompt.PersonName(p.Name), name)
	if s.Repository != "" {
		said = fmt.Sprintf("%s chose the repository %s instead of %s.", p.Name, name, s.Repository)
		told = fmt.Sprintf("%s chose the repository %s instead of %s. %s", prompt.PersonName(p.Name), name,
			s.Repository, beginAgain(s.Repository, name))
	}
	f, err := j.chosen(ctx, m, p, told, choice{workflow.DecideRepository, name, func(s *workflow.Session) {
		s.Repository = name
		s.BaseBranch = ""
		s.Pull = 0
		s.PullInto = ""
	}})
	if err != nil {
		return nil, err
	}
	return append(f, store.Lines(j.ProgramLine(said))), nil
}

// chooseNamedBase changes the branch or tag that the session's work starts from to the one that a message
// names. Nothing changes if there is none of that name.
func (j *Judge) chooseNamedBase(
	ctx context.Context, m intent.Message, p workflow.Person,
) ([]store.Part, error) {
	no, err := j.refuseChoice(ctx, m, p, j.Session().Repository, workflow.DecideBase)
	if err != nil || no != nil {
		return no, err
	}
	base, err := j.Catalog.BaseNamed(ctx, m.Says.Branch)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		j.Log.Warn("a branch cannot be looked up", "err", err)
		base.Said = "I cannot look up branches at the moment. Nothing changed; write it again later."
	}
	if base.Name == "" {
		return j.Answer(m, base.Said), nil
	}
	return j.takeBase(ctx, m, p, base)
}

// chooseBase changes the branch or tag that the session's work starts from, as refuseChoice allows it.
func (j *Judge) chooseBase(
	ctx context.Context, m intent.Message, p workflow.Person, name string,
) ([]store.Part, error) {
	no, err := j.refuseChoice(ctx, m, p, j.Session().Repository, workflow.DecideBase)
	if err != nil || no != nil {
		return no, err
	}
	return j.takeBase(ctx, m, p, catalog.Base{Name: name})
}

// takeBase changes it, if the session does not start from there already.
func (j *Judge) takeBase(
	ctx context.Context, m intent.Message, p workflow.Person, base catalog.Base,
) ([]store.Part, error) {
	name := base.Name
	if j.Catalog.IsBaseNow(ctx, name) {
		return j.Answer(m, fmt.Sprintf("It starts from %s already.", plaintext.CodeSpan(name))), nil
	}
	s := j.Session()
	branch := prompt.PersonName(name)
	told := fmt.Sprintf("%s chose the branch %s of %s. %s", prompt.PersonName(p.Name), branch, s.Repository,
		beginAgain("the branch before", branch))
	f, err := j.chosen(ctx, m, p, told, choice{
		workflow.DecideBase, name,
		func(s *workflow.Session) {
			s.BaseBranch = name
			s.Pull = base.Pull
			s.PullInto = base.Into
		},
	})
	if err != nil {
		return nil, err
	}
	return append(f, store.Lines(j.ProgramLine(fmt.Sprintf("%s chose the branch %s.", p.Name,
		plaintext.CodeSpan(name))))), nil
}

// beginAgain tells agents that what they know is of something else.
func beginAgain(before, now string) string {
	return fmt.Sprintf("Whatever you read, ran and reported so far is of %s and counts no more: your tools "+
		"look at %s from here on. Begin again with its files, its AGENTS.md first if it has one.",
		before, now)
}

// refuseChoice returns the refusal of a choice of the repository, or of a branch of it, or nothing if it may
// be made. The requester (unless a guest) and people who may approve can choose, as long as nothing was
// approved.
func (j *Judge) refuseChoice(
	ctx context.Context, m intent.Message, p workflow.Person, repository string, what workflow.DecisionKind,
) ([]store.Part, error) {
	s := j.Session()
	refused := func(reason, said string) ([]store.Part, error) {
		return j.Refuse(m, p, what, reason, said), nil
	}
	parts, err := j.Inbox().Parts(ctx)
	if err != nil {
		return nil, err
	}
	approvers, err := j.Permissions.Approvers(ctx)
	if approvers.Missing != "" { // then nobody may approve here until another one is chosen
		approvers, err = j.Permissions.ApproversOf(ctx, repository)
	}
	if err != nil {
		return nil, err
	}
	switch reason := approvers.MayApprove(p, ""); {
	case !slices.Contains(j.Catalog.Names(), repository):
		return refused("not configured", fmt.Sprintf("There is no repository %q here. There are: %s.",
			repository, strings.Join(j.Catalog.Names(), ", ")))
	case reason != "" && (p.ID != s.Requester || p.Guest):
		return refused(reason, fmt.Sprintf("Only the person who asked, or an approver, can choose this (%s).",
			reason))
	case s.PartOf != "" && what == workflow.DecideRepository:
		return refused("a part of a thread", fmt.Sprintf("This part of the thread is about %s. Write it "+
			"without the name of a repository before it.", s.Repository))
	case repository != s.Repository && hasPart(parts, repository):
		return refused("it has a part", fmt.Sprintf("There is a part for %s in this thread. Write to it: "+
			"`%s: …`", repository, repository))
	case s.Branch != "" && what == workflow.DecideBase:
		if freed, err := j.freedFromPull(ctx); freed || err != nil {
			return nil, err
		}
		return refused("work was approved", "The work was approved for one branch already. For another one, "+
			"please begin another thread, or reply `bring it to NAME` when it is pushed.")
	case s.Branch != "":
		return refused("work was approved",
			fmt.Sprintf("The work was approved for %s already. For %s, please begin another thread.",
				s.Repository, repository))
	}
	return nil, nil
}

// freedFromPull reports whether approved work may begin again on another branch: it was for a pull request
// that takes nothing any more, and nothing was pushed.
func (j *Judge) freedFromPull(ctx context.Context) (bool, error) {
	if s := j.Session(); s.Pull == 0 || s.Head != "" {
		return false, nil
	}
	if a, err := j.StandingApproval(ctx); err != nil || a != nil {
		if begun, err := j.Objections.TooLate(ctx, a.ID); begun != "" || err != nil {
			return false, err
		}
	}
	state, err := j.Catalog.PullState(ctx)
	return state.Gone != "", err
}

// A choice is a repository or a branch that a person chose.
type choice struct {
	what   workflow.DecisionKind
	name   string
	change func(*workflow.Session)
}

// chosen returns the parts of a choice. Everything that was read and reported is about what was chosen
// earlier, and its revision cannot be approved any more, since the session then has another base commit. What
// was approved and changed for that is given up.
func (j *Judge) chosen(
	ctx context.Context, m intent.Message, p workflow.Person, told string, c choice,
) ([]store.Part, error) {
	f := j.ForAgents(m, told)
	ledger.Change(f, func(u *store.Update) {
		u.Change = func(s *workflow.Session) {
			c.change(s)
			s.BaseCommit = ""
			s.Branch = ""
			s.Voided = s.Revision
		}
	})
	if j.Session().Branch != "" {
		tasks, err := j.Store.Tasks(ctx, j.Session().ID, "")
		if err != nil {
			return nil, err
		}
		for _, k := range tasks {
			k.State = workflow.TaskDropped
			k.StartTree = ""
			f = append(f, progress.Task{Task: k})
		}
		f = append(f, progress.NoSnapshot{})
	}
	return append(f, consent.Decision{
		What:      c.what,
		Allowed:   true,
		Reason:    c.name,
		User:      p.ID,
		MessageTS: m.TS,
		Revision:  j.Session().Revision,
	}), nil
}
