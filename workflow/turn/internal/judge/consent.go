package judge

import (
	"context"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
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
func (j *Judge) consentInContext(ctx context.Context, m intent.Message) (consentHere, error) {
	c, err := j.consentMeant(ctx, m)
	if err != nil {
		return consentHere{}, err
	}
	here := consentHere{Consent: c, unclear: c.Kind == intent.ConsentUnclear && j.AwaitsConsent()}
	if c.Consents() && j.AwaitsConsent() {
		here.unclear, err = j.Approvals.TalkAbove(ctx, m)
	}
	return here, err
}

// consentMeant returns what a message consents to, in its context.
func (j *Judge) consentMeant(ctx context.Context, m intent.Message) (intent.Consent, error) {
	c := m.Says.Consent
	nothingWaits, err := j.nothingWaits(ctx, c)
	if err != nil {
		return c, err
	}
	restated := j.AwaitsConsent() && j.Session().ReportKind == workflow.ReportRequest
	switch {
	case !c.Consents() && restated && m.Says.Adopts:
		talk, err := j.Approvals.WroteSince(ctx, m, "")
		if err != nil {
			return c, err
		}
		if !talk && m.Says.AdoptsToBuild {
			return intent.Consent{Kind: intent.ConsentApprove}, nil
		}
		return intent.Consent{Kind: intent.ConsentUnclear}, nil
	case c.Kind == intent.ConsentScoped && j.Session().Phase.MayWrite(), nothingWaits:
		c.Kind = intent.ConsentNone
	case c.WithoutGoAhead:
		talk, err := j.Approvals.WroteSince(ctx, m, m.User)
		if err != nil {
			return c, err
		}
		if talk {
			c.Kind = intent.ConsentUnclear
		}
	}
	return c, nil
}

// nothingWaits reports whether a consent is one only of what waits for it, and nothing does.
func (j *Judge) nothingWaits(ctx context.Context, c intent.Consent) (bool, error) {
	if !c.NeedsWaitingReport || j.AwaitsConsent() {
		return false, nil
	}
	if reading, err := j.Approvals.ReadsRemarks(ctx); reading || err != nil {
		return false, err
	}
	stopped, err := j.Approvals.StoppedReport(ctx)
	return !stopped, err
}

// approve judges a consent as the approval of the newest revision, with the limit of the question that it
// answers.
func (j *Judge) approve(ctx context.Context, c *Case) ([]store.Part, error) {
	scope := get(c, &c.consent).Scope
	if scope == "" && j.AwaitsConsent() {
		var err error
		if scope, err = j.Approvals.LimitAsked(ctx, c.Message); err != nil {
			return nil, err
		}
	}
	return j.Approvals.Approve(ctx, c.Message, c.person(), j.Session().Revision, scope)
}

// askConsent asks whether a message was meant as an approval.
func (j *Judge) askConsent(c *Case) ([]store.Part, error) {
	if err := get(c, &c.mayApprove).err; err != nil {
		return j.Approvals.RefuseUnknown(c.Message, err)
	}
	return j.Approvals.AskConsent(c.Message, c.person(), get(c, &c.consent).Consent), nil
}

// asksForPush reports whether words for a push are to be judged: the question waits, or they say "all the
// same" of approved work before it is asked, which is answered.
func (j *Judge) asksForPush(ctx context.Context, m intent.Message) (bool, error) {
	w, err := j.Approvals.PendingAllowance(ctx)
	if err != nil || w != nil || !m.Says.Push.AllTheSame {
		return w != nil, err
	}
	a, err := j.StandingApproval(ctx)
	return a != nil, err
}
