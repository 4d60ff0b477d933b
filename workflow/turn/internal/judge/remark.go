package judge

import (
	"context"
	"fmt"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// afterPush judges the events of a pull request.
type afterPush struct{ *Judge }

// judgeRemark judges a remark on the pull request. It is given to the agents if the configuration maps
// the author's login to a person whose messages in the thread would count; otherwise it is held. It
// permits nothing, stops nothing and answers nothing, because Slack cannot say who uses a login at the
// git host.
func (a afterPush) judgeRemark(ctx context.Context, m intent.Message) ([]store.Part, error) {
	if m.Says.Acknowledges {
		return a.Ignore(m), nil
	}
	on, release, err := a.Catalog.RemarkedOn(ctx, m.Message)
	if err != nil {
		return nil, err
	}
	if m.User == "" {
		return a.Held.HoldRemark(ctx, m, on, "nobody here is known by that login")
	}
	p, err := a.Slack.Person(ctx, a.Session().Thread, m.User)
	if err != nil {
		return nil, fmt.Errorf("read who wrote: %w", err)
	}
	why := p.ExclusionReason()
	if why == "" {
		if why, err = a.Permissions.HoldReason(ctx, p); err != nil {
			return nil, err
		}
	}
	if why == "" && a.Session().Phase == workflow.PhaseStopped {
		why = "the work is stopped"
	}
	if why != "" {
		return a.Held.HoldRemark(ctx, m, on, why)
	}
	where := ""
	if m.ActionID != "" {
		where = ", at " + prompt.FileName(string(m.ActionID))
	}
	corrects := "what was pushed"
	said := fmt.Sprintf("%s wrote on %s%s: %s", p.Name, on, plaintext.OneLine(where), quoteLine(m.Text))
	if release != "" {
		corrects = "what was brought to that release, whose branch you cannot change; what holds for the " +
			"change itself you can report, and once that is pushed people bring it there, too"
		said += "\n" + workflow.FixBackport(release)
	}
	f := a.ForAgents(m, fmt.Sprintf("%s wrote on %s%s. It corrects %s, and allows nothing: "+
		"what it asks for needs a report or a request that somebody approves.\n%s",
		prompt.PersonName(p.Name), on, where, corrects, prompt.Fence("message", m.Text)))
	return append(f, store.Lines(a.ProgramLine(said))), nil
}

// judgeOutcome judges a press that says whether a merged change works. "Still broken" opens the session
// again.
func (a afterPush) judgeOutcome(m intent.Message, p workflow.Person) []store.Part {
	if m.ActionID == workflow.ButtonWorks {
		return a.Answer(m, fmt.Sprintf("%s says that it works. Thank you.", p.Name))
	}
	f := a.ForAgents(m, fmt.Sprintf("%s says that it is still broken, after what was pushed was merged. "+
		"What was reported, tried and proven before is above. Look at the code as it is now, "+
		"say what is known by now, and find out what is left.", prompt.PersonName(p.Name)))
	return append(f,
		store.Lines(a.ProgramLine(fmt.Sprintf("%s says that it is still broken. I look again.", p.Name))))
}
