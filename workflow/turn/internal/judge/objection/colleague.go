package objection

import (
	"context"
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// RefusedToColleague returns the standing approval if a message that is said to another person has something
// against the work, or nil.
func (o *Objections) RefusedToColleague(ctx context.Context, m workflow.Message) (*workflow.Approval, error) {
	a, err := o.StandingApproval(ctx)
	if err != nil || a == nil || !o.refusesToColleague(m.Text, a) {
		return nil, err
	}
	return a, nil
}

// ToColleague returns the parts of what a message that is said to another person has against the work that a
// permits. Nobody is answered: the question before the push names it.
func (o *Objections) ToColleague(
	ctx context.Context, m workflow.Message, p workflow.Person, a *workflow.Approval,
) []store.Part {
	return []store.Part{o.objection(ctx, m, p, a, workflow.ObjectionByMessage), o.decided(m, p, "said to a colleague")}
}

// refusesToColleague reports whether words that are said to another person have something against approved work.
// To the person who approved it, a single "stop" or "no" does; people answer each other with that, too.
func (o *Objections) refusesToColleague(text string, a *workflow.Approval) bool {
	if said, toApprover := saidTo(text, a.User, a.UserName); toApprover {
		return o.Words.ReadRefusal(said) != intent.RefusalNone
	}
	return o.Words.ReadRefusalToColleague(text) != intent.RefusalNone
}

// saidTo reports whether a text mentions a person, or begins or ends with the person's name, and returns the text
// without that.
func saidTo(text, user, name string) (rest string, ok bool) {
	names := `<@` + regexp.QuoteMeta(user) + `(?:\|[^>]*)?>[,:]?`
	if name = strings.TrimSpace(name); name != "" {
		quoted := regexp.QuoteMeta(name)
		names += `|^\s*(?:(?i:hey|hi|sorry|no|ok|please)[, ]+)?(?i:@?` + quoted + `)[,:]?(?:\s|$)|` +
			`,\s*(?i:@?` + quoted + `)[.!]*\s*$`
	}
	at := regexp.MustCompile(names)
	if !at.MatchString(text) {
		return text, false
	}
	return strings.TrimSpace(at.ReplaceAllString(text, " ")), true
}
