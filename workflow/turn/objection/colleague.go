package objection

import (
	"context"
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/incoming"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/permit"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// AddToColleague adds to the parts f of a message that is said to another person what it has against approved
// work. Nobody is answered: the question before the push names it.
func (o *Objections) AddToColleague(
	ctx context.Context, m incoming.Message, p workflow.Person, f []store.Part,
) ([]store.Part, error) {
	if permits(f) || stops(f) {
		return f, nil
	}
	a, err := o.StandingApproval(ctx)
	if err != nil || a == nil || !o.refusesToColleague(m.Text, a) {
		return f, err
	}
	return append(f, o.objection(ctx, m, p, a, permit.ByMessage), o.decided(m, p, "said to a colleague")), nil
}

// RefusesToColleague reports whether a message that is said to another person has something against approved work.
func (o *Objections) RefusesToColleague(ctx context.Context, m incoming.Message) (bool, error) {
	a, err := o.StandingApproval(ctx)
	return a != nil && o.refusesToColleague(m.Text, a), err
}

// refusesToColleague reports whether words that are said to another person have something against approved work.
// To the person who approved it, a single "stop" or "no" does; people answer each other with that, too.
func (o *Objections) refusesToColleague(text string, a *permit.Approval) bool {
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
