package judge

import (
	"context"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/approval"
)

// consentHere is what the consent of a message means where it stands in the thread.
type consentHere struct {
	intent.Consent
	unclear bool // it may have been meant as an approval of what waits
}

// consentInContext corrects what words of consent mean by their context: a bare "yes" may answer another
// person, loose words are no consent if nothing waits for one, and a limit during approved work is a
// correction. "Yes please do this" right below a restated request approves it; where somebody wrote in
// between, or where the words do not say to build it ("please look into that"), they may mean something else.
func (j *Judge) consentInContext(ctx context.Context, c *Case) (consentHere, error) {
	meant, err := j.consentMeant(ctx, c)
	if err != nil {
		return consentHere{}, err
	}
	here := consentHere{Consent: meant}
	here.unclear = meant.Kind == intent.ConsentUnclear && c.awaitsConsent()
	if meant.Consents() && c.awaitsConsent() {
		here.unclear, err = j.Approvals.TalkAbove(ctx, c.Message)
	}
	return here, err
}

// consentMeant returns what a message consents to, in its context.
func (j *Judge) consentMeant(ctx context.Context, c *Case) (intent.Consent, error) {
	consent := c.says().Consent
	nothingWaits, err := j.nothingWaits(ctx, c)
	if err != nil {
		return consent, err
	}
	restated := c.awaitsConsent() && c.Session.ReportKind == workflow.ReportRequest
	switch {
	case !consent.Consents() && restated && c.says().Adopts:
		talk, err := j.Approvals.WroteSince(ctx, c.Message, "")
		if err != nil {
			return consent, err
		}
		if !talk && c.says().AdoptsToBuild {
			return intent.Consent{Kind: intent.ConsentApprove}, nil
		}
		return intent.Consent{Kind: intent.ConsentUnclear}, nil
	case consent.Kind == intent.ConsentScoped && c.Session.Phase.MayWrite(), nothingWaits:
		consent.Kind = intent.ConsentNone
	case consent.WithoutGoAhead:
		talk, err := j.Approvals.WroteSince(ctx, c.Message, c.Message.User)
		if err != nil {
			return consent, err
		}
		if talk {
			consent.Kind = intent.ConsentUnclear
		}
	}
	return consent, nil
}

// nothingWaits reports whether the consent is one only of what waits for it, and nothing does.
func (j *Judge) nothingWaits(ctx context.Context, c *Case) (bool, error) {
	if !c.says().Consent.NeedsWaitingReport || c.awaitsConsent() {
		return false, nil
	}
	if reading, err := j.Approvals.ReadsRemarks(ctx); reading || err != nil {
		return false, err
	}
	stopped, err := j.Approvals.StoppedReport(ctx)
	return !stopped, err
}

// narrows returns how the message narrows approved work: its writer may approve, and it sets a limit ("only
// cart/price.go"). It returns nil for any other message. Where others talk above it, "only in production" may
// answer a colleague.
func (j *Judge) narrows(ctx context.Context, c *Case) (*approval.Narrowing, error) {
	s := c.Session
	if c.says().Limit == "" || s.Revision == 0 || c.awaitsConsent() {
		return nil, nil
	}
	a, err := j.Store.Approval(ctx, s.ID, s.Revision)
	if err != nil || a == nil {
		return nil, err
	}
	may := get(c, &c.mayApprove)
	if may.err != nil || may.why != "" || get(c, &c.talkBelow) {
		return nil, may.err
	}
	return j.Approvals.Narrows(ctx, a)
}

// approve judges a consent as the approval of the newest revision, with the limit of the question that it
// answers.
func (j *Judge) approve(ctx context.Context, c *Case) ([]store.Part, error) {
	scope := get(c, &c.consent).Scope
	if scope == "" && c.awaitsConsent() {
		var err error
		if scope, err = j.Approvals.LimitAsked(ctx, c.Message); err != nil {
			return nil, err
		}
	}
	return j.Approvals.Approve(ctx, c.Message, c.person(), c.Session.Revision, scope)
}

// askConsent asks whether a message was meant as an approval. A message that names no limit keeps that of the
// question that it answers.
func (j *Judge) askConsent(ctx context.Context, c *Case) ([]store.Part, error) {
	if err := get(c, &c.mayApprove).err; err != nil {
		return j.Approvals.RefuseUnknown(c.Message, err)
	}
	meant := get(c, &c.consent).Consent
	if meant.Scope == "" {
		var err error
		if meant.Scope, err = j.Approvals.LimitAsked(ctx, c.Message); err != nil {
			return nil, err
		}
	}
	return j.Approvals.AskConsent(ctx, c.Message, c.person(), meant), nil
}

// asksForPush reports whether words for a push are to be judged: the question waits, or they say "all the
// same" of approved work before it is asked, which is answered.
func (j *Judge) asksForPush(ctx context.Context, c *Case) (bool, error) {
	w, err := j.Approvals.PendingAllowance(ctx)
	if err != nil || w != nil || !c.says().Push.AllTheSame {
		return w != nil, err
	}
	return get(c, &c.approved) != nil, nil
}
